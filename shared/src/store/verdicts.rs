//! The outcome of a probe, written as one transaction: the listing, its evidence, the record, the tallies, the
//! Live counters, the holder of the endpoint and the news. A crash before it leaves the listing due; a second
//! delivery finds the lease gone and writes nothing.

use serde::{Deserialize, Serialize};

use super::expression::Expression;
use super::keys;
use super::listings::changed;
use super::probes::ProbeRecord;
use super::transaction::{Outcome, Transaction};
use super::{FeedItem, Store, StoreError, n, s, text};
use crate::listing::{Kind, Lane, Listing, ListingId};
use crate::moment::Moment;
use crate::probe::checks::Check;
use crate::probe::score::Score;
use crate::probe::verdict::Verdict;

/// What the last probe of a listing found, as status shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The verdict.
    pub verdict: Verdict,
    /// The checks on it.
    pub checks: Vec<Check>,
    /// The score and what it is made of.
    pub score: Score,
    /// When.
    pub probed_at: Moment,
}

/// What a judgement does to the Live counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It went Live.
    Risen,
    /// It was Live and no longer is.
    Fallen,
    /// It stays Live; what the list shows of it is new.
    Kept,
    /// It is not Live and was not.
    Unseen,
}

/// Everything that one judged probe changes.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The listing as it was claimed.
    pub before: Listing,
    /// The listing as it is now.
    pub after: Listing,
    /// The evidence.
    pub evidence: Evidence,
    /// The record for the statistics.
    pub record: ProbeRecord,
    /// It ended at the preflight.
    pub preflight_reject: bool,
    /// It was the weekly recheck of a Live listing, and counts as one.
    pub recheck: bool,
    /// The news, where there is any.
    pub news: Option<FeedItem>,
}

/// How the writing of a judgement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It stands.
    Written,
    /// The lease was lost: somebody else judged it, nothing was written.
    LeaseLost,
    /// Another listing took the endpoint at the same moment; nothing was written.
    EndpointHeld,
}

impl Judgement {
    /// What this does to the Live counters.
    #[must_use]
    pub fn change(&self) -> Change {
        match (self.before.lane == Lane::Active, self.after.lane == Lane::Active) {
            (false, true) => Change::Risen,
            (true, false) => Change::Fallen,
            (true, true) => Change::Kept,
            (false, false) => Change::Unseen,
        }
    }

    /// Whether search must take the listing in, or out, or read it anew.
    fn is_searched_anew(&self) -> bool {
        match self.change() {
            Change::Risen | Change::Fallen => true,
            Change::Kept => self.before.said != self.after.said,
            Change::Unseen => false,
        }
    }

    /// Whether the listing now stands by this evidence. A Live one whose recheck failed stands by the older
    /// evidence until the failure is confirmed.
    fn is_shown(&self) -> bool {
        self.after.probe.as_ref().is_some_and(|probe| probe.at == self.evidence.probed_at)
    }
}

impl Store {
    /// Which other listing holds an endpoint.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn endpoint_holder(
        &self,
        url: &str,
        asking: &ListingId,
    ) -> Result<Option<ListingId>, StoreError> {
        let key = keys::endpoint(url).item();
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(key))
            .consistent_read(true)
            .send()
            .await?;
        let holder = answer.item.and_then(|item| text(&item, "listing_id").parse().ok());
        Ok(holder.filter(|holder| holder != asking))
    }

    /// Writes a judgement.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written and the lease runs out by itself.
    pub async fn record(&self, judgement: &Judgement) -> Result<Recorded, StoreError> {
        let Judgement { before, after, evidence, record, .. } = judgement;
        let id = &after.id;
        let mut transaction = Transaction::default();

        let change = changed(before, after)?.set("asked_at", n(record.probed_at.as_millisecond())).only_if(
            "lease = :mark",
            [],
            [(":mark", s(before.lease.as_deref().unwrap_or_default()))],
        );
        self.update(&mut transaction, &keys::listing(id), &change)?;
        let endpoint_at = self.hold_endpoint(&mut transaction, judgement)?;

        if judgement.is_shown() {
            let mut proof = keys::evidence(id).item();
            proof.insert("evidence".to_owned(), s(serde_json::to_string(evidence)?));
            self.put(&mut transaction, proof, None)?;
        }
        self.put(&mut transaction, record.item()?, None)?;
        let last = before.probe.as_ref().map(|probe| keys::day(probe.at));
        let first_today = last.is_none_or(|day| day != keys::day(record.probed_at));
        let tally = record.tally(first_today, judgement.preflight_reject);
        self.update(&mut transaction, &keys::day_tally(record.probed_at, id), &tally)?;
        self.update(&mut transaction, &keys::live(id), &live(judgement))?;
        if judgement.recheck {
            let week = keys::week_tally(record.probed_at, id);
            self.update(&mut transaction, &week, &week_tally(judgement))?;
        }
        self.rename(&mut transaction, before, after)?;
        if judgement.is_searched_anew() {
            self.mark(&mut transaction, id, record.probed_at)?;
        }
        if let Some(news) = &judgement.news {
            self.put(&mut transaction, news.item()?, None)?;
        }

        Ok(match self.transact(transaction).await? {
            Outcome::Written => Recorded::Written,
            Outcome::Refused(positions) if endpoint_at.is_some_and(|at| positions == [at]) => {
                Recorded::EndpointHeld
            }
            Outcome::Refused(_) => Recorded::LeaseLost,
        })
    }

    /// A Live listing holds its endpoint, and lets go of it when it falls or moves. Gives the position of the
    /// write that takes hold.
    fn hold_endpoint(
        &self,
        transaction: &mut Transaction,
        judgement: &Judgement,
    ) -> Result<Option<usize>, StoreError> {
        let Judgement { before, after, .. } = judgement;
        let held = before.endpoint.as_deref().filter(|_| before.lane == Lane::Active);
        let wanted = after.endpoint.as_deref().filter(|_| after.lane == Lane::Active);
        if held == wanted {
            return Ok(None);
        }
        let mine = || (":me", s(after.id.as_str()));
        if let Some(held) = held {
            let only_mine =
                Expression::default().only_if("attribute_not_exists(pk) OR listing_id = :me", [], [mine()]);
            self.delete(transaction, &keys::endpoint(held), Some(&only_mine))?;
        }
        let Some(wanted) = wanted else { return Ok(None) };
        let take = Expression::default().set("listing_id", s(after.id.as_str())).only_if(
            "attribute_not_exists(pk) OR listing_id = :me",
            [],
            [mine()],
        );
        self.update(transaction, &keys::endpoint(wanted), &take)?;
        Ok(Some(transaction.len() - 1))
    }
}

fn live(judgement: &Judgement) -> Expression {
    let counter = match judgement.after.shown_kind() {
        Kind::Agent => "agents",
        Kind::Mcp => "mcps",
    };
    match judgement.change() {
        Change::Risen => Expression::default().add(counter, 1).add("version", 1),
        Change::Fallen => Expression::default().add(counter, -1).add("version", 1),
        Change::Kept => Expression::default().add("version", 1),
        Change::Unseen => Expression::default(),
    }
}

fn week_tally(judgement: &Judgement) -> Expression {
    let ok = judgement.record.ok;
    Expression::default()
        .add("rechecked", 1)
        .add("still_ok", i64::from(ok))
        .add("demoted", i64::from(judgement.change() == Change::Fallen))
        .set("ttl", n(judgement.record.probed_at.as_second() + 60 * 86_400))
}
