//! A listing as the table stores it. The stored form is small, so that it is cheap to write and to list. Values that
//! can be computed from its fields (`take_demo`, `deal`, `next`) are computed when the listing is shown.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::{
    Access, Availability, Category, DeclaredTransport, Handshake, HostName, Kind, Lane, LastLeaf, ListingId,
    Moment, NameHold, names_mcp_endpoint, registrable_domain,
};
use super::{NameProof, Obstacle, ProbeHistory, Reason, Withdrawal};

/// A probe that starts at once has ended after this time, unless the probe budget is used up.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    pub id: ListingId,
    /// Unknown until the first probe if only the URL of a site was published.
    pub kind: Option<Kind>,
    #[serde(flatten)]
    pub texts: Texts,
    #[serde(flatten)]
    pub ownership: Ownership,
    #[serde(flatten)]
    pub proof: Proof,
    #[serde(flatten)]
    pub schedule: Schedule,
    /// What is probed: a card URL, a site or an MCP endpoint; absent if nothing can be probed.
    pub url: Option<String>,
    /// The transport that a server description declared.
    pub declared: DeclaredTransport,
    pub obstacle: Option<Obstacle>,
    pub card_url: Option<String>,
    /// The URL that answered the last handshake.
    pub endpoint: Option<String>,
    pub lane: Lane,
    pub listed_at: Moment,
    /// Why and when the operator or the owner withdrew the listing.
    pub withdrawal: Option<Withdrawal>,
    /// Its owner withdrew it while it was Live or gated: no other listing takes its endpoint until it is restored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub holds_endpoint: bool,
    /// The log entry of the latest decision about the listing, if it was read together with the evidence.
    #[serde(skip)]
    pub last_leaf: Option<LastLeaf>,
    /// Whether the table has items that point from the listing's hosts to the listing. The store writes this field with
    /// these items; listings of earlier versions have none.
    #[serde(default, skip_serializing)]
    pub hosted: bool,
    /// Counts the changes of the listing by its owner, the operator and probes. The store writes this field and requires
    /// that it is as it was read; 0 where the listing has not changed, or was written by an earlier version.
    #[serde(default, skip_serializing)]
    pub revision: u64,
    #[serde(default)]
    pub demoed: bool,
    #[serde(default)]
    pub feedbacked: bool,
    /// The last visit to its inbox or message in its name, to the hour.
    pub visited_at: Option<Moment>,
    /// The last read of its inbox, to the hour; older messages count as read.
    pub read_at: Option<Moment>,
}

/// What it says about itself, of its card, its server or its server description.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Texts {
    /// Display name. It is the id until a card or a publisher gives a name.
    pub name: String,
    pub description: Option<String>,
    pub version: Option<String>,
    pub category: Category,
    pub website: Option<String>,
    /// A hash over its own texts; search reads them again only when it changes.
    #[serde(rename = "said")]
    pub content_hash: Option<String>,
}

/// Its server name and who has proven what about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ownership {
    /// The name in its server description, such as `io.github.acme/weather`.
    pub server_name: Option<String>,
    /// The proof of that name. Without a proof, the name is only claimed.
    pub name_proof: Option<NameProof>,
    /// Whether the listing has the right to that name; absent if the id of the listing shows it.
    pub name_hold: Option<NameHold>,
    /// Whether an owner described a listing that was published by its URL. Otherwise its server name is only attached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub described: bool,
    /// The domain whose key was last bound to it. It counts while the listing is there, see [`Listing::valid_domain`].
    pub proven_domain: Option<HostName>,
}

