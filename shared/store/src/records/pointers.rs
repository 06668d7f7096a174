//! The small items that point to a listing: from its endpoint, its names and its hosts. A transaction that changes a listing also
//! updates these items.
//!
//! A listing that is Live or gated holds its endpoint and the URL of its card, so that no other listing becomes Live there. A
//! name, folded for comparison, leads to each listing of that name. A listing with a better right to the name sorts before
//! the others, so that these do not hide it.

use std::collections::{BTreeSet, HashMap};

use percent_encoding::percent_decode_str;

use super::listings::REVISION;
use super::trails::{TRAIL, trail_of};
use crate::prelude::*;
use registry_model::{Amounts, HostName, Lane, NameHold, sha256_hex};

pub(super) const ENDPOINT: KeyPattern = KeyPattern::new("ENDPOINT#", "HOLDER");

/// A query, a fragment, a slash at the end or twice, and an escaped letter lead to the same server, and with many servers
/// also a path parameter and another case: URLs that differ only in these are one endpoint.
pub(super) fn endpoint_key(url: &str) -> Key {
    let bare = url.split(['?', '#']).next().unwrap_or(url);
    // An escaped slash divides nothing.
    let bare = bare.replace("%2F", "%252F").replace("%2f", "%252F");
    let bare = percent_decode_str(&bare).decode_utf8_lossy();
    let (scheme, rest) = bare.split_once("://").unwrap_or_default();
    let parts = rest.split('/').map(|part| part.split(';').next().unwrap_or(part).trim());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let normal = format!("{scheme}://{}", parts.join("/")).to_lowercase();
    ENDPOINT.of(sha256_hex(normal))
}

fn endpoint_holder_in(item: &Item) -> Option<ListingId> {
    text(item, "listing_id").parse().ok()
}

impl Store {
    /// The other listing that has this endpoint, and the values of the trail of `asking`, by one read.
    pub async fn endpoint_holder_and_trail(
        &self,
        url: &str,
        asking: &ListingId,
        now: Moment,
    ) -> Result<(Option<ListingId>, Amounts)> {
        let keys = vec![endpoint_key(url), TRAIL.of(asking)];
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let holder = items.iter().find_map(endpoint_holder_in);
        let trail = items.iter().find(|item| TRAIL.matches(item));
        let trail = trail.map(|item| trail_of(item, now).values).unwrap_or_default();
        Ok((holder.filter(|holder| holder != asking), trail))
    }

    /// The listings that hold these endpoints, by one batch read. Endpoints that no listing holds are left out.
    pub async fn endpoint_holders(&self, urls: &[String]) -> Result<HashMap<String, ListingId>> {
        let keys: BTreeSet<Key> = urls.iter().map(|url| endpoint_key(url)).collect();
        let items = self.batch_get(keys.into_iter().collect(), Consistency::Strong).await?;
        let holder = |url: &String| {
            let key = endpoint_key(url);
            let item = items.iter().find(|item| text(item, "pk") == key.pk)?;
            Some((url.clone(), endpoint_holder_in(item)?))
        };
        Ok(urls.iter().filter_map(holder).collect())
    }

    pub async fn endpoint_holder(&self, url: &str, asking: &ListingId) -> Result<Option<ListingId>> {
        let holder = self.read(&endpoint_key(url)).await?.as_ref().and_then(endpoint_holder_in);
        Ok(holder.filter(|holder| holder != asking))
    }

    /// Releases the URL of a card that a listing holds no longer. A transaction would fail where another listing holds it.
    pub(super) async fn release_card(&self, before: &Listing, after: &Listing) {
        let ([endpoint, Some(card)], kept) = (held_endpoints(before), held_endpoints(after)) else { return };
        if endpoint.iter().chain(kept.iter().flatten()).any(|other| *other == card) {
            return;
        }
        let mut release = Transaction::default();
        release.delete_if(card, Expression::default().if_equal("listing_id", s(before.id.as_str())));
        if let Err(error) = self.commit(release).await {
            tracing::warn!(listing_id = %before.id, error = chain(&error), "the URL of a card could not be released");
        }
    }
}

