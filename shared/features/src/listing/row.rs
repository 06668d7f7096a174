//! How lists show a listing. The long form is a row of the active list, with its evidence and the next steps
//! (`specification.md#listing-row`). The short form is for search hits and the federation catalog: what the listing is, its
//! endpoint and its evidence. Both are computed from the stored listing. The table stores 0.5 KB for a listing, and a row has
//! 3 KB.

use jiff::SignedDuration;

use super::Liveness;
use super::urls::{call_url, card_media_type, demo_url, listing_urn, status_url};
use crate::funnel::{self, Deal, ListingDeal, TakeDemo};
use crate::prelude::*;
use crate::talk::Talk;
use registry_model::{Access, Handshake, NameProofMethod, string_enum};

/// A row of `agents[]` or `mcps[]`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    pub listing_id: ListingId,
    pub id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// `gated` if it asks for a sign-in, `package` if its users run it themselves. Absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the name in its server description is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_standing: Option<NameStanding>,
    /// The domain whose key its owner bound to it. Absent if no key is bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proven_domain: Option<String>,
    /// The id of its category.
    pub category_id: String,
    pub category_label: &'static str,
    /// Always true, because only Live listings have a row.
    pub checks_clean: bool,
    /// The evidence: the last probe that decided its state.
    pub probe: ProbeSummary,
    /// Whether its last probe passed, its uptime and its handshake times.
    pub liveness: Liveness,
    /// Whether the listing visits its Talk inbox.
    pub talk: Talk,
    /// The URL of the card. For an MCP server, the URL of its endpoint.
    pub agent_card_url: String,
    /// A page about it.
    pub website: String,
    /// The protocol version that the last handshake used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    #[serde(flatten)]
    pub offers: Offers,
}

/// The last probe; of a Live or gated listing, the last that passed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProbeSummary {
    /// Whether the handshake was `ok`.
    pub ok: bool,
    pub handshake: Handshake,
    /// 0 to 100.
    pub score: u8,
    pub probed_at: Moment,
    /// The URL that was probed. Absent if the listing has packages only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The duration of the handshake in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u32>,
    /// Hours since the probe, with one decimal.
    pub age_hours: f64,
    /// Present if a later probe of a Live or gated listing failed: the first of the failed probes in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Moment>,
}

impl Row {
    pub fn of(listing: &Listing, settings: &Settings, deal: &Deal, now: Moment) -> Self {
        Self {
            listing_id: listing.id.clone(),
            id: listing.id.clone(),
            kind: listing.likely_kind(),
            access: special_access(listing),
            name: listing.texts.name.clone(),
            description: listing.texts.description.clone(),
            name_standing: NameStanding::of(listing),
            proven_domain: listing.valid_domain().map(ToString::to_string),
            category_id: listing.texts.category.id().to_owned(),
            category_label: listing.texts.category.label(),
            checks_clean: true,
            probe: ProbeSummary::of(listing, now),
            liveness: Liveness::of(listing, now - settings.recheck_interval(), now),
            talk: Talk::of(listing, settings, now),
            agent_card_url: listing.public_card_url().to_owned(),
            website: listing.public_website(),
            protocol_version: listing.proof.era.clone(),
            offers: Offers::of(listing, settings, deal),
        }
    }
}

impl ProbeSummary {
    /// For a listing that was never probed, an empty `skip`.
    pub fn of(listing: &Listing, now: Moment) -> Self {
        let probe = listing.proof.probe.as_ref();
        let probed_at = listing.checked_at();
        Self {
            ok: probe.is_some_and(|probe| probe.handshake == Handshake::Ok),
            handshake: probe.map_or(Handshake::Skip, |probe| probe.handshake),
            score: probe.map_or(0, |probe| probe.score),
            probed_at,
            target: listing.url.as_ref().map(|url| probe.map_or(url, |probe| &probe.target).clone()),
            latency_ms: probe.and_then(|probe| probe.latency_ms),
            age_hours: hours(now.duration_since(probed_at)),
            failing_since: listing.schedule.failing_since.filter(|_| listing.lane.is_proven()),
        }
    }
}

/// The access of a listing that not everybody can call at its URL.
fn special_access(listing: &Listing) -> Option<Access> {
    Some(listing.access()).filter(|access| *access != Access::Open)
}

/// Hours with one decimal, never below 0.
pub fn hours(age: SignedDuration) -> f64 {
    (age.as_secs_f64().max(0.0) / 360.0).round() / 10.0
}

/// The name of a server description, and whether it is proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NameStanding {
    /// The name in the server description.
    pub name: String,
    /// Whether the name is proven.
    pub standing: Standing,
    /// How it was proven, or what supports the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<NameProofMethod>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
}

string_enum! {
    /// Whether a name is proven.
    #[derive(JsonSchema)]
    pub enum Standing {
        /// A description claims the name. With `how` `domain`, the endpoint is on the domain of the name.
        Claimed = "claimed",
        /// The publisher has proven that it owns the name.
        Proven = "proven",
    }
}