/// What the probes have shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// Absent while the listing is not Live.
    pub live_since: Option<Moment>,
    pub last_ok_at: Option<Moment>,
    /// When a probe last proved the sign-in that the listing asks for. Absent if the last proof needed no sign-in.
    pub sign_in_at: Option<Moment>,
    /// The last `ok` handshake in which every part was done, for an agent also the message.
    pub whole_ok_at: Option<Moment>,
    /// The last probe that began while it was Live, and the last of these that passed. A withdrawal keeps both: a listing
    /// counts once in the statistics of a week.
    pub rechecked_at: Option<Moment>,
    pub still_ok_at: Option<Moment>,
    pub probe: Option<LastProbe>,
    /// The first reason of the last probe of a Live or gated listing that failed. Its evidence is still that of its proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Reason>,
    #[serde(default, skip_serializing_if = "ProbeHistory::is_empty")]
    pub history: ProbeHistory,
    /// The protocol version of its last answer; the next probe starts with it.
    pub era: Option<String>,
    /// The hash of its tool set when that was last read.
    pub tools_hash: Option<String>,
    /// The hash of the tool set that is stored with whole definitions.
    #[serde(rename = "kept_tools")]
    pub stored_tools: Option<String>,
    /// A hash over the resources, resource templates and prompts that are stored.
    #[serde(rename = "kept_contents")]
    pub stored_contents: Option<String>,
}

/// When it is probed, and what failed since the last proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    pub due_at: Moment,
    /// Probes in a row that were not `ok`.
    #[serde(default)]
    pub failures: u32,
    /// Hours (since the epoch) in which a weekly recheck failed. Failures in three different hours demote the listing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strikes: Vec<i64>,
    /// The first of the probes in a row that failed; absent if the last probe passed or had nothing to ask.
    pub failing_since: Option<Moment>,
    /// Its owner or the operator requested a probe: the pause between two probes does not apply to the next one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
    /// When it was last probed, in milliseconds since the epoch; 0 if it was never probed. The store writes this field.
    #[serde(default, skip_serializing)]
    pub asked_at: i64,
    /// When a probe was last requested although it was not Live: it was published again, or its owner asked.
    pub probe_requested_at: Option<Moment>,
    #[serde(flatten)]
    pub lease: Lease,
}

/// The claim of the process that is probing it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// Claims for a probe since a verdict was last recorded; more than one where that process died or could not write.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub attempts: u32,
    #[serde(rename = "lease")]
    pub token: Option<String>,
    /// Until when it is valid, in milliseconds since the epoch.
    #[serde(rename = "lease_until", default)]
    pub until: i64,
}

