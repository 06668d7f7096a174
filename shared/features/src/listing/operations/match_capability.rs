//! Searches for a capability. The scores are the same as in `ard_search`. For each hit, the answer also contains the
//! reasons: the words, skills and tools that matched. The reasons are texts that a client can show unchanged.

use super::ard_search::{self, Arguments, Searched};
use crate::economy::{self, Boost, Boosts};
use crate::funnel::{self, Deal};
use crate::listing::Peer;
use crate::prelude::*;
use registry_model::{Referral, TrailEvent};

pub struct MatchCapability;

/// The short answer of a search, with the reasons.
const SHORT: [&str; ard_search::SHORT.len() + 1] = {
    let mut all = ["hits.match_reasons"; ard_search::SHORT.len() + 1];
    let (own, _) = all.split_at_mut(ard_search::SHORT.len());
    own.copy_from_slice(ard_search::SHORT);
    all
};

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    #[serde(flatten)]
    searched: Searched,
    /// The best matches, the best first.
    hits: Vec<CapabilityMatch>,
    /// Matching entries reported by other registries. This registry has not probed them, so they are not Live.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    referrals: Vec<Referral>,
    /// The founding offer for Live listings.
    founding: Deal,
    /// A summary in one sentence.
    note: String,
    /// What to do next, if nothing matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CapabilityMatch {
    #[serde(flatten)]
    peer: Peer,
    /// How well the listing matches, from 0 to 100.
    score: u8,
    /// Equal to `score`.
    capability_score: u8,
    /// Why the listing matches; each reason has a few words. Never empty.
    match_reasons: Vec<String>,
    /// What raised its score.
    boosts: Vec<String>,
    /// Hits with the same score are sorted by this value. See `abundance_rank`.
    abundance_boost: f64,
    /// How well reported uses of it went, from 0 to 1. Null without reports.
    outcome_score: Option<f64>,
    /// The score of its trail (recent use), scaled by the multiplier `match_boost`.
    pheromone_boost: f64,
}

/// Here the query must not be empty.
fn query_required(mut schema: Value) -> Value {
    schema["properties"]["q"]["pattern"] = argument_schema::WORDS.into();
    schema
}

impl Operation for MatchCapability {
    const NAME: &'static str = "match_capability";
    const TITLE: &'static str = "Find listings for a task";
    const DESCRIPTION: &'static str = "Finds Live agents and MCP servers for a task that you describe in \
        plain words. Returns ranked hits. Each hit contains the reasons why the listing matches, for example \
        words, skills or tools. Use it when you need a peer for a task. Use `kind` to get only agents or \
        only MCP servers.";
    const PHRASES: &'static [&'static str] = &[
        "find an agent that can {translate contracts}",
        "find an MCP server for {weather forecasts}",
        "which server can {read PDF files}?",
        "find somebody who can {plan a wedding}",
        "match this need: {summaries of meetings}",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"q": "add two numbers", "kind": "mcp"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{note}",
        r#"[hits]"{name}" ({kind}, {listing_id}) | , {access} | : "{description}" | {endpoint} | ({match_reasons}) | , failing since {probe.failing_since}"#,
        r#"From other registries, as they describe them: [referrals]"{name}" | at {url}"#,
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Finds the Live agents and MCP servers that can do what you describe, with the reasons.",
        &["registry", "match", "discovery", "capability"],
    )];
    const ROUTES: &'static [Route] = &[Route::get("/api/match").taking(query_required)];
    const SHORT: &'static [&'static str] = &SHORT;
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let query = ard_search::parse_query(&arguments)?;
        if query.text.is_empty() {
            let detail = "`q` is required: describe the task in plain words.";
            return Err(Problem::invalid("q", Code::Empty, detail));
        }
        // As many as by default: the first of several equal scores must not depend on a smaller limit.
        let compared = registry_search::Query { limit: query.limit.max(12), ..query.clone() };
        let found = app.search.find(&compared, app.clock.now()).await?;
        let (note, next) = ard_search::summarize(app, &query, &found).await?;
        let now = app.clock.now();
        let ids: Vec<ListingId> = found.hits.iter().map(|hit| hit.listing.id.clone()).collect();
        let boosts = if ids.is_empty() { Boosts::default() } else { economy::boosts(app, &ids).await? };
        let hit = |hit: registry_search::Hit| {
            let Boost { boost, outcome_score, trail_boost, .. } = boosts.of(&hit.listing.id);
            CapabilityMatch {
                peer: Peer::of(&hit.listing, &app.settings, now),
                score: hit.score,
                capability_score: hit.score,
                match_reasons: hit.reasons(),
                boosts: hit.boosts,
                abundance_boost: boost,
                outcome_score,
                pheromone_boost: trail_boost,
            }
        };
        let searched = Searched::of(&query, &found);
        let mut hits: Vec<CapabilityMatch> = found.hits.into_iter().map(hit).collect();
        for equals in hits.chunk_by_mut(|one, next| one.score == next.score) {
            equals.sort_by(|one, other| other.abundance_boost.total_cmp(&one.abundance_boost));
        }
        hits.truncate(query.limit);
        if !found.nearest_only {
            deposit(app, caller, &hits, now);
        }
        Ok(Answer {
            searched,
            hits,
            referrals: ard_search::other_registries(app, &arguments, &query).await?.referrals,
            founding: funnel::deal(&app.settings, found.seats_claimed),
            note,
            next,
        })
    }
}

/// A search leaves demand traces: at its best hits, and a stronger one at the first.
fn deposit(app: &App, caller: &Caller, hits: &[CapabilityMatch], now: Moment) {
    let note =
        |hit: &CapabilityMatch, event| app.pending_deposits.note(caller, &hit.peer.listing_id, event, now);
    hits.iter().take(5).for_each(|hit| note(hit, TrailEvent::MatchHit));
    hits.iter().take(1).for_each(|hit| note(hit, TrailEvent::MatchQuery));
}
