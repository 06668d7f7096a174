//! A listing as the table keeps it: small, so that it is cheap to write and to list. Everything that can be
//! derived from it (`take_demo`, `deal`, `next`) is derived when it is shown.

use serde::{Deserialize, Serialize};

use super::{Category, HostName, Kind, Lane, LastLeaf, ListingId, Withdrawal};
use crate::{DeclaredTransport, Handshake, Moment, NameHold, NameProof, Obstacle};

/// The core of a listing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// Its id.
    pub id: ListingId,
    /// Agent or MCP server; open until the first probe where only a site was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Display name; the id until a card or a publisher gives one.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name in its server description, such as `io.github.acme/weather`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// What proved that name; without it the name is only claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_proof: Option<NameProof>,
    /// Whether it goes by that name; absent where its id tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_hold: Option<NameHold>,
    /// Its own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it is filed under.
    pub category: Category,
    /// What is probed: a card URL, a site or an MCP endpoint; absent where there is nothing to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The transport that a server description declared.
    pub declared: DeclaredTransport,
    /// Why it cannot be asked at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
    /// A page about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    /// The URL of its card, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_url: Option<String>,
    /// The URL that answered the last handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Where it stands.
    pub lane: Lane,
    /// When it was first published.
    pub listed_at: Moment,
    /// When it went Live; absent while it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live_since: Option<Moment>,
    /// When a handshake was last `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ok_at: Option<Moment>,
    /// The latest assessed probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<LastProbe>,
    /// When it is asked next.
    pub due_at: Moment,
    /// Probes in a row that were not `ok`.
    #[serde(default)]
    pub failures: u32,
    /// Hours (since the epoch) in which a weekly recheck failed; three different ones demote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strikes: Vec<i64>,
    /// Since when every probe of it failed; absent once it was Live, and after it was published again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Moment>,
    /// Why and when it was withdrawn, where an operator did that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawal: Option<Withdrawal>,
    /// The leaf of the latest decision on it, where it was read together with its evidence.
    #[serde(skip)]
    pub last_leaf: Option<LastLeaf>,
    /// Whether it is found by its hosts. The store writes it with the pointers: listings of earlier versions have none
    /// until they are written again.
    #[serde(default, skip_serializing)]
    pub hosted: bool,
    /// The protocol version it spoke last: the next probe starts there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub era: Option<String>,
    /// SHA-256 over its tool list when it was last read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_hash: Option<String>,
    /// A hash over what it says of itself, so that search reads it anew only when that changes.
    #[serde(rename = "said", default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// It took its demo.
    #[serde(default)]
    pub demoed: bool,
    /// It gave its feedback.
    #[serde(default)]
    pub feedbacked: bool,
    /// When its inbox was last visited, to the hour; what was in it by then counts as read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visited_at: Option<Moment>,
    /// Claims for a probe since a verdict was last recorded: more than one where that process died or could not write.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// The mark of the process that is probing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// Until when (milliseconds since the epoch) the mark counts.
    #[serde(default)]
    pub lease_until: i64,
}

/// The latest assessed probe of a listing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastProbe {
    /// Its outcome.
    pub handshake: Handshake,
    /// 0 to 100.
    pub score: u8,
    /// When.
    pub at: Moment,
    /// What was asked.
    pub target: String,
    /// Milliseconds of the handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl Listing {
    /// A listing that has never been probed: queued, due now, its kind not known yet.
    #[must_use]
    pub fn new(id: ListingId, name: String, now: Moment) -> Self {
        Self {
            id,
            name,
            kind: None,
            description: None,
            server_name: None,
            name_proof: None,
            name_hold: None,
            version: None,
            category: Category::other(),
            url: None,
            declared: DeclaredTransport::Unknown,
            obstacle: None,
            website: None,
            card_url: None,
            endpoint: None,
            lane: Lane::Queued,
            listed_at: now,
            live_since: None,
            last_ok_at: None,
            probe: None,
            due_at: now,
            failures: 0,
            strikes: Vec::new(),
            failing_since: None,
            withdrawal: None,
            last_leaf: None,
            hosted: false,
            era: None,
            tools_hash: None,
            content_hash: None,
            demoed: false,
            feedbacked: false,
            visited_at: None,
            attempts: 0,
            lease: None,
            lease_until: 0,
        }
    }

    /// Whether it has a name from a server description that nothing proves.
    #[must_use]
    pub const fn is_name_claimed(&self) -> bool {
        self.server_name.is_some() && self.name_proof.is_none()
    }

    /// What is probed, or the page about it where there is nothing to ask.
    #[must_use]
    pub fn target(&self) -> &str {
        self.url.as_deref().or(self.website.as_deref()).unwrap_or_default()
    }

    /// The hosts that are asked for it, or answer for it, each once.
    #[must_use]
    pub fn hosts(&self) -> Vec<HostName> {
        let urls = [self.url.as_deref(), self.endpoint.as_deref(), self.card_url.as_deref()];
        let mut hosts: Vec<HostName> = urls.into_iter().flatten().filter_map(HostName::of_url).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    }

    /// The kind, as far as it is known: what only a card can tell counts as an agent until then.
    #[must_use]
    pub fn shown_kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Agent)
    }
}

impl Listing {
    /// Where it stands for a reader. A proof is good for one interval of the recheck: a listing whose last one is from
    /// before `oldest_proof` waits for the next, whatever its lane says, since a recheck may be late.
    #[must_use]
    pub fn shown_lane(&self, oldest_proof: Moment) -> Lane {
        let is_proven = self.last_ok_at.is_some_and(|at| at >= oldest_proof);
        if self.lane == Lane::Active && !is_proven { Lane::Queued } else { self.lane }
    }

    /// Whether it is Live: proven, and not before `oldest_proof`.
    #[must_use]
    pub fn is_live(&self, oldest_proof: Moment) -> bool {
        self.shown_lane(oldest_proof) == Lane::Active
    }

    /// The URL of its card, else of whatever answered for it.
    #[must_use]
    pub fn shown_card_url(&self) -> &str {
        self.card_url.as_deref().or(self.endpoint.as_deref()).unwrap_or_else(|| self.target())
    }

    /// A page about it, else the root of its own site.
    #[must_use]
    pub fn shown_website(&self) -> String {
        let own_site = || url::Url::parse(self.target()).ok().map(|url| url.origin().ascii_serialization());
        self.website.clone().or_else(own_site).unwrap_or_default()
    }

    /// Its place in the order of the Active list: when it went Live, then its id.
    #[must_use]
    pub fn shown_at(&self) -> String {
        format!("{:013}#{}", self.live_since.unwrap_or(self.listed_at).as_millisecond(), self.id)
    }
}
