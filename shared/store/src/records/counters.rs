//! What is counted: Live listings and the funnel, the probes of each day, and the weekly recheck, so that no request has to read
//! listings to count them. A counter is written in the same transaction as the change that it counts. Each counter is divided
//! over a few items, so that writes do not conflict. One query reads these items, and their sum is the count.
//!
//! A Live listing is overdue if its proof has expired because its recheck is late. Lists and searches check the proof of each
//! listing and skip these listings. The counters subtract the number of these listings, which is computed from the due queue
//! once an hour.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::due::DueCursor;
use super::listings::DueClass;
use crate::prelude::*;
use registry_model::{
    FeedItem, Handshake, Kind, LiveChange, LogEntry, LogEvent, Moment, ProbeRecord, Sku, StateChange,
};

/// What is Live, and what the active list shows with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    pub agents: u32,
    pub mcps: u32,
    /// When listings with an expired proof were last subtracted; `None` before the first time.
    pub as_of: Option<Moment>,
    /// The agents and MCP servers that were Live at that time.
    pub counted: Option<(u32, u32)>,
    /// Listings that were never Live, failed for thirty days and were deleted, since the table exists.
    pub expired: u32,
    pub funnel: FunnelCounts,
    /// Listings whose domain bound a key, since the table exists.
    pub identities: u32,
    /// Grows with every change to anything that the active list shows.
    pub version: u64,
}

/// The counters of the funnel since the table exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunnelCounts {
    pub seats_claimed: u32,
    pub demos_agents: u32,
    pub demos_mcps: u32,
    /// Demos of both kinds that followed an invitation and are not confirmed.
    pub demos_unconfirmed: u32,
    pub feedback_agents: u32,
    pub feedback_mcps: u32,
    /// Feedback of agents that is a draft. Earlier versions did not count these.
    pub drafts_agents: u32,
    pub drafts_mcps: u32,
    /// Ratings by product and by stars, without those of drafts that were sent unchanged.
    pub ratings: Ratings,
}

/// How often each product was rated 1 to 5; the products in the order of [`Sku::ALL`].
pub type Ratings = [[u32; 5]; Sku::ALL.len()];

impl Live {
    pub const fn of(&self, kind: Kind) -> u32 {
        by_kind(kind, self.agents, self.mcps)
    }
}

/// What belongs to a kind of listings, such as the name of its counter.
pub(crate) const fn by_kind<T: Copy>(kind: Kind, of_agents: T, of_mcps: T) -> T {
    match kind {
        Kind::Agent => of_agents,
        Kind::Mcp => of_mcps,
    }
}

/// The counters of what is Live, and what the active list shows with them.
pub(crate) const LIVE: KeyPattern = KeyPattern::new("LIVE", "");
/// In the partition of the Live counters, so that one query reads both.
pub(super) const OVERDUE: KeyPattern = KeyPattern::new(LIVE.prefix, "OVERDUE");

/// The weekly recheck, by ISO week.
pub(super) const WEEK: KeyPattern = KeyPattern::new("WEEK#", "");

/// The counter of demos that followed an invitation and are not confirmed.
pub(super) const UNCONFIRMED: &str = "demos_unconfirmed";

const STARS: [u8; 5] = [1, 2, 3, 4, 5];

/// How many Live listings are overdue, and when they were counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverdueCount {
    pub agents: u32,
    pub mcps: u32,
    pub at: Option<Moment>,
    /// What was Live at that time, without the overdue listings: agents and MCP servers. `None` before the first count.
    pub live: Option<(u32, u32)>,
}

impl OverdueCount {
    pub const fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Agent => self.agents += 1,
            Kind::Mcp => self.mcps += 1,
        }
    }

    /// The count among the items of the partition of what is Live.
    pub(super) fn of_items(items: &[Item]) -> Self {
        let Some(item) = items.iter().find(|item| OVERDUE.matches(item)) else {
            return Self::default();
        };
        Self {
            agents: unsigned(item, "overdue_agents"),
            mcps: unsigned(item, "overdue_mcps"),
            at: moment(item, "at"),
            live: item
                .contains_key("live_mcps")
                .then(|| (unsigned(item, "live_agents"), unsigned(item, "live_mcps"))),
        }
    }
}

/// The weekly recheck in one ISO week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Week {
    /// Such as `2026-W47`.
    pub name: String,
    /// Live listings that were probed again.
    pub rechecked: u32,
    /// Of these, the listings that passed at least once.
    pub still_ok: u32,
    pub demoted: u32,
}

