//! Delistings: MCP servers that stopped being Live or gated in the last seven days. Mirrors of the registry read them.
//! A delisting is written in the transaction that ends the state. It contains the listing as it was shown, so that
//! later changes do not affect the delisting.

use crate::table::prelude::*;
use registry_model::{Kind, LiveChange};

/// Seconds for which a delisting is stored.
const RETENTION: i64 = 7 * 86_400;

const PARTITION: &str = "FALLEN#mcp";

/// A listing that is no longer Live, or no longer gated.
#[derive(Clone, Debug)]
pub struct Delisting {
    /// The listing as it was before.
    pub listing: Listing,
    pub at: Moment,
}

/// Records the delisting if an MCP server is no longer in the lists where it was.
pub(crate) fn record(
    transaction: &mut Transaction,
    before: &Listing,
    after: &Listing,
    at: Moment,
) -> Result<()> {
    let is_gone = LiveChange::between(before, after) == LiveChange::Fallen
        || before.lane.is_proven() && !after.lane.is_proven();
    if is_gone && before.shown_kind() == Kind::Mcp {
        let key = Key::new(PARTITION, keys::at(at, before.id.as_str()));
        transaction.put(key.with([("fallen", to_blob(&(before, at))?), ttl(at, RETENTION)]));
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
        let oldest = keys::before(now, RETENTION);
        let query = Query::of(PARTITION).range(Range::From(keys::millis(since.max(oldest)))).after_key(after);
        let (items, next) = self.page(query.strong(), limit, "sk").await?;
        let delistings = items.iter().map(|item| {
            let (listing, at) = blob(item, "fallen")?;
            Ok(Delisting { listing, at })
        });
        Ok((delistings.collect::<Result<_>>()?, next))
    }
}