/// What a listing holds that is Live or gated, or was when its owner withdrew it: its endpoint, and the URL of its card.
fn held_endpoints(listing: &Listing) -> [Option<Key>; 2] {
    let holds = listing.lane.is_proven() || listing.holds_endpoint;
    [&listing.endpoint, &listing.card_url].map(|url| url.as_deref().filter(|_| holds).map(endpoint_key))
}

impl Transaction {
    /// Takes the endpoint that a listing [holds](held_endpoints), and releases the one that it holds no longer. Returns the
    /// write that takes the new endpoint. The URL of its card leads to it, too, so that it is not published a second time by
    /// its card.
    pub(super) fn hold_endpoint(&mut self, before: &Listing, after: &Listing) -> Option<WriteId> {
        let ([old, old_card], [new, new_card]) = (held_endpoints(before), held_endpoints(after));
        // One item may be written only once in a transaction. `release_card` releases the old one.
        let is_free = |card: &Key| Some(card) != old.as_ref() && Some(card) != new.as_ref();
        if old_card != new_card
            && let Some(card) = new_card.filter(is_free)
        {
            // What another listing holds stays its own.
            self.update(card, Expression::default().set_once("listing_id", s(after.id.as_str())));
        }
        // Compared by key: one item may not be released and taken in one transaction.
        if old == new {
            return None;
        }
        let if_free_or_mine =
            |change: Expression| change.if_missing_or("listing_id", "=", s(after.id.as_str()));
        if let Some(old) = old {
            self.delete_if(old, if_free_or_mine(Expression::default()));
        }
        let take = Expression::default().set("listing_id", s(after.id.as_str()));
        Some(self.update(new?, if_free_or_mine(take)))
    }
}

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
        let partition = name_partition(name);
        let items = self.query(Query::of(&*partition).strong().limit(MAX_SAME_NAME)).await?.items;
        let mut ids: Vec<ListingId> = Vec::new();
        for id in items.iter().filter_map(|item| text(item, "sk").rsplit('#').next()?.parse().ok()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let mut found = self.listings(&ids).await?;
        // Pointers of earlier versions may be to an earlier name.
        found.retain(|listing| name_pointers(listing).iter().any(|key| key.pk == partition));
        Ok(found)
    }
}

fn name_partition(name: &str) -> String {
    let folded: String = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    NAME.partition(if folded.len() <= 200 { folded } else { sha256_hex(&folded) })
}

pub(super) fn name_pointer(name: &str, id: &ListingId, rank: Option<NameRank>) -> Key {
    // Capitals sort before ids.
    let rank = match rank {
        Some(NameRank::Owned) => "OWNED#",
        Some(NameRank::AtDomain) => "PROVEN#",
        Some(NameRank::Shown) => "SHOWN#",
        None => "",
    };
    Key::new(name_partition(name), format!("{rank}{id}"))
}

/// The pointers by which a listing is found by name, without duplicates.
fn name_pointers(listing: &Listing) -> Vec<Key> {
    let shown = listing.lane.is_proven().then_some(NameRank::Shown);
    let own = name_pointer(&listing.texts.name, &listing.id, shown);
    let Some(server_name) = &listing.ownership.server_name else { return vec![own] };
    let rank = listing.ownership.name_proof.map(|proof| match proof.how.is_of_publisher() {
        true => NameRank::Owned,
        false => NameRank::AtDomain,
    });
    let first = name_pointer(server_name, &listing.id, rank.or(shown));
    if first.pk == own.pk { vec![first] } else { vec![first, own] }
}

impl Transaction {
    /// Marks a name as yielded by a listing, because another listing proved it. The caller counts a new version of the active
    /// list.
    pub(super) fn yield_name(&mut self, yielding: &Listing, now: Moment) -> Result<()> {
        let yielded = serde_dynamo::to_attribute_value(NameHold::Yielded)?;
        let change = Expression::default().set("name_hold", yielded).add(REVISION, 1).if_exists();
        self.update(LISTING.of(&yielding.id), change);
        self.mark_dirty(&yielding.id, now);
        Ok(())
    }
}

/// A pointer from a host to a listing there. Within a zone, hosts sort by their reversed names, so that one query finds
/// the listings at a host and its subdomains.
pub(super) const HOST_LISTED: KeyPattern = KeyPattern::new("HOST#", "LISTED#");
pub(super) const HOST_WITHDRAWN: KeyPattern = KeyPattern::new("HOST#", "BLOCKED#");