impl Schedule {
    /// Never probed, and due at this time.
    pub const fn due(at: Moment) -> Self {
        Self {
            due_at: at,
            failures: 0,
            strikes: Vec::new(),
            failing_since: None,
            at_once: false,
            asked_at: 0,
            probe_requested_at: None,
            lease: Lease { attempts: 0, token: None, until: 0 },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastProbe {
    pub handshake: Handshake,
    /// 0 to 100.
    pub score: u8,
    pub at: Moment,
    pub target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u32>,
}

impl Listing {
    /// A listing that has never been probed: queued, due now, of unknown kind.
    pub fn new(id: ListingId, name: String, now: Moment) -> Self {
        Self {
            id,
            kind: None,
            texts: Texts { name, ..Texts::default() },
            ownership: Ownership::default(),
            proof: Proof::default(),
            schedule: Schedule::due(now),
            url: None,
            declared: DeclaredTransport::Unknown,
            obstacle: None,
            card_url: None,
            endpoint: None,
            lane: Lane::Queued,
            listed_at: now,
            withdrawal: None,
            holds_endpoint: false,
            last_leaf: None,
            hosted: false,
            revision: 0,
            demoed: false,
            feedbacked: false,
            visited_at: None,
            read_at: None,
        }
    }

    /// Whether its name and texts are those of a server description, and not those of the server.
    pub fn is_described(&self) -> bool {
        let is_by_url = self.id.as_str().starts_with("agtpub_");
        self.ownership.server_name.is_some() && (self.ownership.described || !is_by_url)
    }

    /// Whether it is described under this server name.
    pub fn is_described_as(&self, name: &str) -> bool {
        self.is_described() && self.ownership.server_name.as_deref() == Some(name)
    }

    /// Whether its publisher has proven its server name.
    pub const fn has_proven_name(&self) -> bool {
        matches!(self.ownership.name_proof, Some(proof) if proof.how.is_of_publisher())
    }

    /// Whether its name is proven, and no later proof gave it to another listing.
    pub fn holds_proven_name(&self) -> bool {
        self.has_proven_name() && self.ownership.name_hold != Some(NameHold::Yielded)
    }

    /// Whether it has a server name that nothing supports, not even the domain of its URL.
    pub const fn is_name_claimed(&self) -> bool {
        self.ownership.server_name.is_some() && self.ownership.name_proof.is_none()
    }

    /// The host of the URL; without a URL, the domain in the server name.
    pub fn own_host(&self) -> Option<HostName> {
        let of_url = self.url.as_deref().and_then(HostName::of_url);
        of_url.or_else(|| self.ownership.server_name.as_deref().and_then(HostName::of_server_name))
    }

    /// The proven domain; `None` if the listing moved to another domain, which may have another owner.
    pub fn valid_domain(&self) -> Option<&HostName> {
        let host = self.own_host()?;
        self.ownership.proven_domain.as_ref().filter(|domain| domain.covers(&host))
    }

    /// What is probed, else the page about it.
    pub fn target(&self) -> &str {
        self.url.as_deref().or(self.texts.website.as_deref()).unwrap_or_default()
    }

    /// The field and the URL that publish it again; `None` if it needs its server description. `url` may find another kind.
    pub fn published_url(&self) -> Option<(&'static str, String)> {
        let field = if self.kind == Some(Kind::Mcp) { "mcp_url" } else { "url" };
        Some((field, self.target().to_owned())).filter(|(_, url)| !self.is_described() && !url.is_empty())
    }

    /// The hosts of its URLs, without duplicates.
    pub fn hosts(&self) -> Vec<HostName> {
        let urls = [self.url.as_deref(), self.endpoint.as_deref(), self.card_url.as_deref()];
        let mut hosts: Vec<HostName> = urls.into_iter().flatten().filter_map(HostName::of_url).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    }

    /// The kind. Before a probe has found it, the URL says which kind is meant.
    pub fn likely_kind(&self) -> Kind {
        let of_url = if names_mcp_endpoint(self.target()) { Kind::Mcp } else { Kind::Agent };
        self.kind.unwrap_or(of_url)
    }

    pub fn checked_at(&self) -> Moment {
        self.proof.probe.as_ref().map_or(self.listed_at, |probe| probe.at)
    }

    pub fn proven_at(&self) -> Option<Moment> {
        if self.lane == Lane::Gated { self.proof.sign_in_at } else { self.proof.last_ok_at }
    }

    /// Whether a probe ever proved that it works, or how callers sign in.
    pub const fn was_proven(&self) -> bool {
        self.proof.last_ok_at.is_some() || self.proof.sign_in_at.is_some()
    }

    /// The lane that readers see. A proof is valid for one recheck interval: without a proof since `oldest_proof`, a
    /// listing is shown neither as Active nor as gated, even if its recheck is late. A listing that was published again
    /// waits for its probe: what the last probe found may be fixed.
    pub fn public_lane(&self, oldest_proof: Moment) -> Lane {
        let is_proven = self.proven_at().is_some_and(|at| at >= oldest_proof);
        match self.lane {
            lane if lane.is_proven() && !is_proven => Lane::Queued,
            Lane::NeedsFix | Lane::Demoted if self.awaits_requested_probe() => Lane::Queued,
            lane => lane,
        }
    }

    /// Whether it was published again and has not been probed since.
    pub fn awaits_requested_probe(&self) -> bool {
        self.schedule.probe_requested_at.is_some_and(|at| self.last_asked().is_none_or(|asked| at > asked))
    }

    /// How it can be used, if it is listed. A Live listing that needs a sign-in is gated.
    pub const fn access(&self) -> Access {
        match self.lane {
            Lane::Package => Access::Package,
            Lane::Gated => Access::Gated,
            _ if self.proof.sign_in_at.is_some() => Access::Gated,
            _ => Access::Open,
        }
    }

    /// How lists and searches show it; `None` if they do not.
    pub fn availability(&self, oldest_proof: Moment) -> Option<Availability> {
        let lane = self.public_lane(oldest_proof);
        let is_listed = lane.is_proven() || lane == Lane::Package;
        is_listed.then(|| Availability { is_live: lane == Lane::Active, access: self.access() })
    }

    /// Whether it is Active with a proof since `oldest_proof`.
    pub fn is_live(&self, oldest_proof: Moment) -> bool {
        self.public_lane(oldest_proof) == Lane::Active
    }

    /// When it was last probed, whatever the result; `None` if it was never probed.
    pub fn last_asked(&self) -> Option<Moment> {
        let asked = Moment::from_millisecond(self.schedule.asked_at).filter(|_| self.schedule.asked_at > 0);
        asked.max(self.proof.probe.as_ref().map(|probe| probe.at))
    }

    /// When a job can probe it. Only the recheck, at each full hour, probes a Live or gated listing whose last probe failed. A
    /// listing that was due when its probe was requested is probed at once, another one by a tick, as one for which the probe
    /// budget was used up.
    pub fn next_probe_at(&self, now: Moment, tick_seconds: u32) -> Moment {
        let due = self.schedule.due_at.max(now);
        let asked_at = self.schedule.probe_requested_at.unwrap_or(self.listed_at);
        let was_due = asked_at >= self.schedule.due_at || self.was_put_back();
        let is_at_once = was_due && now.duration_since(asked_at.max(self.schedule.due_at)) <= AT_ONCE;
        let interval = match self.lane.is_proven() {
            true if self.schedule.failures > 0 && !self.schedule.at_once => 3600,
            true if self.schedule.at_once || self.schedule.due_at > now => return due,
            false if is_at_once => return due,
            _ => i64::from(tick_seconds),
        };
        // A claim within this time of the last probe is refused, unless the probe was requested.
        let asked = self.last_asked().filter(|_| !self.schedule.at_once);
        let due = due.max(asked.map_or(due, |at| at + SignedDuration::from_secs(tick_seconds.into())));
        (due + SignedDuration::from_secs(interval) - SignedDuration::from_millis(1)).rounded_down(interval)
    }

    /// Whether it waits for its first probe since it was restored, moved to another URL or brought back from a backup.
    pub fn was_put_back(&self) -> bool {
        self.lane == Lane::Queued && self.proof.probe.is_some() && self.schedule.failures == 0
    }

    /// The URL of its card, else the one that answered for it.
    pub fn public_card_url(&self) -> &str {
        self.card_url.as_deref().or(self.endpoint.as_deref()).unwrap_or_else(|| self.target())
    }

    /// Whether to show this website. One of another domain may be a stranger's, unless a proof shows that the owner named it.
    pub fn may_have_website(&self, website: &str) -> bool {
        let domain = |url: &str| {
            let host = HostName::of_url(url)?;
            Some(registrable_domain(host.as_str()).unwrap_or(host.as_str()).to_owned())
        };
        let is_by_owner = !self.is_described() || self.has_proven_name() || self.valid_domain().is_some();
        is_by_owner || self.url.as_deref().is_none_or(|url| domain(url) == domain(website))
    }

    pub fn valid_website(&self) -> Option<&str> {
        self.texts.website.as_deref().filter(|website| self.may_have_website(website))
    }

    /// A page about it, else the root of its own site.
    pub fn public_website(&self) -> String {
        let own_site = || url::Url::parse(self.target()).ok().map(|url| url.origin().ascii_serialization());
        self.valid_website().map(str::to_owned).or_else(own_site).unwrap_or_default()
    }

    /// Its sort key in the Active list: when it went Live, then its id.
    pub fn list_position(&self) -> String {
        format!("{:013}#{}", self.proof.live_since.unwrap_or(self.listed_at).as_millisecond(), self.id)
    }
}

/// Who may be written to about a listing. Stored in an item of its own, so that no list, feed or page can contain it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contact {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// How the publisher found the registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub from: ContactFrom,
}

/// Who gave a contact. It decides where the contact is stored, so that a stranger cannot take the place of an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactFrom {
    /// Anyone who published the listing.
    #[default]
    Anyone,
    /// A publisher who has proven the name of the listing.
    Owner,
    Feedback,
}
