//! Why a listing was taken off, and which hosts are not listed at all: what an operator decides, apart from what probes
//! find, so that no probe can undo it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HostName, Moment};

/// The longest reason, in characters.
const LONGEST: usize = 300;

/// Why something was taken off, in one line that everybody may read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct PublicReason(String);

/// A text that is no reason to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a reason: give one line of 1 to 300 characters without control characters and without an address of a person; \
     everybody may read it"
)]
pub struct InvalidReason;

impl PublicReason {
    /// The reason as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PublicReason {
    type Error = InvalidReason;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let text = text.trim();
        let unseen = |c: char| {
            c.is_control()
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let sound =
            (1..=LONGEST).contains(&text.chars().count()) && !text.contains(unseen) && !text.contains('@');
        if sound { Ok(Self(text.to_owned())) } else { Err(InvalidReason) }
    }
}

impl From<PublicReason> for String {
    fn from(reason: PublicReason) -> Self {
        reason.0
    }
}

impl std::str::FromStr for PublicReason {
    type Err = InvalidReason;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

/// That a listing was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdrawal {
    /// Why.
    pub reason: PublicReason,
    /// When.
    pub at: Moment,
    /// The blocked host, where it was withdrawn with all that is listed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub blocked_host: Option<HostName>,
    /// Whether its own owner did it, who may undo it; else only the operator may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_owner: bool,
}

impl Withdrawal {
    /// Whether it is the operator's word on this listing itself, over which no other is put.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        self.blocked_host.is_none() && !self.by_owner
    }
}

/// A host of which nothing is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedHost {
    /// The host; all that lies under it is blocked, too.
    pub host: HostName,
    /// Why.
    pub reason: PublicReason,
    /// Since when.
    pub at: Moment,
}

/// All hosts of which nothing is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockedHosts(BTreeMap<String, BlockedHost>);

impl BlockedHosts {
    /// The block under which any of these hosts falls.
    #[must_use]
    pub fn covering(&self, hosts: &[HostName]) -> Option<&BlockedHost> {
        // Of the names before a host in this order, only its own beginnings cover it: one for each of its labels.
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
    fn a_reason_is_one_line_that_everybody_may_read() {
        assert_eq!(
            " Impersonates a bank. ".parse::<PublicReason>().unwrap().as_str(),
            "Impersonates a bank."
        );
        let long = "x".repeat(301);
        for text in ["", "  ", "two\nlines", "\u{202e}x", "ask jane@example.org", &long] {
            assert_eq!(text.parse::<PublicReason>(), Err(InvalidReason), "{text:?}");
        }
    }

    #[test]
    fn a_block_covers_what_lies_under_its_host() {
        let block = |host: &str| BlockedHost {
            host: host.parse().unwrap(),
            reason: "Spam.".parse().unwrap(),
            at: Moment::UNIX_EPOCH,
        };
        let blocked: BlockedHosts = [block("evil.example.org"), block("127.0.0.1")].into_iter().collect();
        let falls = |host: &str| {
            blocked.covering(&["a.example.com".parse().unwrap(), host.parse().unwrap()]).is_some()
        };
        assert!(falls("evil.example.org") && falls("a.evil.example.org") && falls("127.0.0.1"));
        assert!(!falls("example.org") && !falls("notevil.example.org") && !falls("127.0.0.2"));
        assert_eq!(BlockedHosts::default().covering(&["a.example.org".parse().unwrap()]), None);
    }
}
