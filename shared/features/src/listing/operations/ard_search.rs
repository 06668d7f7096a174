//! Full-text search of the Live listings, for ARD clients and models. Each hit contains the evidence of the
//! last probe. An empty result explains what to try next.

use crate::federation::{self, FederationMode, PeerReferral};
use crate::listing::Peer;
use crate::listing::active_page;
use crate::operation::Parameters;
use crate::operation::arguments::{KindFilter, page_limit};
use crate::prelude::*;
use registry_model::cache::CacheValidator;
use registry_model::protocol::ARD_BASE;
use registry_model::{Access, Category, Listed, Referral};
use registry_search::{Found, Query, Text};

const DEFAULT_LIMIT: u32 = 12;

/// Characters of a query in an answer. A pasted task is longer.
pub(crate) const MAX_SHOWN_QUERY: usize = 300;

/// The short answer of a search.
pub(crate) const SHORT: &[&str] = &[
    "ok",
    "query",
    "searched_for",
    "nearest_only",
    "total",
    "hits.listing_id",
    "hits.kind",
    "hits.access",
    "hits.name",
    "hits.description",
    "hits.endpoint",
    "hits.protocol_version",
    "hits.name_standing",
    "hits.proven_domain",
    "hits.probe.probed_at",
    "hits.probe.failing_since",
    "hits.score",
    "referrals.name",
    "referrals.url",
    "referrals.kind",
    "referrals.peer",
    "note",
    "next",
];

pub struct ArdSearch;

/// A search query with optional filters.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The query in plain words. If it is empty, `ard_search` returns the last changed listings; `match_capability` needs words.
    #[serde(alias = "query", alias = "need", alias = "text")]
    #[schemars(length(max = 20000))]
    pub q: String,
    /// Returns only agents or only MCP servers. Default: both.
    pub kind: Option<KindFilter>,
    /// Returns only listings of this category. Pass a category id, such as `data-analytics`.
    #[schemars(extend("format" = "category-id"))]
    pub category: Option<String>,
    /// Default: Live listings. `open`: those whose handshake needs no sign-in; `gated`: servers that ask for a sign-in;
    /// `package`: servers to run yourself; `all`: these three.
    pub access: Option<Access>,
    /// Entries of other registries that fit the words, filtered only by `kind`. Only `none` leaves them out. Default: `auto`.
    pub federation: Option<FederationMode>,
    /// The maximum number of hits, from 1 to 100; default: 12.
    #[schemars(range(min = 1, max = 100), extend("default" = 12))]
    pub limit: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Always `ard`.
    protocol: &'static str,
    #[serde(flatten)]
    searched: Searched,
    /// The best matches, the best first.
    hits: Vec<SearchHit>,
    /// The URL of the ARD catalog with the newest Live listings.
    catalog: String,
    /// The value of `federation` that was used. It is `none` if no other registry is known.
    federation: FederationMode,
    /// Matching entries reported by other registries. This registry has not probed them, so they are not Live.
    referrals: Vec<Referral>,
    /// Other registries that can be searched with the same query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registries: Vec<PeerReferral>,
    /// A summary in one sentence.
    note: String,
    /// What to do next, if nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Value>,
}

// What was searched, and how much was found. Without a doc comment: in a schema, it would stand for the answer that these members
// are a part of.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Searched {
    /// The query, normalized.
    query: String,
    /// What was searched instead: the query corrected or translated, or one sentence of it. Absent if it was not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_for: Option<String>,
    /// Present and true if nothing clearly matches: the hits are only the nearest listings.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nearest_only: bool,
    /// The number of matching listings.
    total: usize,
}

impl Searched {
    pub(super) fn of(query: &Query, found: &Found) -> Self {
        Self {
            query: shorten(query.text.as_str(), MAX_SHOWN_QUERY),
            searched_for: found.corrected.clone(),
            nearest_only: found.nearest_only,
            total: found.total,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct SearchHit {
    #[serde(flatten)]
    peer: Peer,
    /// How well the listing matches, from 0 to 100.
    score: u8,
    /// The URL of the ARD service that found the listing.
    source: String,
}

impl Operation for ArdSearch {
    const NAME: &'static str = "ard_search";
    const TITLE: &'static str = "Search in plain words";
    const DESCRIPTION: &'static str = "Searches the Live agents and MCP servers in plain words (Agentic \
        Resource Discovery). Returns ranked hits, each with its endpoint; with `detail` `full`, also with its card \
        URL and evidence. If you need the reasons for each hit, use match_capability.";
    const PHRASES: &'static [&'static str] =
        &["search for {flight prices}", "search the registry for {unit tests}", "look for {invoice parsing}"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"q": "read PDF files", "limit": 5}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{note}",
        r#"[hits]"{name}" ({kind}, {listing_id}) | , {access} | : "{description}" | {endpoint} | , failing since {probe.failing_since}"#,
        r#"From other registries, as they describe them: [referrals]"{name}" | at {url}"#,
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Searches the Live agents and MCP servers in plain words and returns ranked hits with evidence.",
        &["registry", "search", "ard", "discovery"],
    )];
    const ROUTES: &'static [Route] =
        &[Route::get_as("/api/ard/search", default_to_newest).taking(query_optional)];
    const SHORT: &'static [&'static str] = SHORT;
    type Arguments = Arguments;
    type Answer = Answer;

    // If other processes write the table, reading its version costs as much as the answer; and the entries of other
    // registries have no version here.
    async fn cache_validator(app: &App) -> Result<Option<CacheValidator>, Problem> {
        if !app.store.is_sole_writer() || !app.settings.federation_peers.is_empty() {
            return Ok(None);
        }
        let (live, index) = (app.store.live().await?, app.store.recent_manifest().await?.version);
        Ok(Some(active_page::validator(app, live, &format!("{}/{index}", Self::NAME))))
    }

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let query = parse_query(&arguments)?;
        let found = app.search.find(&query, app.clock.now()).await?;
        let (note, next) = summarize(app, &query, &found).await?;
        let (now, source) = (app.clock.now(), app.settings.url(ARD_BASE));
        let OtherRegistries { federation, referrals, registries } =
            other_registries(app, &arguments, &query).await?;
        let hit = |hit: &registry_search::Hit| SearchHit {
            peer: Peer::of(&hit.listing, &app.settings, now),
            score: hit.score,
            source: source.clone(),
        };
        Ok(Answer {
            protocol: "ard",
            searched: Searched::of(&query, &found),
            hits: found.hits.iter().map(hit).collect(),
            catalog: app.settings.url("/.well-known/ai-catalog.json"),
            federation,
            referrals,
            registries,
            note,
            next,
        })
    }
}