impl NameStanding {
    /// `None` for a listing without a server description.
    pub fn of(listing: &Listing) -> Option<Self> {
        let is_proven = listing.holds_proven_name();
        let proof = listing.ownership.name_proof.filter(|proof| is_proven || !proof.how.is_of_publisher());
        Some(Self {
            name: listing.ownership.server_name.clone()?,
            standing: if is_proven { Standing::Proven } else { Standing::Claimed },
            how: proof.map(|proof| proof.how),
            at: proof.map(|proof| proof.at),
        })
    }
}

/// A short description of a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Peer {
    /// Its URN in ARD.
    pub identifier: String,
    #[serde(rename = "displayName")]
    pub display_name: String,
    /// The media type of the card.
    #[serde(rename = "type")]
    pub of_type: &'static str,
    pub listing_id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// `gated` if it asks for a sign-in, `package` if its users run it themselves. Absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    pub name: String,
    /// The description that the publisher wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the name in its server description is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_standing: Option<NameStanding>,
    /// The domain whose key its owner bound to it. Absent if no key is bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proven_domain: Option<String>,
    /// The id of its category.
    pub category_id: String,
    /// The version that the publisher gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The protocol version that the last handshake used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<String>,
    /// The URL of the card. For a listing without a card, the same as `endpoint`.
    pub url: String,
    /// The URL that answered the handshake: send your calls to it. Of a package, a page about it, or empty.
    pub endpoint: String,
    /// A page about it, or empty.
    pub website: String,
    /// The same as `url`, under the name that rows use.
    pub agent_card_url: String,
    pub probe: ProbeSummary,
    /// Its status with the full evidence.
    pub status_url: String,
    /// A link to its demo. Absent if it is not open, because only an open listing gets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take_demo_get: Option<String>,
}

impl Peer {
    pub fn of(listing: &Listing, settings: &Settings, now: Moment) -> Self {
        let (kind, card) = (listing.likely_kind(), listing.public_card_url().to_owned());
        Self {
            identifier: listing_urn(&card, kind, &listing.id),
            display_name: listing.texts.name.clone(),
            of_type: card_media_type(kind),
            listing_id: listing.id.clone(),
            kind,
            access: special_access(listing),
            name: listing.texts.name.clone(),
            description: listing.texts.description.clone(),
            name_standing: NameStanding::of(listing),
            proven_domain: listing.valid_domain().map(ToString::to_string),
            category_id: listing.texts.category.id().to_owned(),
            version: listing.texts.version.clone(),
            protocol_version: listing.proof.era.clone(),
            endpoint: call_url(listing),
            website: listing.public_website(),
            agent_card_url: card.clone(),
            url: card,
            probe: ProbeSummary::of(listing, now),
            status_url: status_url(settings, &listing.id),
            take_demo_get: special_access(listing).is_none().then(|| demo_url(settings, &listing.id)),
        }
    }
}

// What this registry offers to a Live listing: its demo, the founding offer and the next step.
// Without a doc comment: in a schema, it would stand for the row that these members are a part of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Offers {
    /// Whether the listing has taken its demo.
    pub demoed: bool,
    /// Whether the listing has given feedback.
    pub feedbacked: bool,
    /// The complete request for the demo of the listing.
    pub take_demo: TakeDemo,
    /// A link to its demo.
    pub take_demo_get: String,
    /// The founding offer for this listing.
    pub deal: ListingDeal,
    /// How far the listing is on its way to a full product.
    pub activation: Activation,
    /// What to do next, in one sentence.
    pub next: String,
}

/// How far a listing is on its way to a full product.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Activation {
    /// `live`.
    pub stage: &'static str,
    /// The next step, in one sentence.
    pub next: String,
}

impl Offers {
    pub fn of(listing: &Listing, settings: &Settings, deal: &Deal) -> Self {
        let next = next(listing).to_owned();
        Self {
            demoed: listing.demoed,
            feedbacked: listing.feedbacked,
            take_demo: funnel::demo_offer(listing, settings, deal),
            take_demo_get: demo_url(settings, &listing.id),
            deal: funnel::listing_deal(listing, settings, deal),
            activation: Activation { stage: "live", next: next.clone() },
            next,
        }
    }
}

fn next(listing: &Listing) -> &'static str {
    match (listing.demoed, listing.feedbacked) {
        _ if listing.schedule.failing_since.is_some() => {
            "Its last probe failed: check_status shows what to fix before it is no longer Live."
        }
        (false, _) => "Take the free demo: send the `take_demo` request of this row.",
        (true, false) => {
            "Send feedback: the example_body from the response to the demo. You then receive a founding seat \
             (a free product), if one is left for this listing, else a discount code."
        }
        (true, true) => "Use your product, or keep your discount code, and read your Talk inbox.",
    }
}
