//! Delistings: MCP servers that stopped being Live or gated in the last seven days. Mirrors of the registry read them.
//! A delisting is written in the transaction that ends the state. It contains the listing as it was shown, so that
//! later changes do not affect the delisting.

use crate::prelude::*;
use registry_model::{Kind, LiveChange};

/// The listing as it was before, and when it was delisted; by time.
pub(super) const DELISTING: Record<(Listing, Moment)> =
    Record::new("FALLEN#mcp", "", "fallen").stored_for(RETENTION);

/// Seconds for which a delisting is stored.
const RETENTION: i64 = 7 * 86_400;

/// A listing that is no longer Live, or no longer gated.
#[derive(Clone, Debug)]
pub struct Delisting {
    /// The listing as it was before.
    pub listing: Listing,
    pub at: Moment,
}

/// Records the delisting if an MCP server is no longer in the lists where it was.
pub(super) fn record(
    transaction: &mut Transaction,
    before: &Listing,
    after: &Listing,
    at: Moment,
) -> Result<()> {
    let is_gone = LiveChange::between(before, after) == LiveChange::Fallen
        || before.lane.is_proven() && !after.lane.is_proven();
    if is_gone && before.likely_kind() == Kind::Mcp {
        let value = (DELISTING.attribute, to_blob(&(before, at))?);
        transaction.put(DELISTING.at(at, before.id.as_str()).with([value, DELISTING.ttl(at)]));
    }
    Ok(())
}

impl Store {
    /// MCP servers that were delisted at `since` or later, the earliest first, after the place where an earlier page
    /// ended. The result may contain servers that are listed again.
    pub async fn falls(
        &self,
        since: Moment,
        after: Option<&str>,
        limit: usize,
        now: Moment,
    ) -> Result<(Vec<Delisting>, Option<String>)> {
        let oldest = key::before(now, RETENTION);
        let range = Range::From(key::millis(since.max(oldest)));
        let query = Query::of(DELISTING.prefix).range(range).after_key(after).strong();
        let (delistings, next) = self.page(&DELISTING, query, limit).await?;
        Ok((delistings.into_iter().map(|(listing, at)| Delisting { listing, at }).collect(), next))
    }
}
