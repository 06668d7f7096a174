//! Search of the Live listings by a text, for ARD clients and models. The query is parsed, ranked by the index, and
//! each hit is returned with the evidence of its last probe; an empty result explains itself and says what to try.

use crate::prelude::*;
use registry_domain::federation::{self, FederationMode, PeerReferral};
use registry_domain::views::Peer;
use registry_domain::views::active_page::{self, KindFilter};
use registry_model::cache::CacheValidator;
use registry_model::error::shorten;
use registry_model::protocol::ARD_BASE;
use registry_model::{Category, Referral};
use registry_search::{Found, Query, Text};

/// The default limit.
const HITS: u32 = 12;

pub struct ArdSearch;

/// What is looked for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// What is looked for, in plain words; empty for the newest.
    #[serde(alias = "query")]
    #[schemars(length(max = 1000))]
    pub q: String,
    /// Only agents, or only MCP servers; both where it is left out.
    pub kind: Option<KindFilter>,
    /// Only what is filed under this id, such as `data-analytics`.
    #[schemars(extend("format" = "category-id"))]
    pub category: Option<String>,
    /// What other registries told: `auto` and `referrals` tell it, `none` does not; `auto` where it is left out.
    pub federation: Option<FederationMode>,
    /// At most so many hits, from 1 to 100; 12 where it is left out.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    /// `ard`.
    protocol: &'static str,
    /// The words as they were understood.
    query: String,
    /// The words that were searched for instead, where spelling was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_for: Option<String>,
    /// How many answer to the words in all.
    total: usize,
    /// The best of them, the best first.
    hits: Vec<SearchHit>,
    /// The catalogue of everything that is Live.
    catalog: String,
    /// What of other registries was wanted; `none` where no other is known.
    federation: FederationMode,
    /// What other registries told that answers to the words. Nobody here asked those it names: they are not Live.
    referrals: Vec<Referral>,
    /// Other registries that can be asked the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registries: Vec<PeerReferral>,
    /// How it went, in a sentence.
    note: String,
    /// What to do, where nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Value>,
}

/// A hit.
#[derive(Debug, Serialize, JsonSchema)]
struct SearchHit {
    #[serde(flatten)]
    peer: Peer,
    /// How well it answers, 0 to 100.
    score: u8,
    /// The ARD service that found it.
    source: String,
}

impl Operation for ArdSearch {
    const NAME: &'static str = "ard_search";
    const TITLE: &'static str = "Search in plain words";
    const DESCRIPTION: &'static str = "Searches the Live agents and MCP servers in plain words (Agentic Resource \
        Discovery) and gives ranked hits, each with its endpoint, its card and the evidence of its last handshake. \
        Use match_capability to learn why each one fits.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"q": "read PDF files", "limit": 5}"#;
    const PHRASES: &'static [&'static str] =
        &["search for {text}", "search the registry for {text}", "look for {text}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "ard-search",
        name: "Search in plain words",
        description: "Searches the Live agents and MCP servers in plain words and gives ranked hits with evidence.",
        tags: &["registry", "search", "ard", "discovery"],
    }];
    const ROUTES: &'static [Route] =
        &[Route::get_as("/api/ard/search", newest_by_default).taking(words_or_none)];
    type Arguments = Arguments;
    type Answer = Answer;

    // Where others write the table, asking for its version would cost as much as the answer; and what other registries
    // told has no version here.
    async fn cache_validator(app: &App) -> Result<Option<CacheValidator>, Problem> {
        if !app.store.is_sole_writer() || !app.settings.federation_peers.is_empty() {
            return Ok(None);
        }
        let (live, index) = (app.store.live().await?, app.store.manifest().await?.version);
        Ok(Some(active_page::validator(app, live, &format!("{}/{index}", Self::NAME))))
    }

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let query = parse_query(&arguments)?;
        let found = app.search.find(&query, app.clock.now()).await?;
        let (note, next) = summarize(app, &query, &found).await?;
        let (now, source) = (app.clock.now(), app.settings.url(ARD_BASE));
        let Elsewhere { federation, referrals, registries } = elsewhere(app, &arguments, &query).await?;
        let hit = |hit: &registry_search::Hit| SearchHit {
            peer: Peer::of(&hit.listing, &app.settings, now),
            score: hit.score,
            source: source.clone(),
        };
        Ok(Answer {
            ok: true,
            protocol: "ard",
            query: query.text.as_str().to_owned(),
            total: found.total,
            hits: found.hits.iter().map(hit).collect(),
            searched_for: found.corrected,
            catalog: app.settings.url("/.well-known/ai-catalog.json"),
            federation,
            referrals,
            registries,
            note,
            next,
        })
    }
}

/// What other registries told.
pub(super) struct Elsewhere {
    /// `None` where no other is known.
    pub(super) federation: FederationMode,
    /// Entries of theirs that answer to the words.
    pub(super) referrals: Vec<Referral>,
    /// The registries that can be asked.
    pub(super) registries: Vec<PeerReferral>,
}