/// The part of a search result that comes from other registries.
pub(super) struct OtherRegistries {
    federation: FederationMode,
    pub(super) referrals: Vec<Referral>,
    registries: Vec<PeerReferral>,
}

pub(super) async fn other_registries(
    app: &App,
    arguments: &Arguments,
    query: &Query,
) -> Result<OtherRegistries, Problem> {
    let federation = arguments.federation.unwrap_or_default();
    if federation == FederationMode::None || app.settings.federation_peers.is_empty() {
        let (referrals, registries) = (Vec::new(), Vec::new());
        return Ok(OtherRegistries { federation: FederationMode::None, referrals, registries });
    }
    let peers = federation::known_peers(app).await?;
    Ok(OtherRegistries {
        federation,
        referrals: federation::referrals(&peers, query.text.as_str(), query.kind),
        registries: federation::peer_referrals(&peers),
    })
}

fn query_optional(mut schema: Value) -> Value {
    schema["required"] = json!([]);
    schema
}

/// Over REST, a request without a query returns the last changed listings.
fn default_to_newest(query: Parameters) -> Parameters {
    let has_query = ["q", "query"].iter().any(|name| query.first(name).is_some());
    if has_query { query } else { query.with("q", "") }
}

/// # Errors
/// 422 if the text, the category or the limit is invalid.
pub fn parse_query(arguments: &Arguments) -> Result<Query, Problem> {
    let limit = page_limit(arguments.limit, DEFAULT_LIMIT)?;
    let category = arguments.category.as_deref().filter(|id| !id.is_empty());
    Ok(Query {
        text: Text::parse(&arguments.q, "q")?,
        kind: arguments.kind.and_then(KindFilter::only),
        category: category.map(Category::parse).transpose()?,
        listed: arguments.access.into(),
        skip: 0,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    })
}

/// A summary of the result, and the next step if nothing was found.
pub(super) async fn summarize(
    app: &App,
    query: &Query,
    found: &Found,
) -> Result<(String, Option<Value>), Problem> {
    let words = shorten(query.text.as_str(), 120);
    if !found.hits.is_empty() {
        let listings = counted(found.total, &format!("{}listing", adjective(query.listed)));
        let note = match (&found.corrected, query.text.is_empty()) {
            (_, true) => format!("{listings}, last changed first."),
            _ if found.nearest_only => format!("No sure match for “{words}”. The nearest: {listings}."),
            (Some(instead), _) => {
                format!("Searched for “{instead}” instead of “{words}”. Found {listings}, best first.")
            }
            (None, _) => format!("{listings} for “{words}”, best matches first."),
        };
        return Ok((note, None));
    }
    let live = app.store.live().await?;
    if live.agents == 0 && live.mcps == 0 && query.listed == Listed::Live {
        let note = "No listing is Live now.";
        let next = json!({
            "action": "publish", "method": "POST", "url": app.settings.url("/api/publish"),
            "note": "Send {\"url\": …} with the URL of an agent or an MCP server. When a probe has proven it, searches \
                find it.",
        });
        return Ok((note.to_owned(), Some(next)));
    }
    let (verb, filtered, narrowed) = match (query.kind, &query.category, query.listed) {
        (None, None, Listed::Live | Listed::With(Access::All)) => ("was found", "", ""),
        (None, None, _) => ("was found", "", ", without `access`"),
        _ => ("passes the filter", " with this filter", ", without `kind`, `category` or `access`"),
    };
    let listing = match query.listed {
        Listed::With(Access::All) => "No Live, gated or package listing".to_owned(),
        listed => format!("No {}listing", adjective(listed)),
    };
    let note = if query.text.is_empty() {
        format!("{listing} {verb}.")
    } else {
        format!("{listing}{filtered} matches “{words}”.")
    };
    let again = if query.text.is_empty() { "Try again" } else { "Try fewer or other English words" };
    let next = json!({
        "action": "browse", "method": "GET", "url": app.settings.url("/api/listings/active"),
        "note": format!("{again}{narrowed}. You can also browse all Live listings at /api/listings/active."),
    });
    Ok((note, Some(next)))
}

/// The word before `listing` for what is searched.
pub fn adjective(listed: Listed) -> &'static str {
    match listed {
        Listed::Live => "Live ",
        Listed::With(Access::Open) => "open Live ",
        Listed::With(Access::Gated) => "gated ",
        Listed::With(Access::Package) => "package ",
        Listed::With(Access::All) | Listed::Remote => "",
    }
}
