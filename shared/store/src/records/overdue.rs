//! Live listings whose proof has expired because their recheck is late. Lists and searches check the proof of
//! each listing and skip these listings. The counters subtract the number of these listings. This number is
//! stored here, and computed from the due queue once an hour.

use aws_sdk_dynamodb::types::AttributeValue;

use super::counters::{OVERDUE, OverdueCount};
use super::due::DueCursor;
use super::leaves::add_leaf;
use super::listing_items::DueClass;
use super::search_index::mark_dirty;
use crate::counts::{Live, by_kind};
use crate::prelude::*;
use registry_model::{FeedItem, Kind, LogEntry, LogEvent};

/// Listings recorded in one transaction, which allows 100 writes; each takes up to four.
const MAX_PER_TRANSACTION: usize = 20;

/// A count that has read a part of the due queue, so that the next run goes on from there.
#[derive(Clone, Debug)]
pub struct UnfinishedCount {
    pub began: Moment,
    pub counted: OverdueCount,
    /// Where it goes on: the class, and the place in it unless it is the first.
    pub class: DueClass,
    pub from: Option<DueCursor>,
}

impl UnfinishedCount {
    const CLASSES: [DueClass; 2] = [DueClass::WeeklyDue, DueClass::Confirming];

    pub fn after(class: DueClass) -> Option<DueClass> {
        Self::CLASSES.into_iter().skip_while(|counted| *counted != class).nth(1)
    }

    pub const fn begin(now: Moment) -> Self {
        let counted = OverdueCount { agents: 0, mcps: 0, at: None, live: None };
        Self { began: now, counted, class: Self::CLASSES[0], from: None }
    }

    fn read(item: &Item) -> Option<Self> {
        let class = text(item, "counting");
        Some(Self {
            began: moment(item, "counting_since")?,
            counted: OverdueCount {
                agents: unsigned(item, "counted_agents"),
                mcps: unsigned(item, "counted_mcps"),
                ..OverdueCount::default()
            },
            class: Self::CLASSES.into_iter().find(|known| known.as_str() == class)?,
            from: item.get("counting_from").and_then(|key| key.as_m().ok()).cloned().map(DueCursor),
        })
    }
}

/// The transaction that records these listings, and the write of each leaf. Only these writes have a condition.
fn ended(items: &[&FeedItem]) -> Result<(Transaction, Vec<Option<WriteId>>)> {
    let (mut transaction, mut leaves) = (Transaction::default(), Vec::with_capacity(items.len()));
    for item in items {
        let mut leaf = None;
        if let Some(id) = &item.listing_id {
            mark_dirty(&mut transaction, id, item.at);
            let kind = item.kind.unwrap_or(Kind::Agent);
            leaf = add_leaf(&mut transaction, &LogEntry::new(item.at, id, kind, LogEvent::Ended))?;
        }
        leaves.push(leaf);
        feed::add(&mut transaction, item)?;
    }
    Ok((transaction, leaves))
}

impl Store {
    /// Records listings whose proof has just expired, and removes them from search. Each gets a feed item and a leaf
    /// of the log. A listing that is recorded already, or that got a later decision in the meantime, is left out. After an
    /// error, some of the listings may already be recorded.
    pub async fn record_overdue(&self, news: &[FeedItem]) -> Result<()> {
        for chunk in news.chunks(MAX_PER_TRANSACTION) {
            let mut items: Vec<&FeedItem> = chunk.iter().collect();
            while !items.is_empty() {
                let (transaction, leaves) = ended(&items)?;
                let Outcome::Refused(refused) = self.transact(transaction).await? else { break };
                let mut leaves = leaves.into_iter();
                items.retain(|_| !leaves.next().flatten().is_some_and(|leaf| refused.includes(leaf)));
            }
        }
        Ok(())
    }

    pub async fn keep_unfinished_count(&self, unfinished: &UnfinishedCount) -> Result<()> {
        let UnfinishedCount { began, counted, class, from } = unfinished;
        let change = Expression::default()
            .set("counting", s(class.as_str()))
            .set("counting_since", ms(*began))
            .set("counted_agents", n(counted.agents))
            .set("counted_mcps", n(counted.mcps));
        let change = match from {
            Some(DueCursor(key)) => change.set("counting_from", AttributeValue::M(key.clone())),
            None => change.remove("counting_from"),
        };
        self.change(OVERDUE.key(), change).await.map(drop)
    }

    /// Stores the count; where it changed, cached pages of the active list become invalid.
    pub async fn keep_overdue_count(&self, old: OverdueCount, new: OverdueCount, now: Moment) -> Result<()> {
        const UNFINISHED: [&str; 5] =
            ["counting", "counting_since", "counting_from", "counted_agents", "counted_mcps"];
        let changed = (old.agents, old.mcps) != (new.agents, new.mcps);
        let Live { agents, mcps, .. } = self.live_now().await?;
        // The counters subtract the earlier count.
        let live = |shown: u32, before: u32, now: u32| (shown + before).saturating_sub(now);
        let change = Expression::default()
            .set("live_agents", n(live(agents, old.agents, new.agents)))
            .set("live_mcps", n(live(mcps, old.mcps, new.mcps)))
            .set("overdue_agents", n(new.agents))
            .set("overdue_mcps", n(new.mcps))
            .set("at", ms(now))
            .add("version", changed);
        let change = UNFINISHED.into_iter().fold(change, Expression::remove);
        self.change(OVERDUE.key(), change).await.map(drop)
    }

    /// Takes a listing out of the count, if its proof expired before the count: it is proven again, or no longer Live.
    pub async fn uncount_overdue(&self, kind: Kind, expired_at: Moment) -> Result<()> {
        let counter = by_kind(kind, "overdue_agents", "overdue_mcps");
        let if_counted = Expression::default().if_is("at", ">", ms(expired_at));
        let change = if_counted.if_is(counter, ">", n(0)).add(counter, -1).add("version", 1);
        self.update(&OVERDUE.key(), &change, None).await.map(drop)
    }

    /// The last count, and the one that is not finished.
    pub async fn overdue_count(&self) -> Result<(OverdueCount, Option<UnfinishedCount>)> {
        let item = self.read(&OVERDUE.key()).await?;
        Ok((OverdueCount::of_items(item.as_slice()), item.as_ref().and_then(UnfinishedCount::read)))
    }
}
