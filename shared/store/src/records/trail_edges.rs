//! Compositions: pairs of listings that were used together. An item contains how often and how recently this
//! happened. It is stored at both listings, so that one query reads all compositions of a listing, the
//! strongest first. The item at the first listing is also in the index of all compositions.

use super::trails::{TRAIL, add_scaled, listing_of, rank_text, value_left};
use crate::prelude::*;
use registry_model::Decay;

/// Two listings that were used together, at the first of the two; another item records the same at the second.
pub(super) const EDGE: KeyPattern = KeyPattern::new(TRAIL.prefix, "EDGE#");

/// The index partition of all compositions by strength.
const ALL: &str = "EDGES";
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

impl Edge {
    /// The listing of the pair that is not the given listing.
    pub fn other(&self, one: &ListingId) -> &ListingId {
        if self.listing_a == *one { &self.listing_b } else { &self.listing_a }
    }

    pub(super) fn of_item(item: &Item, now: Moment) -> Option<Self> {
        let with = text(item, "sk").strip_prefix(EDGE.sort)?.parse().ok()?;
        let (listing_a, listing_b) = ordered(listing_of(item)?, with);
        Some(Self {
            listing_a,
            listing_b,
            count: unsigned(item, "count"),
            intensity: value_left(item, INTENSITY, Decay::MARK, now),
            last_at: text(item, "last_at").parse().ok()?,
        })
    }
}

fn ordered(one: ListingId, other: ListingId) -> (ListingId, ListingId) {
    if one.as_str() <= other.as_str() { (one, other) } else { (other, one) }
}

fn index_partition(id: &ListingId) -> String {
    format!("EDGES#{id}")
}

/// The item at the first of two listings, which is in the index of all.
pub(super) fn edge_key(one: &ListingId, other: &ListingId) -> Key {
    let (a, b) = ordered(one.clone(), other.clone());
    EDGE.one_of(&a, &b)
}

pub(super) fn ends_of_edge(key: &Key) -> impl Iterator<Item = ListingId> {
    let ends = [key.pk.strip_prefix(EDGE.prefix), key.sk.strip_prefix(EDGE.sort)];
    ends.into_iter().flatten().filter_map(|id| id.parse().ok())
}

/// Strengthens both items of an edge, whose strength is then `intensity`. `more` completes the change of each item, given
/// whether it is the first. Returns the write of the first.
fn write_both(
    transaction: &mut Transaction,
    (one, other): (&ListingId, &ListingId),
    by: f64,
    intensity: f64,
    now: Moment,
    more: impl Fn(Expression, bool) -> Expression,
) -> WriteId {
    let (a, b) = ordered(one.clone(), other.clone());
    let rank = s(rank_text(Decay::MARK.rank(intensity, now).unwrap_or(0.0)));
    let change = |at: &ListingId| {
        let [pk, sk] = table::SHOWN.key;
        add_scaled(Expression::default(), INTENSITY, Decay::MARK, by, now)
            .set("last_at", s(now.to_string()))
            .expires(Decay::MARK.gone_at(intensity, now), KEPT_AFTER_DECAY)
            .set(pk, s(index_partition(at)))
            .set(sk, rank.clone())
    };
    let [pk, sk] = table::DUE.key;
    let first = more(change(&a).set(pk, s(ALL)).set(sk, rank.clone()), true);
    let write = transaction.update(EDGE.one_of(&a, &b), first);
    transaction.update(EDGE.one_of(&b, &a), more(change(&b), false));
    write
}

/// Counts that two listings were used together. `known` is the edge as it was read; without one the transaction requires
/// that there still is none. Returns the write that is refused otherwise.
pub(super) fn strengthen(
    transaction: &mut Transaction,
    pair: (&ListingId, &ListingId),
    by: f64,
    known: Option<&Edge>,
    now: Moment,
) -> WriteId {
    let intensity = known.map_or(0.0, |edge| edge.intensity) + by;
    write_both(transaction, pair, by, intensity, now, |change, is_first| {
        let change = change.add("count", 1);
        if is_first && known.is_none() { change.if_absent() } else { change }
    })
}

pub(super) fn remove(transaction: &mut Transaction, edge: &Edge) {
    transaction.delete(EDGE.one_of(&edge.listing_a, &edge.listing_b));
    transaction.delete(EDGE.one_of(&edge.listing_b, &edge.listing_a));
}

impl Store {
    /// Writes a weak edge between two listings, with a count of 0; false where there is one already.
    pub async fn seed_edge(&self, pair: (&ListingId, &ListingId), now: Moment) -> Result<bool> {
        let mut transaction = Transaction::default();
        write_both(&mut transaction, pair, SEED_INTENSITY, SEED_INTENSITY, now, |change, _| {
            change.if_absent()
        });
        self.commit(transaction).await
    }

    /// The edges that a new edge replaces, because a listing has as many as are stored: the weakest of each end.
    pub(super) async fn surplus_edges(
        &self,
        (one, other): (&ListingId, &ListingId),
        now: Moment,
    ) -> Result<Vec<Edge>> {
        let mut surplus = Vec::new();
        for (at, with) in [(one, other), (other, one)] {
            let of_listing = || Query::of(index_partition(at)).index(table::SHOWN);
            if self.count(of_listing()).await?.0 >= MAX_EDGES {
                let weakest = self.query(of_listing().limit(2)).await?.items;
                let mut weakest = weakest.iter().filter_map(|item| Edge::of_item(item, now));
                surplus.extend(weakest.find(|edge| edge.other(at) != with));
            }
        }
        Ok(surplus)
    }

    /// The edge of two listings, unless it has decayed completely. Contains the use that was just written.
    pub async fn edge(&self, (one, other): (&ListingId, &ListingId), now: Moment) -> Result<Option<Edge>> {
        let item = self.read(&edge_key(one, other)).await?;
        Ok(item.and_then(|item| Edge::of_item(&item, now)).filter(|edge| edge.intensity > 0.0))
    }

    pub async fn edges_of(&self, id: &ListingId, limit: usize, now: Moment) -> Result<Vec<Edge>> {
        let query = Query::of(index_partition(id)).index(table::SHOWN).descending().limit(limit);
        Ok(edges_left(&self.query(query).await?.items, now))
    }

    pub(super) async fn strongest_edge_keys(&self, limit: usize) -> Result<Vec<Key>> {
        let query = Query::of(ALL).index(table::DUE).descending().limit(limit);
        Ok(self.query(query).await?.items.iter().map(Key::of).collect())
    }
}

/// The edges of these items, without other items.
fn edges_left(items: &[Item], now: Moment) -> Vec<Edge> {
    above_threshold(items.iter().filter_map(|item| Edge::of_item(item, now)).collect())
}

/// The edges that have not decayed completely, the strongest first.
pub(super) fn above_threshold(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.retain(|edge| edge.intensity > 0.0);
    edges.sort_by(|one, other| other.intensity.total_cmp(&one.intensity));
    edges
}
