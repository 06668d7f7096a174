//! The names of listings. A pointer leads from a name, folded for comparison, to each listing of that name. A listing with a
//! better right to the name sorts before the others, so that these do not hide it.

use super::listing_items::REVISION;
use super::search_index::mark_dirty;
use crate::prelude::*;
use registry_model::{NameHold, sha256_hex};

/// A pointer from a name to a listing.
pub(super) const NAME: KeyPattern = KeyPattern::new("NAME#", "");

const MAX_SAME_NAME: i32 = 25;

/// Why a listing goes before others of its name, the best reason first.
#[derive(Clone, Copy, Debug)]
pub(super) enum NameRank {
    /// Its publisher proved the name.
    Owned,
    /// Its URL is at the domain of the name.
    AtDomain,
    /// It is Live or gated.
    Shown,
}

impl Store {
    /// The listings of a name, by two reads.
    pub async fn listings_named(&self, name: &str) -> Result<Vec<Listing>> {
        let partition = partition(name);
        let items = self.query(Query::of(&*partition).strong().limit(MAX_SAME_NAME)).await?.items;
        let mut ids: Vec<ListingId> = Vec::new();
        for id in items.iter().filter_map(|item| text(item, "sk").rsplit('#').next()?.parse().ok()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let mut found = self.listings(&ids).await?;
        // Pointers of earlier versions may be to an earlier name.
        found.retain(|listing| pointers(listing).iter().any(|key| key.pk == partition));
        Ok(found)
    }
}

fn partition(name: &str) -> String {
    let folded: String = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    NAME.partition(if folded.len() <= 200 { folded } else { sha256_hex(&folded) })
}

pub(super) fn pointer(name: &str, id: &ListingId, rank: Option<NameRank>) -> Key {
    // Capitals sort before ids.
    let rank = match rank {
        Some(NameRank::Owned) => "OWNED#",
        Some(NameRank::AtDomain) => "PROVEN#",
        Some(NameRank::Shown) => "SHOWN#",
        None => "",
    };
    Key::new(partition(name), format!("{rank}{id}"))
}

/// The pointers by which a listing is found by name, without duplicates.
pub(super) fn pointers(listing: &Listing) -> Vec<Key> {
    let shown = listing.lane.is_proven().then_some(NameRank::Shown);
    let own = pointer(&listing.texts.name, &listing.id, shown);
    let Some(server_name) = &listing.ownership.server_name else { return vec![own] };
    let rank = listing.ownership.name_proof.map(|proof| match proof.how.is_of_publisher() {
        true => NameRank::Owned,
        false => NameRank::AtDomain,
    });
    let first = pointer(server_name, &listing.id, rank.or(shown));
    if first.pk == own.pk { vec![first] } else { vec![first, own] }
}

/// Moves the pointers from names to a listing where its names changed.
pub(super) fn rename(transaction: &mut Transaction, before: &Listing, after: &Listing) {
    transaction.replace_pointers(&pointers(before), &pointers(after));
}

/// Marks a name as yielded by a listing, because another listing proved it. The caller counts a new version of the active
/// list.
pub(super) fn yield_name(transaction: &mut Transaction, yielding: &Listing, now: Moment) -> Result<()> {
    let yielded = serde_dynamo::to_attribute_value(NameHold::Yielded)?;
    let change = Expression::default().set("name_hold", yielded).add(REVISION, 1).if_exists();
    transaction.update(LISTING.of(&yielding.id), change);
    mark_dirty(transaction, &yielding.id, now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_of_a_name_ignores_case_and_extra_spaces() {
        assert_eq!(partition("  Weather\t Bot "), partition("weather bot"));
        assert!(partition(&"x".repeat(5000)).len() < 100);
    }

    #[test]
    fn better_reasons_sort_first_in_a_name() {
        let id = ListingId::of_name(registry_model::Kind::Mcp, "a");
        let ranks = [NameRank::Owned, NameRank::AtDomain, NameRank::Shown].map(Some);
        let keys = ranks.into_iter().chain([None]).map(|rank| pointer("a", &id, rank));
        assert!(keys.is_sorted(), "a stranger's pointer hides a better one");
    }
}
