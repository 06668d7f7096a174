//! Reads all data that is needed to show trails, in one batch read: the trails, the pairs of listings used
//! together, and the totals. It also reads the listings themselves, so that no withdrawn listing is shown. Also removes all
//! trails and marks of one listing, for moderation. Trails need no other clean-up, because their decay is computed when they
//! are read.

use std::collections::{BTreeMap, BTreeSet};

use super::traces::{EDGE, Edge, MARK, edge_key, ends_of_edge, strongest_first, trace_source_key};
use super::trails::{
    Board, TRAIL_TOTALS, TrailTotals, listing_and_trail, trail_totals_key, trail_totals_keys,
};
use crate::prelude::*;
use registry_model::{Lane, Trail, TrailMark};

/// Entries read beyond the limit, to replace those whose listing was withdrawn.
const SPARE: usize = 8;
/// Items removed in one transaction, which allows 100 writes: an edge takes two, and the totals one.
const MAX_REMOVED: i32 = 45;
/// The maximum number of transactions of one call. If they are not enough, the call must be repeated.
const MAX_TRANSACTIONS: usize = 300;

#[derive(Clone, Debug, Default)]
pub struct TrailQuery<'a> {
    pub listings: Vec<&'a ListingId>,
    pub trails: Vec<&'a ListingId>,
    /// Two listings whose edge is read.
    pub pair: Option<(&'a ListingId, &'a ListingId)>,
    /// Whether a source recently deposited at a listing: the listing, the act, and the digests of the source.
    pub source: Option<(&'a ListingId, &'a str, &'a [String])>,
    pub with_totals: bool,
}

#[derive(Clone, Debug, Default)]
pub struct TrailFacts {
    pub listings: BTreeMap<ListingId, Listing>,
    /// Listings without deposits have none.
    pub trails: BTreeMap<ListingId, Trail>,
    /// In no order.
    pub edges: Vec<Edge>,
    /// Zero unless requested.
    pub totals: TrailTotals,
    /// The source recently deposited the same.
    pub is_repeated: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    pub marks: usize,
    pub compositions: usize,
    pub had_values: bool,
    /// There is more to remove.
    pub is_incomplete: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Landscape {
    /// The hottest trails, the strongest first.
    pub hot: Vec<(ListingId, Trail)>,
    /// The latest marks, the newest first.
    pub marks: Vec<TrailMark>,
    /// The listings, the edges (the strongest first) and the totals.
    pub found: TrailFacts,
}

impl Store {
    pub async fn trail_facts(&self, query: &TrailQuery<'_>, now: Moment) -> Result<TrailFacts> {
        let pair = query.pair.map(|(one, other)| edge_key(one, other));
        self.read_trails(query, pair.into_iter().collect(), now).await
    }

    async fn read_trails(&self, query: &TrailQuery<'_>, edges: Vec<Key>, now: Moment) -> Result<TrailFacts> {
        let listings = query.listings.iter().map(|id| LISTING.of(id));
        let trails = query.trails.iter().map(|id| TRAIL.of(id));
        let source = query.source.into_iter().flat_map(|(id, act, digests)| {
            digests.iter().map(move |digest| trace_source_key(id, act, digest))
        });
        let totals = trail_totals_keys().filter(|_| query.with_totals);
        // A batch may not contain a key twice.
        let keys: BTreeSet<Key> = listings.chain(trails).chain(edges).chain(source).chain(totals).collect();
        let items = self.batch_get(keys.into_iter().collect(), Consistency::Strong).await?;
        let mut found = TrailFacts::default();
        let mut shards = Vec::new();
        for item in items {
            let (pk, sk) = (text(&item, "pk"), text(&item, "sk"));
            if sk == LISTING.sort {
                let listing: Listing = serde_dynamo::from_item(item)?;
                if listing.lane != Lane::Withdrawn {
                    found.listings.insert(listing.id.clone(), listing);
                }
            } else if pk == TRAIL_TOTALS.prefix {
                shards.push(item);
            } else if sk == TRAIL.sort {
                found.trails.extend(listing_and_trail(&item, now));
            } else if sk.starts_with(EDGE.sort) {
                found.edges.extend(Edge::of_item(&item, now));
            } else {
                found.is_repeated |= number(&item, "until") > now.as_millisecond();
            }
        }
        found.totals = TrailTotals::of_items(&shards, now);
        Ok(found)
    }