impl Store {
    /// What is Live, without the listings that were counted as overdue. If other processes write to the table, their changes
    /// are missing for about a second; no decision depends on this count alone.
    pub async fn live(&self) -> Result<Live> {
        // After a write of this process, the counts are not cached, and its own write must be in them.
        let read = async |outdated: Option<Live>| match outdated {
            Some(_) => Ok(live_counts(&self.query(LIVE.query()).await?.items)),
            None => self.live_now().await,
        };
        self.read_cache.live(LIVE.prefix, read).await
    }

    /// The same, read from the table with all earlier writes.
    async fn live_now(&self) -> Result<Live> {
        Ok(live_counts(&self.partition(LIVE.prefix).await?))
    }

    pub async fn week(&self, now: Moment) -> Result<Week> {
        let name = now.iso_week();
        let shards = self.partition(&WEEK.partition(&name)).await?;
        Ok(Week {
            name,
            rechecked: sum(&shards, "rechecked"),
            still_ok: sum(&shards, "still_ok"),
            demoted: sum(&shards, "demoted"),
        })
    }
}

/// The item of the Live counters that counts what happens to a listing.
pub(super) fn live_counter(id: &ListingId) -> Key {
    LIVE.one(key::shard(id))
}

impl Transaction {
    /// Counts a new version of the active list, so that no page cached before is shown again.
    pub(super) fn bump_version(&mut self, id: &ListingId) {
        self.update(live_counter(id), Expression::default().add("version", 1));
    }
}

fn live_counts(shards: &[Item]) -> Live {
    let count = |name: &str| sum::<u32>(shards, name);
    let overdue = OverdueCount::of_items(shards);
    Live {
        agents: count("agents").saturating_sub(overdue.agents),
        mcps: count("mcps").saturating_sub(overdue.mcps),
        as_of: overdue.at,
        counted: overdue.live,
        expired: count("expired"),
        funnel: FunnelCounts {
            seats_claimed: count("claimed"),
            demos_agents: count("demos_agents"),
            demos_mcps: count("demos_mcps"),
            demos_unconfirmed: count(UNCONFIRMED),
            feedback_agents: count("feedback_agents"),
            feedback_mcps: count("feedback_mcps"),
            drafts_agents: count("drafts_agents"),
            drafts_mcps: count("drafts_mcps"),
            ratings: Sku::ALL.map(|sku| STARS.map(|stars| count(&rating_counter(sku, stars)))),
        },
        identities: count("identities"),
        version: sum(shards, "version"),
    }
}

