//! The reciprocity score of a listing (what it gives back to the registry), with the reason for each part.
//! The answer also contains the trust graph and the badge of the listing. The score is computed from stored
//! facts. No requests are sent.

use std::sync::Arc;

use crate::listing::{badge, status_url};
use crate::prelude::*;
use crate::trust::facts;
use crate::trust::reciprocity::{Reciprocity, Signal};
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{AttestationRecord, Identity};

const MAX_STATEMENTS: u32 = 50;
const MAX_COMPOSITIONS: usize = 20;

pub struct GetReciprocity;

/// The listing: send `listing_id`, `url` or `name`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["listing_id", "url", "name"])))]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The URL of the card or endpoint with which the listing was published.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    url: Option<String>,
    /// The name of the listing. Of several, the one with the best proof comes first.
    name: Option<String>,
}

/// The score with its reasons, and the trust graph.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    name: String,
    /// Agent or MCP server; null until a probe determines it.
    kind: Option<Kind>,
    lane: Lane,
    /// Whether a documentation link or a description of the listing links to this registry.
    links_back: bool,
    /// The parts of the score.
    signals: Vec<Signal>,
    /// From 0 to 100.
    score: u32,
    /// The time of the probe that decided its state. Null before the first probe.
    checked_at: Option<Moment>,
    card_url: String,
    /// Whether the listing is Live, and its last probe passed.
    clean: bool,
    /// The keys bound to the listing's domain.
    identities: Vec<Identity>,
    portable: Portable,
    policy: &'static str,
    graph: Graph,
    badge: Badge,
}

/// Links that a listing can show on other sites.
#[derive(Debug, Serialize, JsonSchema)]
struct Portable {
    /// A badge for the README of the listing.
    badge_markdown: String,
    badge_url: String,
    status_url: String,
    /// The key set that verifies signed statements.
    jwks_uri: String,
    /// To get a signed statement, send a POST with `action` attest to this URL.
    attest_url: String,
}

/// The trust graph around one listing.
#[derive(Debug, Serialize, JsonSchema)]
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A node: a listing, this registry or a domain.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Node {
    id: String,
    /// `listing`, `registry` or `domain`.
    kind: &'static str,
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Edge {
    from: String,
    to: String,
    /// What connects the two nodes. `attested`: there is a valid signed statement, other than `live: false` or
    /// `clean: false`. `speaks_for`: a key of the domain signed a challenge. `used_with`: callers reported that they
    /// used both together.
    relation: &'static str,
    /// More about the relation: the type of statement, the place where the domain publishes its key, or who reported
    /// the use.
    how: String,
    /// The number of reports, or of the latest 50 statements.
    count: u32,
    /// The time of the latest statement, report or signature.
    at: Moment,
}

/// A badge that shows the current state of the listing.
#[derive(Debug, Serialize, JsonSchema)]
struct Badge {
    name: &'static str,
    url: String,
    markdown: String,
    /// Whether the badge shows `clean` now.
    clean: bool,
}

impl Operation for GetReciprocity {
    const NAME: &'static str = "get_reciprocity";
    const TITLE: &'static str = "Reciprocity of a listing";
    const VERSION: Option<&'static str> = Some(crate::trust::VERSION);
    const DESCRIPTION: &'static str = "Returns a listing's reciprocity score, 0 to 100, with a reason for \
        each part. Clean checks give 30 points, a link back to this registry 40, a proven domain or name 20, \
        a card or server description 10. Also returns proven domains, trust graph and badge. Pass \
        listing_id, url or name. Starts no probe.";
    const PHRASES: &'static [&'static str] =
        &["show the trust graph of {id}", "reciprocity of {id}", "what does {id} give back?"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        r#""{name}" ({listing_id}) has a reciprocity score of {score} of 100."#,
        "[signals]{id}: {points} of {of} points | , {why}",
        "It is {clean?clean|not clean} and {links_back?links back|does not link back} to this registry.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns the reciprocity score of a listing with the reason for each part. Also returns \
            its trust graph and badge.",
        &["registry", "trust", "reciprocity"],
    )];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/reciprocity").cached_for(30)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let id = listing_id(app, arguments).await?;
        let found = lookup::shown_listing_with_evidence(app, &id).await?;
        let (listing, evidence) = &*found;
        let now = app.clock.now();
        let (identities, (statements, used_with)) =
            futures::try_join!(facts::identities(app, listing), async {
                let statements = app.store.attestations_of(&listing.id, MAX_STATEMENTS, now);
                let used_with = app.store.edges_of(&listing.id, MAX_COMPOSITIONS, now);
                Ok(futures::try_join!(statements, used_with)?)
            })?;
        let others: Vec<ListingId> = used_with.iter().map(|used| used.other(&listing.id).clone()).collect();
        let others = app.store.shown_listings(&others).await?;
        let reciprocity = Reciprocity::of(app, listing, evidence.as_ref(), &identities);
        let clean = reciprocity.signals.iter().any(|signal| signal.id == "clean" && signal.holds);
        let (settings, id) = (&app.settings, &listing.id);
        let (badge_url, badge_markdown) =
            (badge::url(settings, "clean", id), badge::markdown(settings, "clean", id));
        Ok(Answer {
            name: listing.texts.name.clone(),
            kind: listing.kind,
            lane: listing.public_lane(app.oldest_proof()),
            links_back: reciprocity.links_back(),
            score: reciprocity.score,
            signals: reciprocity.signals,
            checked_at: listing.proof.probe.as_ref().map(|probe| probe.at),
            card_url: listing.public_card_url().to_owned(),
            clean,
            portable: Portable {
                badge_markdown: badge_markdown.clone(),
                badge_url: badge_url.clone(),
                status_url: status_url(settings, id),
                jwks_uri: settings.url("/.well-known/jwks.json"),
                attest_url: settings.url("/api/products/first-principles"),
            },
            policy: "The score counts observed facts. It does not rate quality. A link back is not required.",
            graph: graph(settings, listing, &identities, &statements, &used_with, &others),
            badge: Badge { name: "clean", url: badge_url, markdown: badge_markdown, clean },
            listing_id: id.clone(),
            identities,
        })
    }
}

