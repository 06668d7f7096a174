//! What a listing gives back, and how it hangs together with others: its score with every reason, its trust graph, and its
//! badge. Read from what is stored; nothing is fetched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lookup;
use crate::operation::{AdvertisedSkill, Effect, Operation};
use crate::route::{Action, Route};
use registry_app::App;
use registry_domain::trust::facts;
use registry_domain::trust::reciprocity::{Reciprocity, Signal};
use registry_domain::views::badge;
use registry_fetch::Target;
use registry_formats::argument_schema;
use registry_model::error::Problem;
use registry_model::{AttestationRecord, Caller, Identity, Kind, Lane, Listing, ListingId, Moment, NameHold};

/// Statements and compositions that are drawn in the graph.
const STATEMENTS: u32 = 50;
const USES: usize = 20;

/// Tells what a listing gives back.
#[derive(Debug)]
pub struct GetReciprocity;

/// Which listing: by its id, by the URL it was listed by, or by its name.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["listing_id", "url", "name"])))]
pub struct Arguments {
    /// Its id.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The card URL or endpoint that it was listed by.
    #[schemars(extend("format" = "uri"), length(max = 2048))]
    url: Option<String>,
    /// Its name.
    name: Option<String>,
}

/// What it gives back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    listing_id: ListingId,
    name: String,
    kind: Kind,
    /// Where it stands.
    lane: Lane,
    /// Whether its card or server description links to this registry.
    links_back: bool,
    /// What the score is made of.
    signals: Vec<Signal>,
    /// 0 to 100.
    score: u32,
    /// When it was last looked at; null before its first probe.
    checked_at: Option<Moment>,
    card_url: String,
    /// Live with clean checks.
    clean: bool,
    /// The keys that are bound to its domain: who speaks for it.
    identities: Vec<Identity>,
    /// What it may show elsewhere.
    portable: Portable,
    policy: &'static str,
    /// What it hangs together with.
    graph: Graph,
    badge: Badge,
}

/// What a listing may show elsewhere, each checked anew by whoever looks.
#[derive(Debug, Serialize, JsonSchema)]
struct Portable {
    /// A badge for its README.
    badge_markdown: String,
    badge_url: String,
    /// The evidence.
    status_url: String,
    /// The key set by which signed statements are verified.
    jwks_uri: String,
    /// Where a signed statement is asked for: POST with `action` attest.
    attest_url: String,
}

/// The trust graph around one listing.
#[derive(Debug, Serialize, JsonSchema)]
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A node: the listing itself, this registry, or a domain.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Node {
    id: String,
    /// `listing`, `registry` or `domain`.
    kind: &'static str,
    name: String,
}

/// An edge, with what it stands on.
#[derive(Debug, Serialize, JsonSchema)]
struct Edge {
    from: String,
    to: String,
    /// `attested` (a signed statement that counts), `speaks_for` (a key of the domain signed a challenge), or `used_with`
    /// (callers told that both were used together).
    relation: &'static str,
    /// The type of the statement, where the domain makes its key known, or who says so.
    how: String,
    /// How many there are of it.
    count: u32,
    /// The latest.
    at: Moment,
}

/// The badge that shows the standing of the listing when it is looked at.
#[derive(Debug, Serialize, JsonSchema)]
struct Badge {
    name: &'static str,
    url: String,
    markdown: String,
    /// Whether it says clean now.
    clean: bool,
}

