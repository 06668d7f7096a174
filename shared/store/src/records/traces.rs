//! What callers leave on the trails of listings: marks, which are texts, and compositions, which are pairs of listings that
//! were used together. A mark and the amounts that it adds to the trail (deposits) are written in one transaction. Marks are
//! read for one listing or for all listings, the newest first. The source of a recent deposit is stored as a digest. If the
//! same source repeats the deposit, the mark is written, but nothing is added to the trail.
//!
//! The item of a composition (an edge) contains how often and how recently its listings were used together. It is stored at
//! both listings, so that one query reads all compositions of a listing, the strongest first. The item at the first listing is
//! also in the index of all compositions.

use super::listings::not_withdrawn;
use super::trails::{rank_text, trail_of, value_left};
use crate::prelude::*;
use registry_model::{Decay, Trail, TrailMark};

/// A mark at a listing, by time.
pub(super) const MARK: Record<TrailMark> = Record::new(TRAIL.prefix, "MARK#", "mark");
/// Exists where a source, known by a digest, recently deposited at a listing.
pub(super) const TRACE_SOURCE: KeyPattern = KeyPattern::new("TRACED#", "");

/// The index partition of all marks by time.
const ALL_MARKS: &str = "MARKS";

#[derive(Clone, Debug)]
pub struct NewTrace<'a> {
    pub mark: &'a TrailMark,
    /// A deposit with 0 times only counts the mark.
    pub deposits: &'a [Deposit],
    /// The source, which may not repeat the deposit for some time; `None` if nothing is added.
    pub source: Option<TraceSource<'a>>,
    /// The second listing, where two were used together.
    pub used_with: Option<UsedWith<'a>>,
    pub act: Act<'a>,
}

#[derive(Clone, Copy, Debug)]
pub struct TraceSource<'a> {
    /// The listing under which it is stored.
    pub at: &'a ListingId,
    pub act: &'a str,
    pub digest: &'a str,
    /// Until this time, the same act adds nothing.
    pub until: Moment,
}

#[derive(Clone, Copy, Debug)]
pub struct UsedWith<'a> {
    pub with: &'a ListingId,
    /// How much this strengthens their edge.
    pub by: f64,
    pub known: Option<&'a Edge>,
}

/// How leaving a mark ended. Nothing is written unless it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOutcome {
    Left,
    Repeated,
    /// The edge was created since it was read.
    Known,
    /// A listing is withdrawn or deleted.
    Closed,
}

/// The item that remembers a source.
pub(super) fn trace_source_key(id: &ListingId, act: &str, digest: &str) -> Key {
    TRACE_SOURCE.one_of(id, format_args!("{act}#{digest}"))
}

fn mark_item(mark: &TrailMark) -> Result<Item> {
    let time = key::at(mark.at, &mark.id);
    let attributes = [MARK.value(mark)?, ttl(mark.gone_at(), 1)].into_iter();
    let key = MARK.one_of(&mark.listing_id, &time);
    Ok(key.with(attributes.chain(table::SHOWN.place(ALL_MARKS, time))))
}

/// Marks that have not decayed completely: DynamoDB removes expired items with a delay.
fn marks_left(items: &[Item], now: Moment) -> Result<Vec<TrailMark>> {
    let mut marks = MARK.read_all(items)?;
    marks.retain(|mark| mark.strength(now) > 0.0);
    Ok(marks)
}