    /// The hottest trails, the latest marks and the strongest edges, with their listings.
    pub async fn landscape(&self, limit: usize, now: Moment) -> Result<Landscape> {
        let (hot, marks, edges) = futures::try_join!(
            self.strongest_listings(Board::Hot, limit),
            self.latest_marks(limit, now),
            self.strongest_edge_keys(limit),
        )?;
        let ends: Vec<ListingId> = edges.iter().flat_map(ends_of_edge).collect();
        let listings = hot.iter().chain(marks.iter().map(|mark| &mark.listing_id)).chain(&ends).collect();
        let query =
            TrailQuery { listings, trails: hot.iter().collect(), with_totals: true, ..TrailQuery::default() };
        let mut found = self.read_trails(&query, edges, now).await?;
        found.edges = strongest_first(std::mem::take(&mut found.edges));
        let trail = |id: ListingId| Some((id.clone(), found.trails.get(&id)?.clone()));
        let mut hot: Vec<(ListingId, Trail)> = hot.into_iter().filter_map(trail).collect();
        hot.sort_by(|(_, one), (_, other)| other.values.attraction.total_cmp(&one.values.attraction));
        Ok(Landscape { hot, marks, found })
    }

    /// The trails of a board with their listings, the strongest first; withdrawn ones are left out.
    pub async fn board(&self, board: Board, limit: usize, now: Moment) -> Result<Vec<(Listing, Trail)>> {
        let ids = self.strongest_listings(board, limit + SPARE).await?;
        let query = TrailQuery {
            listings: ids.iter().collect(),
            trails: ids.iter().collect(),
            ..TrailQuery::default()
        };
        let TrailFacts { mut listings, mut trails, .. } = self.read_trails(&query, Vec::new(), now).await?;
        let row = |id: &ListingId| Some((listings.remove(id)?, trails.remove(id)?));
        let mut rows = board.ordered(ids.iter().filter_map(row));
        rows.truncate(limit);
        Ok(rows)
    }

    /// The strongest edges of listings that are not withdrawn, the strongest first.
    pub async fn composition_board(&self, limit: usize, now: Moment) -> Result<Vec<Edge>> {
        let edges = self.strongest_edge_keys(limit).await?;
        let ends: Vec<ListingId> = edges.iter().flat_map(ends_of_edge).collect();
        let query = TrailQuery { listings: ends.iter().collect(), ..TrailQuery::default() };
        let TrailFacts { listings, mut edges, .. } = self.read_trails(&query, edges, now).await?;
        edges.retain(|edge| listings.contains_key(&edge.listing_a) && listings.contains_key(&edge.listing_b));
        Ok(strongest_first(edges))
    }

    /// Removes the values, marks and edges of a listing. Recent sources stay stored, so that they cannot deposit the same
    /// again at once. After an error, repeat the call.
    pub async fn remove_trail(&self, id: &ListingId) -> Result<Removed> {
        let mut removed = Removed::default();
        for _ in 0..MAX_TRANSACTIONS {
            let query = TRAIL.query_of(id).limit(MAX_REMOVED).strong();
            let items = self.query(query).await?.items;
            if items.is_empty() {
                return Ok(removed);
            }
            self.remove_items(id, &items, &mut removed).await?;
        }
        Ok(Removed { is_incomplete: true, ..removed })
    }

    async fn remove_items(&self, id: &ListingId, items: &[Item], removed: &mut Removed) -> Result<()> {
        let mut transaction = Transaction::default();
        let mut used_pairs = 0;
        for item in items {
            let key = Key::of(item);
            if let Some(other) =
                key.sk.strip_prefix(EDGE.sort).and_then(|other| other.parse::<ListingId>().ok())
            {
                transaction.delete(EDGE.one_of(&other, id));
                removed.compositions += 1;
                // A pair that was only proposed is not in the totals.
                used_pairs += i64::from(number(item, "count") > 0);
            } else if key.sk.starts_with(MARK.sort) {
                removed.marks += 1;
            } else if key.sk == TRAIL.sort {
                removed.had_values = true;
            }
            transaction.delete(key);
        }
        transaction.update(trail_totals_key(id), Expression::default().add("compositions", -used_pairs));
        self.transact(transaction).await?;
        Ok(())
    }
}
