//! Which listing holds an endpoint. A listing that is Live or gated holds its endpoint and the URL of its card, so that no
//! other listing becomes Live there.

use std::collections::{BTreeSet, HashMap};

use percent_encoding::percent_decode_str;

use super::trails::{TRAIL, trail_of};
use crate::prelude::*;
use registry_model::{Amounts, sha256_hex};

pub(super) const ENDPOINT: KeyPattern = KeyPattern::new("ENDPOINT#", "HOLDER");

/// A query, a fragment, a slash at the end or twice, and an escaped letter lead to the same server, and with many servers
/// also a path parameter and another case: URLs that differ only in these are one endpoint.
pub(super) fn key_of(url: &str) -> Key {
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

fn holder_of(item: &Item) -> Option<ListingId> {
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
        let keys = vec![key_of(url), TRAIL.of(asking)];
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let holder = items.iter().find_map(holder_of);
        let trail = items.iter().find(|item| TRAIL.matches(item));
        let trail = trail.map(|item| trail_of(item, now).values).unwrap_or_default();
        Ok((holder.filter(|holder| holder != asking), trail))
    }

    /// The listings that hold these endpoints, by one batch read. Endpoints that no listing holds are left out.
    pub async fn endpoint_holders(&self, urls: &[String]) -> Result<HashMap<String, ListingId>> {
        let keys: BTreeSet<Key> = urls.iter().map(|url| key_of(url)).collect();
        let items = self.batch_get(keys.into_iter().collect(), Consistency::Strong).await?;
        let holder = |url: &String| {
            let key = key_of(url);
            let item = items.iter().find(|item| text(item, "pk") == key.pk)?;
            Some((url.clone(), holder_of(item)?))
        };
        Ok(urls.iter().filter_map(holder).collect())
    }

    pub async fn endpoint_holder(&self, url: &str, asking: &ListingId) -> Result<Option<ListingId>> {
        let holder = self.read(&key_of(url)).await?.as_ref().and_then(holder_of);
        Ok(holder.filter(|holder| holder != asking))
    }

    /// Releases the URL of a card that a listing holds no longer. A transaction would fail where another listing holds it.
    pub(super) async fn release_card(&self, before: &Listing, after: &Listing) {
        let ([endpoint, Some(card)], kept) = (held(before), held(after)) else { return };
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
fn held(listing: &Listing) -> [Option<Key>; 2] {
    let holds = listing.lane.is_proven() || listing.holds_endpoint;
    [&listing.endpoint, &listing.card_url].map(|url| url.as_deref().filter(|_| holds).map(key_of))
}

/// Takes the endpoint that a listing [holds](held), and releases the one that it holds no longer. Returns the write that takes
/// the new endpoint. The URL of its card leads to it, too, so that it is not published a second time by its card.
pub(super) fn hold_endpoint(
    transaction: &mut Transaction,
    before: &Listing,
    after: &Listing,
) -> Option<WriteId> {
    let ([old, old_card], [new, new_card]) = (held(before), held(after));
    // One item may be written only once in a transaction. `release_card` releases the old one.
    let is_free = |card: &Key| Some(card) != old.as_ref() && Some(card) != new.as_ref();
    if old_card != new_card
        && let Some(card) = new_card.filter(is_free)
    {
        // What another listing holds stays its own.
        transaction.update(card, Expression::default().set_once("listing_id", s(after.id.as_str())));
    }
    // Compared by key: one item may not be released and taken in one transaction.
    if old == new {
        return None;
    }
    let if_free_or_mine = |change: Expression| change.if_missing_or("listing_id", "=", s(after.id.as_str()));
    if let Some(old) = old {
        transaction.delete_if(old, if_free_or_mine(Expression::default()));
    }
    let take = Expression::default().set("listing_id", s(after.id.as_str()));
    Some(transaction.update(new?, if_free_or_mine(take)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_endpoint_have_one_key() {
        let key = key_of("https://a.example/x/mcp");
        for spelling in ["https://a.example//x/mcp/", "https://a.example/x/%6dcp?a=1"] {
            assert_eq!(key_of(spelling), key, "{spelling}");
        }
        assert_ne!(key_of("https://a.example/x%2Fmcp"), key, "an escaped slash divides nothing");
    }
}
