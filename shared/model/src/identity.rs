//! A key or DID that is bound to the domain of a listing: what was proven, how and when. It says who speaks for the
//! domain, and nothing of how good a listing is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostName, KeySource, Listing, Moment, PublicJwk};

/// What was proven of a listing's domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The domain that made the key known: the listing's host, or the domain that it was registered under.
    #[schemars(with = "String")]
    pub proven_domain: HostName,
    /// Where the domain made the key known.
    pub method: KeySource,
    /// When the key signed a challenge of this registry.
    pub at: Moment,
    /// The key.
    pub public_jwk: PublicJwk,
    /// Its thumbprint (RFC 7638).
    pub thumbprint: String,
    /// The DID of the key, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub did: Option<String>,
}

impl Identity {
    /// Whether it is of this listing as it stands now: one that moved to another host has another owner, perhaps.
    #[must_use]
    pub fn is_of(&self, listing: &Listing) -> bool {
        own_hosts(listing).iter().any(|host| self.proven_domain.covers(host))
    }
}

/// The hosts that a listing is asked at, or, where there is nothing to ask, the domain that its name reverses.
fn own_hosts(listing: &Listing) -> Vec<HostName> {
    let asked = listing.url.as_deref().and_then(HostName::of_url);
    let named = || listing.server_name.as_deref().and_then(HostName::of_server_name);
    asked.or_else(named).into_iter().collect()
}
