//! The source of a deposit: who caused it. A digest of the source shows whether the same deposit is repeated. Another
//! check finds out whether the source is the listing itself. A source is not proven, so it is only used to count less.

use sha2::{Digest, Sha256};

use crate::prelude::*;
use registry_model::{HostName, hex};

/// A digest of a caller's digest, a listing and an action, so that it differs from listing to listing.
pub fn source_digest(caller_digest: &str, at: &ListingId, what: &str) -> String {
    let mut hash = Sha256::new();
    for part in [at.as_str(), "\n", what, "\n", caller_digest] {
        hash.update(part);
    }
    hex(&hash.finalize()[..12])
}

/// Whether `from` names the listing itself: its id, its name, or one of its domains.
pub fn is_itself(from: &str, listing: &Listing) -> bool {
    let from = folded(from);
    let names = [Some(listing.texts.name.as_str()), listing.ownership.server_name.as_deref()];
    if from == listing.id.as_str() || names.into_iter().flatten().any(|name| folded(name) == from) {
        return true;
    }
    // A URL, a bare host, or a path at a host.
    let bare = from.rsplit_once("://").map_or(from.as_str(), |(_, rest)| rest);
    let bare = bare.split(['/', '?', '#']).next().unwrap_or(bare);
    let Some(host) = HostName::of_url(&format!("https://{bare}/")) else { return false };
    let (host, hosts) = (host.as_str().to_owned(), listing.hosts());
    let under = |one: &str, other: &str| {
        other.contains('.')
            && one.strip_suffix(other).is_some_and(|front| front.is_empty() || front.ends_with('.'))
    };
    hosts.iter().map(HostName::as_str).any(|own| own == host || under(own, &host) || under(&host, own))
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