impl Store {
    pub async fn leave_trace(&self, trace: &NewTrace<'_>, now: Moment) -> Result<TraceOutcome> {
        self.count_allowed(trace.act, now).await?;
        let mark = trace.mark;
        let mut transaction = Transaction::default();
        let both = std::iter::once(&mark.listing_id).chain(trace.used_with.map(|used| used.with));
        for id in both {
            transaction.check(LISTING.of(id), not_withdrawn());
        }
        transaction.put(mark_item(mark)?);
        let source = trace.source.map(|source| {
            let change = Expression::default().set("until", ms(source.until)).expires(source.until, 1);
            let change = change.if_missing_or("until", "<=", ms(now));
            transaction.update(trace_source_key(source.at, source.act, source.digest), change)
        });
        if let Some(used) = trace.used_with.filter(|used| used.known.is_none()) {
            for edge in self.surplus_edges((&mark.listing_id, used.with), now).await? {
                transaction.delete_edge(&edge);
            }
        }
        let edge = trace
            .used_with
            .map(|used| transaction.strengthen_edge((&mark.listing_id, used.with), used.by, used.known, now));
        let is_new_pair =
            trace.used_with.is_some_and(|used| used.known.as_ref().is_none_or(|edge| edge.count == 0));
        transaction.add_deposits_with_pairs(trace.deposits, u32::from(is_new_pair), now);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => TraceOutcome::Left,
            Outcome::Refused(refused) if source.is_some_and(|write| refused.includes(write)) => {
                TraceOutcome::Repeated
            }
            Outcome::Refused(refused) if edge.is_some_and(|write| refused.includes(write)) => {
                TraceOutcome::Known
            }
            Outcome::Refused(_) => TraceOutcome::Closed,
        })
    }

    /// The trail of a listing, where it has one, and its marks, the newest first; by one query.
    pub async fn traces_at(
        &self,
        id: &ListingId,
        limit: usize,
        now: Moment,
    ) -> Result<(Option<Trail>, Vec<TrailMark>)> {
        let range = Range::From(MARK.sort.to_owned());
        let query = TRAIL.query_of(id).range(range).descending().limit(limit + 1);
        let mut items = self.query(query).await?.items;
        let trail = items.first().filter(|item| TRAIL.matches(item)).map(|item| trail_of(item, now));
        items.retain(|item| text(item, "sk") != TRAIL.sort);
        items.truncate(limit);
        Ok((trail, marks_left(&items, now)?))
    }

    /// The latest marks at all listings, the newest first.
    pub async fn latest_marks(&self, limit: usize, now: Moment) -> Result<Vec<TrailMark>> {
        let query = Query::of(ALL_MARKS).index(table::SHOWN).descending().limit(limit);
        marks_left(&self.query(query).await?.items, now)
    }
}

/// Two listings that were used together, at the first of the two; another item records the same at the second.
pub(super) const EDGE: KeyPattern = KeyPattern::new(TRAIL.prefix, "EDGE#");

/// The index partition of all compositions by strength.
const ALL_EDGES: &str = "EDGES";
const INTENSITY: &str = "intensity";

/// The strength of a composition that the operator proposes. It is far less than the strength that one use adds.
const SEED_INTENSITY: f64 = 1.0;

/// Edges stored at a listing. A further one replaces the weakest, so that reports of one caller cannot keep out others.
const MAX_EDGES: u32 = 200;

/// Seconds for which an edge is stored after its strength counts as 0. For one use, this is after 63 days.
const KEPT_AFTER_DECAY: i64 = 86_400;

/// Two listings that were used together; `listing_a` is the first in the order of ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub listing_a: ListingId,
    pub listing_b: ListingId,
    /// How often they were used together; 0 for an edge that the operator seeded.
    pub count: u32,
    /// Its strength, which decays with the half-life of marks.
    pub intensity: f64,
    pub last_at: Moment,
}

/// Two listings, in any order.
type Pair<'a> = (&'a ListingId, &'a ListingId);

impl Edge {
    /// The listing of the pair that is not the given listing.
    pub fn other(&self, one: &ListingId) -> &ListingId {
        if self.listing_a == *one { &self.listing_b } else { &self.listing_a }
    }

    pub(super) fn of_item(item: &Item, now: Moment) -> Option<Self> {
        let with = text(item, "sk").strip_prefix(EDGE.sort)?.parse().ok()?;
        let (listing_a, listing_b) = ordered_pair(EDGE.listing_of(item)?, with);
        Some(Self {
            listing_a,
            listing_b,
            count: unsigned(item, "count"),
            intensity: value_left(item, INTENSITY, Decay::MARK, now),
            last_at: text(item, "last_at").parse().ok()?,
        })
    }
}

fn ordered_pair(one: ListingId, other: ListingId) -> (ListingId, ListingId) {
    if one.as_str() <= other.as_str() { (one, other) } else { (other, one) }
}

fn edges_partition(id: &ListingId) -> String {
    format!("EDGES#{id}")
}

/// The item at the first of two listings, which is in the index of all.
pub(super) fn edge_key(one: &ListingId, other: &ListingId) -> Key {
    let (a, b) = ordered_pair(one.clone(), other.clone());
    EDGE.one_of(&a, &b)
}

pub(super) fn ends_of_edge(key: &Key) -> impl Iterator<Item = ListingId> {
    let ends = [key.pk.strip_prefix(EDGE.prefix), key.sk.strip_prefix(EDGE.sort)];
    ends.into_iter().flatten().filter_map(|id| id.parse().ok())
}