pub(super) fn rating_counter(sku: Sku, stars: u8) -> String {
    format!("rated_{}_{stars}", sku.as_str())
}

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
fn ended_proofs(items: &[&FeedItem]) -> Result<(Transaction, Vec<Option<WriteId>>)> {
    let (mut transaction, mut leaves) = (Transaction::default(), Vec::with_capacity(items.len()));
    for item in items {
        let mut leaf = None;
        if let Some(id) = &item.listing_id {
            transaction.mark_dirty(id, item.at);
            let kind = item.kind.unwrap_or(Kind::Agent);
            leaf = transaction.add_leaf(&LogEntry::new(item.at, id, kind, LogEvent::Ended))?;
        }
        leaves.push(leaf);
        transaction.add_to_feed([*item])?;
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
                let (transaction, leaves) = ended_proofs(&items)?;
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
        self.change(OVERDUE.key(), change.remove_all(UNFINISHED)).await.map(drop)
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

/// A probe of a listing, by time; stored for the ninety days that a listing's page shows, and the current one.
pub(super) const PROBE: Record<ProbeRecord> =
    Record::new(LISTING.prefix, "PROBE#", "record").stored_for(91 * 86_400);
/// The tally of a UTC day.
pub(super) const DAY: KeyPattern = KeyPattern::new("DAY#", "");

/// Seconds for which the tally of a day is stored.
const TALLY_RETENTION: i64 = 37 * 86_400;
/// How the attribute of a reason begins; its code and its words follow.
const FAULT: &str = "fault:";

/// The index partition of the probes with this outcome, by time.
fn probes_partition(outcome: Handshake) -> String {
    format!("PROBED#{}", outcome.as_str())
}

impl Transaction {
    /// Stores the record of a probe and counts it in the tally of its day.
    pub(super) fn count_probe(&mut self, change: &StateChange) -> Result<()> {
        let record = &change.record;
        let (id, at) = (&record.id, record.probed_at);
        let place = table::SHOWN.place(probes_partition(record.handshake), key::at(at, id.as_str()));
        let attributes = [PROBE.value(record)?, PROBE.ttl(at)].into_iter().chain(place);
        self.put(PROBE.one_of(id, key::millis(at)).with(attributes));
        self.update(DAY.one_of(at.utc_day(), key::shard(&change.before.id)), day_tally(change));
        Ok(())
    }
}

/// How a probe changes the tally of its day.
fn day_tally(change: &StateChange) -> Expression {
    let record = &change.record;
    let last_day = change.before.last_asked().map(Moment::utc_day);
    let first_today = last_day.is_none_or(|day| day != record.probed_at.utc_day());
    let kind = by_kind(record.kind, "agents", "mcps");
    let returns = change.live_change() == LiveChange::StaysLive && change.was_overdue && record.ok;
    let mut tally = Expression::default()
        .add(kind, 1)
        .add(record.handshake.as_str(), 1)
        .add("unique", first_today)
        .add("rejects", change.preflight_reject)
        .add("risen", returns || change.live_change() == LiveChange::Risen)
        .expires(record.probed_at, TALLY_RETENTION);
    if record.handshake == Handshake::Fail {
        tally = tally.add(&format!("fail_{}", record.kind.as_str()), 1);
    }
    match (&record.code, &record.reason) {
        // A correct sign-in needs no fix.
        (Some(code), Some(reason)) if !record.is_proof() => tally.add(&format!("{FAULT}{code} {reason}"), 1),
        _ => tally,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub agents: u32,
    pub mcps: u32,
    pub unique: u32,
    /// Probes that ended at the preflight, without using budget.
    pub rejects: u32,
    /// Listings that became Live.
    pub risen: u32,
    /// By outcome: ok, partial, fail, skip.
    pub handshakes: [u32; 4],
    pub failed_agents: u32,
    pub failed_mcps: u32,
    /// The reasons of the probes that proved nothing, the most frequent first.
    pub reasons: Vec<CountedReason>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedReason {
    pub code: String,
    /// In the words of `reasons[].reason`.
    pub reason: String,
    pub count: u32,
}

const OUTCOMES: [Handshake; 4] = [Handshake::Ok, Handshake::Partial, Handshake::Fail, Handshake::Skip];

impl Store {
    pub async fn tally(&self, now: Moment) -> Result<Tally> {
        let shards = self.partition(&DAY.partition(now.utc_day())).await?;
        let mut counted: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for shard in &shards {
            for name in shard.keys() {
                if let Some(fault) = name.strip_prefix(FAULT).and_then(|fault| fault.split_once(' ')) {
                    *counted.entry(fault).or_default() += unsigned::<u32>(shard, name);
                }
            }
        }
        let mut reasons: Vec<CountedReason> = counted
            .into_iter()
            .map(|((code, reason), count)| CountedReason {
                code: code.to_owned(),
                reason: reason.to_owned(),
                count,
            })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        Ok(Tally {
            agents: sum(&shards, "agents"),
            mcps: sum(&shards, "mcps"),
            unique: sum(&shards, "unique"),
            rejects: sum(&shards, "rejects"),
            risen: sum(&shards, "risen"),
            handshakes: OUTCOMES.map(|outcome| sum(&shards, outcome.as_str())),
            failed_agents: sum(&shards, "fail_agent"),
            failed_mcps: sum(&shards, "fail_mcp"),
            reasons,
        })
    }

    /// The probes of a listing from `since` on, the newest first, at most `limit`; by one query.
    pub async fn probes_of(&self, id: &ListingId, since: Moment, limit: i32) -> Result<Vec<ProbeRecord>> {
        let first = PROBE.one_of(id, key::millis(since));
        let range = Range::Between(first.sk, format!("{}:", PROBE.sort));
        self.list(&PROBE, Query::of(first.pk).range(range).descending().limit(limit)).await
    }

    pub async fn latest_probes(&self, outcome: Handshake, limit: i32) -> Result<Vec<ProbeRecord>> {
        let query = Query::of(probes_partition(outcome)).index(table::SHOWN).descending().limit(limit);
        self.list(&PROBE, query).await
    }
}