/// What other registries told of what is looked for.
pub(super) async fn elsewhere(app: &App, arguments: &Arguments, query: &Query) -> Result<Elsewhere, Problem> {
    let federation = arguments.federation.unwrap_or_default();
    if federation == FederationMode::None || app.settings.federation_peers.is_empty() {
        let (referrals, registries) = (Vec::new(), Vec::new());
        return Ok(Elsewhere { federation: FederationMode::None, referrals, registries });
    }
    let peers = federation::known_peers(app).await?;
    Ok(Elsewhere {
        federation,
        referrals: federation::referrals(&peers, query.text.as_str(), query.kind),
        registries: federation::peer_referrals(&peers),
    })
}

fn words_or_none(mut schema: Value) -> Value {
    schema["required"] = json!([]);
    schema
}

/// By REST, a request without a query returns the newest.
fn newest_by_default(query: &str) -> String {
    let asked = form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "q" || name == "query");
    if asked { query.to_owned() } else { format!("{query}&q=") }
}

/// The arguments as a query of the index.
///
/// # Errors
/// 422: a text, a category or a limit that cannot be.
pub fn parse_query(arguments: &Arguments) -> Result<Query, Problem> {
    let limit = active_page::limit(arguments.limit, HITS)?;
    Ok(Query {
        text: Text::parse(&arguments.q, "q")?,
        kind: arguments.kind.and_then(KindFilter::only),
        category: arguments.category.as_deref().filter(|id| !id.is_empty()).map(category).transpose()?,
        skip: 0,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    })
}

/// A category by its id.
fn category(id: &str) -> Result<Category, Problem> {
    Category::by_id(id).ok_or_else(|| {
        Problem::invalid(
            "category",
            "unknown_category",
            format!("There is no category `{}`. The rows of the active list show theirs.", shorten(id, 60)),
        )
        .with_next(json!({ "action": "browse", "method": "GET", "url": "/api/listings/active" }))
    })
}

/// The result of a search in a sentence, and the next step where it found nothing.
pub(super) async fn summarize(
    app: &App,
    query: &Query,
    found: &Found,
) -> Result<(String, Option<Value>), Problem> {
    let words = shorten(query.text.as_str(), 120);
    if !found.hits.is_empty() {
        let listings = if found.total == 1 {
            "1 Live listing".to_owned()
        } else {
            format!("{} Live listings", found.total)
        };
        let note = match (&found.corrected, query.text.is_empty()) {
            (_, true) => format!("{listings}, the newest first: nothing was asked for."),
            (Some(instead), _) => format!("“{words}” was read as “{instead}”: {listings}, the best first."),
            (None, _) => format!("{listings} for “{words}”, the best first."),
        };
        return Ok((note, None));
    }
    let live = app.store.live().await?;
    if live.agents == 0 && live.mcps == 0 {
        let note = "Nothing is Live here yet, so there is nothing to find. The first listing can be yours.";
        let next = json!({
            "action": "publish", "method": "POST", "url": app.settings.url("/api/publish"),
            "body": { "url": "https://your.host/.well-known/agent-card.json" },
            "note": "List an agent or an MCP server: POST its URL to /api/publish; it is probed and found seconds later.",
        });
        return Ok((note.to_owned(), Some(next)));
    }
    let narrowed = match (query.kind, &query.category) {
        (None, None) => "",
        _ => ", without `kind` or `category`",
    };
    let note = if query.text.is_empty() {
        "Nothing Live is of that kind or category.".to_owned()
    } else {
        format!("No Live listing answers to “{words}”.")
    };
    let next = json!({
        "action": "browse", "method": "GET", "url": app.settings.url("/api/listings/active"),
        "note": format!("Try fewer or other words{narrowed}, or go through all that is Live at /api/listings/active."),
    });
    Ok((note, Some(next)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Kind;

    #[test]
    fn what_is_looked_for_is_parsed() {
        let arguments = |value: Value| serde_json::from_value::<Arguments>(value).unwrap();
        let read = parse_query(&arguments(
            json!({ "query": "pdf", "kind": "mcp", "category": "data-storage", "limit": 3 }),
        ))
        .unwrap();
        assert_eq!((read.text.as_str(), read.kind, read.limit), ("pdf", Some(Kind::Mcp), 3));
        assert_eq!(read.category.unwrap().id(), "data-storage");
        let all = parse_query(&arguments(json!({ "q": "", "kind": "all", "category": "other" }))).unwrap();
        assert_eq!((all.kind, all.limit, all.category), (None, 12, Some(Category::other())));
        for (field, wrong) in [
            ("limit", json!({ "q": "x", "limit": 0 })),
            ("limit", json!({ "q": "x", "limit": 101 })),
            ("category", json!({ "q": "x", "category": "nonsense" })),
            ("q", json!({ "q": "x".repeat(2000) })),
        ] {
            let problem = parse_query(&arguments(wrong)).unwrap_err();
            assert_eq!((problem.status.as_u16(), problem.field.as_deref()), (422, Some(field)));
        }
    }
}