impl Operation for GetReciprocity {
    const NAME: &'static str = "get_reciprocity";
    const TITLE: &'static str = "What does a listing give back?";
    const DESCRIPTION: &'static str = "Scores what a listing gives back (clean checks 40, a link back 50, a proven domain 20, \
        a card 10, at most 100), each with its reason, with its proven domains, its trust graph and badge. From stored facts.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const PHRASES: &'static [&'static str] =
        &["reciprocity of {id}", "show the trust graph of {id}", "what does {id} give back?"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "get-reciprocity",
        name: "What does a listing give back?",
        description: "Scores what a listing gives back, with reasons, its trust graph and its badge.",
        tags: &["registry", "trust", "reciprocity"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/reciprocity").kept_for(30)];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["reciprocity", "get_reciprocity"] }];
    const REFUSALS: &'static [u16] = &[404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let id = named(app, arguments).await?;
        let found = lookup::listing_with_evidence(app, &id).await?;
        let (listing, evidence) = &*found;
        if listing.lane == Lane::Withdrawn {
            return Err(Problem::listing_not_found(listing.id.as_str()));
        }
        let now = app.clock.now();
        let (identities, (statements, used_with)) =
            futures::try_join!(facts::identities(app, listing), async {
                let statements = app.store.attestations_of(&listing.id, STATEMENTS, now);
                let used_with = app.store.edges_of(&listing.id, USES, now);
                Ok(futures::try_join!(statements, used_with)?)
            })?;
        let reciprocity = Reciprocity::of(app, listing, evidence.as_ref(), &identities);
        let clean = reciprocity.signals.iter().any(|signal| signal.id == "clean" && signal.holds);
        let (settings, id) = (&app.settings, &listing.id);
        let (badge_url, badge_markdown) = (badge::clean_url(settings, id), badge::markdown(settings, id));
        Ok(Answer {
            ok: true,
            version: registry_domain::trust::VERSION,
            name: listing.name.clone(),
            kind: listing.shown_kind(),
            lane: listing.shown_lane(app.oldest_proof()),
            links_back: reciprocity.links_back(),
            score: reciprocity.score,
            signals: reciprocity.signals,
            checked_at: listing.probe.as_ref().map(|probe| probe.at),
            card_url: listing.shown_card_url().to_owned(),
            clean,
            portable: Portable {
                badge_markdown: badge_markdown.clone(),
                badge_url: badge_url.clone(),
                status_url: settings.url(&format!("/api/listings/status?id={id}")),
                jwks_uri: settings.url("/.well-known/jwks.json"),
                attest_url: settings.url("/api/products/first-principles"),
            },
            policy: "A score of what was observed, not of worth: no link back is needed to be listed, to be Live, or to be \
                found.",
            graph: graph(&settings.base_url, &settings.brand, listing, &identities, &statements, &used_with),
            badge: Badge { name: "clean", url: badge_url, markdown: badge_markdown, clean },
            listing_id: id.clone(),
            identities,
        })
    }
}

/// The id of the listing that is meant.
async fn named(app: &App, arguments: Arguments) -> Result<String, Problem> {
    if let Some(id) = arguments.listing_id {
        return Ok(id);
    }
    if let Some(url) = arguments.url {
        let target = Target::parse(&url, app.settings.reach())
            .map_err(|error| Problem::invalid("url", error.code(), format!("`url`: {error}")))?;
        return Ok(ListingId::of_url(target.url()).to_string());
    }
    let Some(name) = arguments.name else {
        let detail = "Say which listing: `listing_id` (or `id`), the `url` it was listed by, or its `name`.";
        return Err(Problem::invalid("listing_id", "listing_id_missing", detail));
    };
    let of_that_name = app.store.listings_named(&name).await?;
    let oldest = app.oldest_proof();
    // Who proved a name goes before who claims it, and what is Live before what is not.
    let rank = |listing: &Listing| {
        (listing.is_name_claimed(), listing.name_hold == Some(NameHold::Yielded), !listing.is_live(oldest))
    };
    let best = of_that_name.iter().map(|(listing, _)| listing).min_by_key(|listing| rank(listing));
    best.map(|listing| listing.id.to_string()).ok_or_else(|| Problem::listing_not_found(&name))
}

fn graph(
    base_url: &str,
    brand: &str,
    listing: &Listing,
    identities: &[Identity],
    statements: &[AttestationRecord],
    used_with: &[registry_store::Edge],
) -> Graph {
    let own = listing.id.to_string();
    let mut nodes = vec![Node { id: own.clone(), kind: "listing", name: listing.name.clone() }];
    let mut edges: Vec<Edge> = Vec::new();
    for statement in statements.iter().filter(|statement| statement.revoked.is_none()) {
        let how = statement.about.as_str();
        match edges.iter_mut().find(|edge| edge.how == how) {
            Some(edge) => edge.count += 1,
            None => edges.push(Edge {
                from: base_url.to_owned(),
                to: own.clone(),
                relation: "attested",
                how: how.to_owned(),
                count: 1,
                at: statement.issued_at,
            }),
        }
    }
    if !edges.is_empty() {
        nodes.push(Node { id: base_url.to_owned(), kind: "registry", name: brand.to_owned() });
    }
    for identity in identities {
        let domain = identity.proven_domain.to_string();
        let node = Node { id: domain.clone(), kind: "domain", name: domain.clone() };
        if !nodes.contains(&node) {
            nodes.push(node);
        }
        edges.push(Edge {
            from: domain,
            to: own.clone(),
            relation: "speaks_for",
            how: identity.method.as_str().to_owned(),
            count: 1,
            at: identity.at,
        });
    }
    for used in used_with {
        let other = used.other(&listing.id).to_string();
        nodes.push(Node { id: other.clone(), kind: "listing", name: other.clone() });
        edges.push(Edge {
            from: own.clone(),
            to: other,
            relation: "used_with",
            how: "reports of callers".to_owned(),
            count: used.count,
            at: used.last_at,
        });
    }
    Graph { nodes, edges }
}
