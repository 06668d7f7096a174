//! What fell from Live in the last days, so that whoever copies the registry learns of it. A fall is written in the
//! transaction that makes it, with the listing as it was shown: what becomes of that afterwards takes nothing away.

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::error::StoreError;
use super::keys::{self, Key};
use super::transaction::Transaction;
use registry_model::{Kind, Listing, LiveChange, Moment};

/// Seconds for which a fall is told.
const FALL_TOLD: i64 = 7 * 86_400;

/// A listing that is no longer Live.
#[derive(Clone, Debug)]
pub struct Fall {
    /// The listing as it was while it was Live.
    pub listing: Listing,
    /// When it fell.
    pub at: Moment,
}

impl Store {
    /// Tells a fall where the change is one, of the kind that [`Store::falls`] gives.
    pub(super) fn tell_fall(
        &self,
        transaction: &mut Transaction,
        before: &Listing,
        after: &Listing,
        at: Moment,
    ) -> Result<(), StoreError> {
        if LiveChange::between(before, after) != LiveChange::Fallen || before.shown_kind() != Kind::Mcp {
            return Ok(());
        }
        let mut item = Key::new(FALLS, keys::at(at, before.id.as_str())).item();
        item.insert("fallen".to_owned(), s(serde_json::to_string(&(before, at))?));
        item.insert("ttl".to_owned(), n(at.as_second() + FALL_TOLD));
        self.put(transaction, item, None)
    }

    /// MCP servers that fell at `since` or later and no longer ago than is told, the first to fall first; those after
    /// `after` (where an earlier page ended). One that is Live again may be among them.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn falls(
        &self,
        since: Moment,
        after: Option<&str>,
        limit: usize,
        now: Moment,
    ) -> Result<(Vec<Fall>, Option<String>), StoreError> {
        let oldest = Moment::from_second(now.as_second() - FALL_TOLD).unwrap_or(Moment::UNIX_EPOCH);
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :falls AND sk >= :since")
            .expression_attribute_values(":falls", s(FALLS))
            .expression_attribute_values(":since", s(keys::millis(since.max(oldest))))
            .set_exclusive_start_key(after.map(|after| Key::new(FALLS, after).item()))
            .limit(i32::try_from(limit).unwrap_or(100))
            .consistent_read(true)
            .send()
            .await?;
        let more = answer.last_evaluated_key.as_ref().map(|key| text(key, "sk").to_owned());
        let falls = answer.items.unwrap_or_default();
        Ok((falls.iter().map(fall).collect::<Result<_, _>>()?, more))
    }
}

const FALLS: &str = "FALLEN#mcp";

fn fall(item: &Item) -> Result<Fall, StoreError> {
    let (listing, at) = serde_json::from_str(text(item, "fallen"))?;
    Ok(Fall { listing, at })
}
