//! Compositions: which listings were used together, how often and how lately. Each stands at both of its listings, so that
//! one query reads those of a listing, the strongest first; the one at the first of the two also stands among all.

use super::attributes::{Item, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::deposit::{add_scaled, count_of, value_left};
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::table;
use super::trails::{listing_of, place_text};
use super::transaction::Transaction;
use registry_model::{Decay, ListingId, Moment};

/// All compositions by strength.
pub(super) const ALL: &str = "EDGES";
pub(super) const INTENSITY: &str = "intensity";

/// Two listings that were used together; `listing_a` is the first in the order of ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The first.
    pub listing_a: ListingId,
    /// The second.
    pub listing_b: ListingId,
    /// How often.
    pub count: u32,
    /// How strong it is: it decays with the half-life of marks.
    pub intensity: f64,
    /// When they were last used together.
    pub last_at: Moment,
}

impl Edge {
    /// The other of its two listings.
    #[must_use]
    pub fn other(&self, one: &ListingId) -> &ListingId {
        if self.listing_a == *one { &self.listing_b } else { &self.listing_a }
    }

    fn of_item(item: &Item, now: Moment) -> Option<Self> {
        let (at, with) = ends(item)?;
        let (listing_a, listing_b) = ordered(at, with);
        Some(Self {
            listing_a,
            listing_b,
            count: count_of(item, "count"),
            intensity: value_left(item, INTENSITY, Decay::MARK, now),
            last_at: text(item, "last_at").parse().ok()?,
        })
    }
}

fn ends(item: &Item) -> Option<(ListingId, ListingId)> {
    Some((listing_of(item)?, text(item, "sk").strip_prefix(keys::EDGE_WITH)?.parse().ok()?))
}

pub(super) fn ordered(one: ListingId, other: ListingId) -> (ListingId, ListingId) {
    if one.as_str() <= other.as_str() { (one, other) } else { (other, one) }
}

pub(super) fn edges_of(id: &ListingId) -> String {
    format!("EDGES#{id}")
}

/// The item at the first of two listings, which stands among all.
pub(super) fn edge_key(one: &ListingId, other: &ListingId) -> Key {
    let (a, b) = ordered(one.clone(), other.clone());
    keys::edge(&a, &b)
}

pub(super) fn edge_of(item: &Item, now: Moment) -> Option<Edge> {
    Edge::of_item(item, now)
}

impl Store {
    /// Counts that two listings were used together, as a part of a transaction. `known` is what was read of it before;
    /// where there was nothing it is counted as a new composition, and the transaction is refused if that is no longer so.
    /// Gives the position of the write that is refused then.
    pub(super) fn strengthen(
        &self,
        transaction: &mut Transaction,
        (one, other): (&ListingId, &ListingId),
        by: f64,
        known: Option<&Edge>,
        now: Moment,
    ) -> Result<usize, StoreError> {
        let (a, b) = ordered(one.clone(), other.clone());
        let strength = known.map_or(0.0, |edge| edge.intensity) + by;
        let place = s(place_text(Decay::MARK.place(strength, now).unwrap_or(0.0)));
        let change = |at: &ListingId| {
            let [pk, sk] = table::SHOWN.key;
            add_scaled(Expression::default(), INTENSITY, Decay::MARK, by, now)
                .add("count", 1)
                .set("last_at", s(now.to_string()))
                .set(pk, s(edges_of(at)))
                .set(sk, place.clone())
        };
        let [pk, sk] = table::DUE.key;
        let first = change(&a).set(pk, s(ALL)).set(sk, place.clone());
        let first = if known.is_none() { first.only_if("attribute_not_exists(pk)", [], []) } else { first };
        let position = transaction.len();
        self.update(transaction, &keys::edge(&a, &b), &first)?;
        self.update(transaction, &keys::edge(&b, &a), &change(&b))?;
        Ok(position)
    }

    /// With which listings one was used, the strongest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn edges_of(&self, id: &ListingId, limit: usize, now: Moment) -> Result<Vec<Edge>, StoreError> {
        let [pk, _] = table::SHOWN.key;
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::SHOWN.name)
            .key_condition_expression(format!("{pk} = :edges"))
            .expression_attribute_values(":edges", s(edges_of(id)))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50))
            .send()
            .await?;
        Ok(audible(
            answer.items.unwrap_or_default().iter().filter_map(|item| Edge::of_item(item, now)).collect(),
        ))
    }

    /// Where the strongest of all compositions stand, by one query of an index of keys.
    pub(super) async fn strongest_edge_keys(&self, limit: usize) -> Result<Vec<Key>, StoreError> {
        let [pk, _] = table::DUE.key;
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::DUE.name)
            .key_condition_expression(format!("{pk} = :all"))
            .expression_attribute_values(":all", s(ALL))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50))
            .send()
            .await?;
        let key = |item: &Item| Key::new(text(item, "pk"), text(item, "sk"));
        Ok(answer.items.unwrap_or_default().iter().map(key).collect())
    }

    /// The strongest of all compositions, the strongest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn strongest_edges(&self, limit: usize, now: Moment) -> Result<Vec<Edge>, StoreError> {
        let keys = self.strongest_edge_keys(limit).await?;
        let items = self.batch_get(keys.iter().map(Key::item).collect(), Consistency::Eventual).await?;
        Ok(audible(items.iter().filter_map(|item| Edge::of_item(item, now)).collect()))
    }
}

/// Those of which anything is left, the strongest first.
pub(super) fn audible(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.retain(|edge| edge.intensity > 0.0);
    edges.sort_by(|one, other| other.intensity.total_cmp(&one.intensity));
    edges
}

/// The other listing of a composition, by the key of its item at the first; `None` for any other item.
pub(super) fn other_end(key: &Key) -> Option<ListingId> {
    key.sk.strip_prefix(keys::EDGE_WITH)?.parse().ok()
}
