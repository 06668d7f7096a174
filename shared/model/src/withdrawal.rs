//! Withdrawn listings and blocked hosts. The operator or an owner decides about them. These decisions are
//! stored separately from the results of probes, so that no probe can undo them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostName, Moment, characters};

const MAX_LENGTH: usize = 300;

/// The reason of a withdrawal, in one line. It is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct PublicReason(String);

text_type!(
    PublicReason,
    InvalidReason,
    "not a public reason; write one line of 1 to 300 characters, without control characters and without @",
    |text: String| {
        let text = text.trim();
        let fits = (1..=MAX_LENGTH).contains(&text.chars().count());
        (fits && !text.contains(characters::is_control_or_direction) && !text.contains('@'))
            .then(|| text.to_owned())
    }
);

/// The withdrawal of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdrawal {
    /// The reason. It is public.
    pub reason: PublicReason,
    /// When it was withdrawn.
    pub at: Moment,
    /// The blocked host, if the listing was withdrawn because its host was blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub blocked_host: Option<HostName>,
    /// Whether the owner withdrew the listing. If true, the owner can restore it. If false, only the operator can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_owner: bool,
}

impl Withdrawal {
    /// Whether the operator withdrew this listing itself, which no other decision overrides.
    pub const fn is_final(&self) -> bool {
        self.blocked_host.is_none() && !self.by_owner
    }
}

/// A host at which nothing may be listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedHost {
    /// Its subdomains are blocked, too.
    pub host: HostName,
    pub reason: PublicReason,
    pub at: Moment,
}

/// All blocked hosts, by their reversed names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockedHosts(BTreeMap<String, BlockedHost>);

impl BlockedHosts {
    pub fn covering(&self, hosts: &[HostName]) -> Option<&BlockedHost> {
        // Only a host's own label prefixes can cover it, so look up one per label.
        hosts.iter().find_map(|host| {
            let reversed = host.reversed();
            let ends = reversed.match_indices('.').map(|(dot, _)| &reversed[..=dot]);
            ends.filter_map(|above| self.0.get(above)).find(|blocked| blocked.host.covers(host))
        })
    }
}

impl FromIterator<BlockedHost> for BlockedHosts {
    fn from_iter<I: IntoIterator<Item = BlockedHost>>(blocked: I) -> Self {
        Self(blocked.into_iter().map(|blocked| (blocked.host.reversed(), blocked)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withdrawal_reason_is_one_line_of_public_text() {
        assert_eq!(
            " Impersonates a bank. ".parse::<PublicReason>().unwrap().as_str(),
            "Impersonates a bank."
        );
        let long = "x".repeat(301);
        for text in ["", "  ", "two\nlines", "\u{202e}x", "ask jane@example.org", &long] {
            assert_eq!(text.parse::<PublicReason>(), Err(InvalidReason), "{text:?}");
        }
    }
}
