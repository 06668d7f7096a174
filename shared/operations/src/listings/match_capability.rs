//! Search for a capability: the same ranking as `ard_search`, with the reasons why each hit matches. The reasons are
//! built from the words, skills and tools that the index matched, as texts that can be shown unchanged.

use crate::listings::ard_search::{self, Arguments};
use crate::prelude::*;
use registry_domain::economy::abundance::Boost;
use registry_domain::economy::{self, Boosts};
use registry_domain::funnel::{self, Deal};
use registry_domain::views::Peer;
use registry_formats::argument_schema;
use registry_model::{Kind, Referral, TrailEvent};

/// The best hits, at which a search leaves something.
const DEPOSITS: usize = 5;

pub struct MatchCapability;

/// Who can.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    /// The words as they were understood.
    query: String,
    /// The words that were searched for instead, where spelling was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched_for: Option<String>,
    /// How many match in all.
    total: usize,
    /// The best of them, the best first.
    hits: Vec<CapabilityMatch>,
    /// What other registries told that answers to the words. Nobody here asked those it names: they are not Live.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    referrals: Vec<Referral>,
    /// The founding offer for whoever is Live.
    founding: Deal,
    /// How it went, in a sentence.
    note: String,
    /// What to do, where nothing matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Value>,
}

/// A match.
#[derive(Debug, Serialize, JsonSchema)]
struct CapabilityMatch {
    #[serde(flatten)]
    peer: Peer,
    /// How well it matches, 0 to 100.
    score: u8,
    /// The same: what is Live is ranked by what it can do.
    capability_score: u8,
    /// Why it matches, each in a few words; never empty.
    match_reasons: Vec<String>,
    /// What moved it among its equals.
    boosts: Vec<String>,
    /// Among hits of equal score those with the greater boost stand first; see `abundance_rank`.
    abundance_boost: f64,
    /// The outcomes that were reported of it, 0 to 1; a part of the boost.
    outcome_score: f64,
    /// Its trail, scaled by the multiplier `match_boost`; the other part.
    pheromone_boost: f64,
}

/// Something is to be done, so there are words.
fn with_words(mut schema: Value) -> Value {
    schema["properties"]["q"]["pattern"] = argument_schema::WORDS.into();
    schema
}

impl Operation for MatchCapability {
    const NAME: &'static str = "match_capability";
    const TITLE: &'static str = "Find who can do it";
    const DESCRIPTION: &'static str = "Finds the Live agents and MCP servers that can do something you describe in \
        plain words, ranked, each with the reasons why it matches: words, skills and tools. Filter by kind.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"q": "add two numbers", "kind": "mcp"}"#;
    const PHRASES: &'static [&'static str] = &[
        "find an agent that can {text}",
        "find an MCP server for {text}",
        "which server can {text}?",
        "find somebody who can {text}",
        "match this need: {text}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "match-capability",
        name: "Find who can do it",
        description: "Finds the Live agents and MCP servers that can do what you describe, with the reasons why.",
        tags: &["registry", "match", "discovery", "capability"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/match").taking(with_words)];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let query = ard_search::parse_query(&arguments)?;
        if query.text.is_empty() {
            return Err(Problem::invalid("q", "empty", "`q` must say in plain words what is to be done."));
        }
        let found = app.search.find(&query, app.clock.now()).await?;
        let (note, next) = ard_search::summarize(app, &query, &found).await?;
        let now = app.clock.now();
        deposit(app, caller, &found.hits, now);
        let ids: Vec<ListingId> = found.hits.iter().map(|hit| hit.listing.id.clone()).collect();
        let boosts = if ids.is_empty() { Boosts::default() } else { economy::boosts(app, &ids).await? };
        let hit = |hit: registry_search::Hit| {
            let Boost { boost, outcome_score, trail_boost } = boosts.of(&hit.listing.id);
            CapabilityMatch {
                peer: Peer::of(&hit.listing, &app.settings, now),
                score: hit.score,
                capability_score: hit.score,
                match_reasons: reasons(&hit),
                boosts: hit.boosts,
                abundance_boost: boost,
                outcome_score,
                pheromone_boost: trail_boost,
            }
        };
        let mut hits: Vec<CapabilityMatch> = found.hits.into_iter().map(hit).collect();
        for equals in hits.chunk_by_mut(|one, next| one.score == next.score) {
            equals.sort_by(|one, other| other.abundance_boost.total_cmp(&one.abundance_boost));
        }
        Ok(Answer {
            ok: true,
            query: query.text.as_str().to_owned(),
            searched_for: found.corrected,
            total: found.total,
            hits,
            referrals: ard_search::elsewhere(app, &arguments, &query).await?.referrals,
            founding: funnel::deal(&app.settings, found.seats_claimed),
            note,
            next,
        })
    }
}

/// Notes what a search deposits: demand at the best of its hits, and most at the one that stands first.
fn deposit(app: &App, caller: &Caller, hits: &[registry_search::Hit], now: Moment) {
    let noted =
        |hit: &registry_search::Hit, event| app.pending_deposits.note(caller, &hit.listing.id, event, now);
    hits.iter().take(DEPOSITS).for_each(|hit| noted(hit, TrailEvent::MatchHit));
    if let Some(first) = hits.first() {
        noted(first, TrailEvent::MatchQuery);
    }
}

/// Why a listing matches; what shares no word with the question is close to it in meaning.
fn reasons(hit: &registry_search::Hit) -> Vec<String> {
    let quoted =
        |words: &[String]| words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ");
    let ability = match (hit.listing.shown_kind(), hit.abilities.len()) {
        (Kind::Agent, 1) => "its skill",
        (Kind::Agent, _) => "its skills",
        (Kind::Mcp, 1) => "its tool",
        (Kind::Mcp, _) => "its tools",
    };
    let mut reasons = Vec::new();
    if !hit.words.is_empty() {
        reasons.push(format!("it speaks of {}", quoted(&hit.words)));
    }
    if !hit.other_words.is_empty() {
        reasons.push(format!("it answers {} in other words", quoted(&hit.other_words)));
    }
    if !hit.abilities.is_empty() {
        reasons.push(format!("{ability} {}", quoted(&hit.abilities)));
    }
    if reasons.is_empty() {
        reasons.push("close in meaning".to_owned());
    }
    reasons
}
