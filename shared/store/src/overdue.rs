//! Live listings whose last proof has run out because their recheck is late. Readers leave them out row by row; the
//! counts leave them out by the number that is kept here, which is counted anew each hour from the queue of what is due.

use super::attributes::{Item, n, number, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::keys;
use super::transaction::Transaction;
use registry_model::{FeedItem, Kind, LogEntry, LogEvent, Moment};

/// Listings told of in one transaction, which takes 100 writes.
const TOLD_AT_ONCE: usize = 24;

/// How many Live listings are overdue, and when they were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverdueCount {
    /// Agents.
    pub agents: u32,
    /// MCP servers.
    pub mcps: u32,
    /// When.
    pub at: Option<Moment>,
}

impl OverdueCount {
    /// Counts one more.
    pub const fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Agent => self.agents += 1,
            Kind::Mcp => self.mcps += 1,
        }
    }
}

/// The count among the items of the partition of what is Live.
pub(super) fn read(items: &[Item]) -> OverdueCount {
    let Some(item) = items.iter().find(|item| text(item, "sk") == keys::overdue().sk) else {
        return OverdueCount::default();
    };
    let count = |name| u32::try_from(number(item, name)).unwrap_or(0);
    let at = Moment::from_millisecond(number(item, "at"));
    OverdueCount { agents: count("overdue_agents"), mcps: count("overdue_mcps"), at }
}

impl Store {
    /// Tells of listings whose proof has just run out: a line in the feed and a leaf of the log each, and
    /// search leaves them out.
    ///
    /// # Errors
    /// The table is busy or refused; some may have been told of.
    pub async fn tell_overdue(&self, news: &[FeedItem]) -> Result<(), StoreError> {
        for some in news.chunks(TOLD_AT_ONCE) {
            let mut transaction = Transaction::default();
            for item in some {
                if let Some(id) = &item.listing_id {
                    self.mark_dirty(&mut transaction, id, item.at)?;
                    let kind = item.kind.unwrap_or(Kind::Agent);
                    let leaf = LogEntry::new(item.at, id, kind, LogEvent::Ended);
                    self.log_entry(&mut transaction, &leaf)?;
                }
                self.put(&mut transaction, feed::to_item(item)?, None)?;
            }
            self.transact(transaction).await?;
        }
        Ok(())
    }

    /// Keeps the count; what is remembered of the list is made anew where it changed.
    ///
    /// # Errors
    /// The table is busy or refused; the earlier count stays.
    pub async fn keep_overdue_count(
        &self,
        before: OverdueCount,
        after: OverdueCount,
        now: Moment,
    ) -> Result<(), StoreError> {
        let changed = (before.agents, before.mcps) != (after.agents, after.mcps);
        let note = Expression::default()
            .set("overdue_agents", n(after.agents))
            .set("overdue_mcps", n(after.mcps))
            .set("at", n(now.as_millisecond()))
            .add("version", i64::from(changed));
        let mut transaction = Transaction::default();
        self.update(&mut transaction, &keys::overdue(), &note)?;
        self.transact(transaction).await.map(drop)
    }

    /// The count that is kept.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn overdue_count(&self) -> Result<OverdueCount, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::overdue().item()))
            .send()
            .await?;
        Ok(read(answer.item.as_slice()))
    }
}