impl Transaction {
    /// Strengthens both items of an edge, whose strength is then `intensity`. `more` completes the change of each item, given
    /// whether it is the first. Returns the write of the first.
    fn write_edge(
        &mut self,
        (one, other): Pair<'_>,
        by: f64,
        intensity: f64,
        now: Moment,
        more: impl Fn(Expression, bool) -> Expression,
    ) -> WriteId {
        let (a, b) = ordered_pair(one.clone(), other.clone());
        let rank = rank_text(Decay::MARK.rank(intensity, now).unwrap_or(0.0));
        let change = |at: &ListingId| {
            Expression::default()
                .add_scaled(INTENSITY, Decay::MARK, by, now)
                .set("last_at", s(now.to_string()))
                .expires(Decay::MARK.gone_at(intensity, now), KEPT_AFTER_DECAY)
                .set_all(table::SHOWN.place(edges_partition(at), &rank))
        };
        let first = more(change(&a).set_all(table::DUE.place(ALL_EDGES, &rank)), true);
        let write = self.update(EDGE.one_of(&a, &b), first);
        self.update(EDGE.one_of(&b, &a), more(change(&b), false));
        write
    }

    /// Counts that two listings were used together. `known` is the edge as it was read; without one the transaction requires
    /// that there still is none. Returns the write that is refused otherwise.
    fn strengthen_edge(&mut self, pair: Pair<'_>, by: f64, known: Option<&Edge>, now: Moment) -> WriteId {
        let intensity = known.map_or(0.0, |edge| edge.intensity) + by;
        self.write_edge(pair, by, intensity, now, |change, is_first| {
            let change = change.add("count", 1);
            if is_first && known.is_none() { change.if_absent() } else { change }
        })
    }

    fn delete_edge(&mut self, edge: &Edge) {
        self.delete(EDGE.one_of(&edge.listing_a, &edge.listing_b));
        self.delete(EDGE.one_of(&edge.listing_b, &edge.listing_a));
    }
}

impl Store {
    /// Writes a weak edge between two listings, with a count of 0; false where there is one already.
    pub async fn seed_edge(&self, pair: Pair<'_>, now: Moment) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.write_edge(pair, SEED_INTENSITY, SEED_INTENSITY, now, |change, _| change.if_absent());
        self.commit(transaction).await
    }

    /// The edges that a new edge replaces, because a listing has as many as are stored: the weakest of each end.
    async fn surplus_edges(&self, (one, other): Pair<'_>, now: Moment) -> Result<Vec<Edge>> {
        let mut surplus = Vec::new();
        for (at, with) in [(one, other), (other, one)] {
            let of_listing = || Query::of(edges_partition(at)).index(table::SHOWN);
            if self.count(of_listing()).await?.0 >= MAX_EDGES {
                let weakest = self.query(of_listing().limit(2)).await?.items;
                let mut weakest = weakest.iter().filter_map(|item| Edge::of_item(item, now));
                surplus.extend(weakest.find(|edge| edge.other(at) != with));
            }
        }
        Ok(surplus)
    }

    /// The edge of two listings, unless it has decayed completely. Contains the use that was just written.
    pub async fn edge(&self, (one, other): Pair<'_>, now: Moment) -> Result<Option<Edge>> {
        let item = self.read(&edge_key(one, other)).await?;
        Ok(item.and_then(|item| Edge::of_item(&item, now)).filter(|edge| edge.intensity > 0.0))
    }

    pub async fn edges_of(&self, id: &ListingId, limit: usize, now: Moment) -> Result<Vec<Edge>> {
        let query = Query::of(edges_partition(id)).index(table::SHOWN).descending().limit(limit);
        let items = self.query(query).await?.items;
        Ok(strongest_first(items.iter().filter_map(|item| Edge::of_item(item, now)).collect()))
    }

    pub(super) async fn strongest_edge_keys(&self, limit: usize) -> Result<Vec<Key>> {
        let query = Query::of(ALL_EDGES).index(table::DUE).descending().limit(limit);
        Ok(self.query(query).await?.items.iter().map(Key::of).collect())
    }
}

/// The edges that have not decayed completely, the strongest first.
pub(super) fn strongest_first(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.retain(|edge| edge.intensity > 0.0);
    edges.sort_by(|one, other| other.intensity.total_cmp(&one.intensity));
    edges
}