/// Why a host points to a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPointer {
    Listed,
    /// It was withdrawn when its host was blocked.
    Blocked,
}

impl HostPointer {
    /// The beginning of the keys of a host's pointers and of those of its subdomains.
    fn first_key(self, host: &HostName) -> Key {
        let pattern = match self {
            Self::Listed => HOST_LISTED,
            Self::Blocked => HOST_WITHDRAWN,
        };
        pattern.one_of(host.zone(), key::bounded(&host.reversed()))
    }

    fn query(self, host: &HostName) -> Query {
        let Key { pk, sk } = self.first_key(host);
        Query::of(pk).range(Range::Prefix(sk)).strong()
    }
}

impl Store {
    /// Some listings at a host and its subdomains, at most `limit`.
    pub async fn listings_at(&self, host: &HostName, why: HostPointer, limit: i32) -> Result<Vec<ListingId>> {
        let pointers = self.query(why.query(host).limit(limit)).await?.items;
        let id = |sk: &str| sk.rsplit_once('#').and_then(|(_, id)| id.parse().ok());
        // A listing has two pointers if its card and its endpoint are at different names under the host.
        let ids: BTreeSet<ListingId> = pointers.iter().filter_map(|item| id(text(item, "sk"))).collect();
        Ok(ids.into_iter().collect())
    }

    /// How many pointers there are to listings at a host and its subdomains, counted up to one page (1 MB).
    pub async fn count_listings_at(&self, host: &HostName, why: HostPointer) -> Result<u32> {
        Ok(self.count(why.query(host)).await?.0)
    }
}

/// The pointers to a listing from its hosts; none to one that was withdrawn for another reason than its host.
fn host_pointers(listing: &Listing) -> Vec<Key> {
    let pointer = match (listing.lane, &listing.withdrawal) {
        (Lane::Withdrawn, Some(withdrawal)) if withdrawal.blocked_host.is_some() => HostPointer::Blocked,
        (Lane::Withdrawn, _) => return Vec::new(),
        _ => HostPointer::Listed,
    };
    let key = |host: &HostName| {
        let Key { pk, sk } = pointer.first_key(host);
        Key::new(pk, format!("{sk}#{}", listing.id))
    };
    listing.hosts().iter().map(key).collect()
}

impl Transaction {
    /// Moves the pointers to a listing from its names and hosts where these or its state changed. Everything that writes the
    /// item of a listing calls this, too: the item's `hosted` means that the pointers from its hosts exist. Listings of
    /// earlier versions have none.
    pub(super) fn move_pointers(&mut self, before: Option<&Listing>, after: Option<&Listing>) {
        let mut stored = before.map(name_pointers).unwrap_or_default();
        stored.extend(before.filter(|before| before.hosted).map(host_pointers).unwrap_or_default());
        let mut new = after.map(name_pointers).unwrap_or_default();
        new.extend(after.map(host_pointers).unwrap_or_default());
        for removed in stored.iter().filter(|key| !new.contains(key)) {
            self.delete(removed.clone());
        }
        for added in new.iter().filter(|key| !stored.contains(key)) {
            self.put(added.item());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_endpoint_have_one_key() {
        let key = endpoint_key("https://a.example/x/mcp");
        for spelling in ["https://a.example//x/mcp/", "https://a.example/x/%6dcp?a=1"] {
            assert_eq!(endpoint_key(spelling), key, "{spelling}");
        }
        assert_ne!(endpoint_key("https://a.example/x%2Fmcp"), key, "an escaped slash divides nothing");
    }

    #[test]
    fn key_of_a_name_ignores_case_and_extra_spaces() {
        assert_eq!(name_partition("  Weather\t Bot "), name_partition("weather bot"));
        assert!(name_partition(&"x".repeat(5000)).len() < 100);
    }

    #[test]
    fn better_reasons_sort_first_in_a_name() {
        let id = ListingId::of_name(registry_model::Kind::Mcp, "a");
        let ranks = [NameRank::Owned, NameRank::AtDomain, NameRank::Shown].map(Some);
        let keys = ranks.into_iter().chain([None]).map(|rank| name_pointer("a", &id, rank));
        assert!(keys.is_sorted(), "a stranger's pointer hides a better one");
    }
}