async fn listing_id(app: &App, arguments: Arguments) -> Result<String, Problem> {
    if let Some(id) = arguments.listing_id.or(arguments.url) {
        return Ok(id);
    }
    let Some(name) = arguments.name else {
        let detail = "Send the `listing_id` (or `id`) of the listing, the `url` with which it was published, \
            or its `name`.";
        return Err(Problem::invalid("listing_id", Code::ListingIdMissing, detail));
    };
    Ok(lookup::named(app, &name).await?.0.to_string())
}

fn graph(
    settings: &Settings,
    listing: &Listing,
    identities: &[Identity],
    statements: &[AttestationRecord],
    used_with: &[registry_store::Edge],
    others: &[Arc<Listing>],
) -> Graph {
    let (own, base_url) = (listing.id.to_string(), &settings.base_url);
    let mut nodes = vec![Node { id: own.clone(), kind: "listing", name: listing.texts.name.clone() }];
    let mut edges: Vec<Edge> = Vec::new();
    let supports = |statement: &&AttestationRecord| statement.revoked.is_none() && !statement.is_negative;
    for statement in statements.iter().filter(supports) {
        let how = statement.about.as_str();
        match edges.iter_mut().find(|edge| edge.how == how) {
            Some(edge) => edge.count += 1,
            None => edges.push(edge(base_url, &own, "attested", how, 1, statement.issued_at)),
        }
    }
    if !edges.is_empty() {
        nodes.push(Node { id: base_url.clone(), kind: "registry", name: settings.brand.clone() });
    }
    for identity in identities {
        let domain = identity.proven_domain.to_string();
        let node = Node { id: domain.clone(), kind: "domain", name: domain.clone() };
        if !nodes.contains(&node) {
            nodes.push(node);
        }
        edges.push(edge(&domain, &own, "speaks_for", identity.method.as_str(), 1, identity.at));
    }
    for used in used_with.iter().filter(|used| used.count > 0) {
        let is_shown =
            |other: &&Arc<Listing>| other.id == *used.other(&listing.id) && other.lane != Lane::Withdrawn;
        let Some(other) = others.iter().find(is_shown) else { continue };
        nodes.push(Node { id: other.id.to_string(), kind: "listing", name: other.texts.name.clone() });
        let (to, how) = (other.id.as_str(), "reports of callers");
        edges.push(edge(&own, to, "used_with", how, used.count, used.last_at));
    }
    Graph { nodes, edges }
}

fn edge(from: &str, to: &str, relation: &'static str, how: &str, count: u32, at: Moment) -> Edge {
    Edge { from: from.to_owned(), to: to.to_owned(), relation, how: how.to_owned(), count, at }
}
