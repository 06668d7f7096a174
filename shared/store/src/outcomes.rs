//! What users report of listings. Sums grow by ADD alone, so that two who report at once lose nothing; a source is counted
//! once an hour for a listing, by an item that must not be there yet. Single reports expire after thirty days.

use std::collections::BTreeMap;

use super::attributes::{Item, n, number, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::deposit::Deposit;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome as Written, Transaction};
use registry_model::{ListingId, Outcome, OutcomeTally, QUALITY_STEPS, TrailEvent};

/// Seconds for which a single report is kept.
const KEPT: i64 = 30 * 86_400;

/// What became of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeDeposit {
    /// It counts.
    Counted,
    /// Its source had one counted for this listing within the hour; nothing was written.
    Again,
    /// An allowance is used up; nothing was written.
    Limited(UsedUp),
}

/// The tally of a listing, where the item is one.
pub(super) fn tally_of(item: &Item) -> Option<(ListingId, OutcomeTally)> {
    let id = text(item, "pk").strip_prefix("OUTCOME#")?.parse().ok()?;
    Some((id, read_tally(item)))
}

fn read_tally(item: &Item) -> OutcomeTally {
    let sum = |name| u64::try_from(number(item, name)).unwrap_or_default();
    OutcomeTally {
        count: sum("count"),
        ok: sum("ok"),
        quality_sum: sum("quality"),
        timed: sum("timed"),
        latency_ms_sum: sum("latency_ms"),
    }
}

impl Store {
    /// Counts a report of `source`, once an hour for a listing.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn deposit_outcome(
        &self,
        outcome: &Outcome,
        source: &str,
        allowance: Option<Allowance<'_>>,
    ) -> Result<OutcomeDeposit, StoreError> {
        let (id, now) = (&outcome.listing_id, outcome.at);
        let hour = now.as_second() / 3600;
        let mut transaction = Transaction::default();
        let mut mark = keys::outcome_source(id, source, hour).item();
        mark.insert("ttl".to_owned(), n((hour + 2) * 3600));
        self.put(&mut transaction, mark, Some("attribute_not_exists(pk)"))?;
        let counted = allowance.map(|act| self.allow(&mut transaction, &act, now)).transpose()?;
        let sums = Expression::default()
            .add("count", 1)
            .add("ok", i64::from(outcome.ok))
            .add("quality", i64::from(outcome.quality))
            .add("timed", i64::from(outcome.latency_ms.is_some()))
            .add("latency_ms", i64::from(outcome.latency_ms.unwrap_or_default()));
        self.update(&mut transaction, &keys::outcomes(id), &sums)?;
        let mut item = Key::new(keys::OUTCOMES, keys::at(now, &outcome.id)).item();
        item.insert("outcome".to_owned(), s(serde_json::to_string(outcome)?));
        item.insert("ttl".to_owned(), n(now.as_second() + KEPT));
        self.put(&mut transaction, item, None)?;
        let went = Some((outcome.ok, f64::from(outcome.quality) / f64::from(QUALITY_STEPS)));
        let deposit = Deposit { outcome: went, ..Deposit::of(id, TrailEvent::Outcome) };
        self.deposit(&mut transaction, &deposit, now)?;
        Ok(match self.transact(transaction).await? {
            Written::Written => OutcomeDeposit::Counted,
            Written::Refused(positions) => counted
                .and_then(|counted| counted.used_up(&positions))
                .map_or(OutcomeDeposit::Again, OutcomeDeposit::Limited),
        })
    }

    /// What was counted for listings; those without an outcome are left out.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn outcomes_of(
        &self,
        ids: &[ListingId],
    ) -> Result<BTreeMap<ListingId, OutcomeTally>, StoreError> {
        let keys = ids.iter().map(|id| keys::outcomes(id).item()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        Ok(items.iter().filter_map(tally_of).collect())
    }

    /// The latest reports, the newest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn recent_outcomes(&self, limit: u32) -> Result<Vec<Outcome>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :outcomes")
            .expression_attribute_values(":outcomes", s(keys::OUTCOMES))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .send()
            .await?;
        let items = answer.items.unwrap_or_default();
        items.iter().map(|item| Ok(serde_json::from_str(text(item, "outcome"))?)).collect()
    }
}
