//! Returns the connectors that were picked before, the Live listings that connect other listings, and the
//! steps to join. The candidates are ranked on request, by a search of the index with a limit.

use std::collections::HashSet;

use super::daily_connector::laws;
use crate::funnel::{self, Stage};
use crate::outreach::connector_day;
use crate::outreach::connectors::{self, Candidate};
use crate::prelude::*;
use registry_store::ConnectorDay;

const MAX_CANDIDATES: usize = 24;

pub struct ListConnectors;

/// The connectors that were chosen, and the candidates.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    note: &'static str,
    laws: Vec<String>,
    /// Listings chosen as connector of the day in the last 30 days, newest first. Each listing appears once.
    partners: Vec<KnownPartner>,
    /// Live listings that connect other listings, strongest first; at most 24.
    live_candidates: Vec<LiveCandidate>,
    agent_onboarding_pack: OnboardingPack,
    /// The URL of the connector of the day.
    daily_pick: String,
    updated_at: Moment,
}

/// A listing chosen as connector of the day.
#[derive(Debug, Serialize, JsonSchema)]
struct KnownPartner {
    id: ListingId,
    name: String,
    kind: Kind,
    role: String,
    /// The last day on which the listing was chosen.
    day: String,
    /// When the listing was contacted. Null if it was not contacted.
    touched_at: Option<Moment>,
}

/// A listing that connects other listings.
#[derive(Debug, Serialize, JsonSchema)]
struct LiveCandidate {
    id: ListingId,
    name: String,
    kind: Kind,
    role: &'static str,
    /// How well the listing fits as a connector, from 0 to 100.
    connector_likeness: u8,
    /// The score of the last probe, divided by 10.
    live_score: u8,
    /// The traits that make the listing a connector, with the points for each trait.
    traits: Vec<String>,
    endpoint: String,
    /// Whether it reaches the thresholds, is not among `partners`, and may be contacted now.
    may_be_picked: bool,
}

/// How an agent can join.
#[derive(Debug, Serialize, JsonSchema)]
struct OnboardingPack {
    /// The stages of the funnel, each with its call.
    steps: Vec<Stage>,
    publish: String,
    status: String,
    search: String,
    match_url: String,
    active: String,
    mcp_endpoint: String,
    a2a_endpoint: String,
    discovery: String,
}

impl Operation for ListConnectors {
    const NAME: &'static str = "list_connectors";
    const TITLE: &'static str = "Connectors";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Lists the Live listings whose purpose is to connect others, for example routers, \
        directories and marketplaces. Each row shows how well the listing fits as a connector, and why. Also returns the \
        connectors chosen in the last 30 days. For today's choice, use daily_connector.";
    const PHRASES: &'static [&'static str] =
        &["which connectors are there?", "list the connectors", "show connector candidates"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Connectors shown: {live_candidates#}. {note}",
        r#"[live_candidates]"{name}" ({id}) | , {role} | , {endpoint}"#,
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/connectors").cached_for(60)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (now, settings) = (app.clock.now(), &app.settings);
        let days = app.store.connector_days(connector_day::SHOWN_DAYS);
        let (days, candidates) = futures::try_join!(days, connectors::candidates(app))?;
        let partners = partners(&days);
        let shown = candidates.iter().take(MAX_CANDIDATES);
        Ok(Answer {
            note: "The Live connectors, ordered by `connector_likeness` and then by `live_score`.",
            laws: laws(settings),
            live_candidates: shown.map(|one| candidate(one, &partners, app, now)).collect(),
            partners,
            agent_onboarding_pack: OnboardingPack {
                steps: funnel::stages(settings),
                publish: settings.url("/api/publish"),
                status: settings.url("/api/listings/status"),
                search: settings.url("/api/ard/search"),
                match_url: settings.url("/api/match"),
                active: settings.url("/api/listings/active"),
                mcp_endpoint: settings.url("/api/protocol"),
                a2a_endpoint: settings.url("/api/a2a"),
                discovery: settings.url("/discovery.json"),
            },
            daily_pick: settings.url("/api/products/connectors/daily"),
            updated_at: now,
        })
    }
}

fn partners(days: &[ConnectorDay]) -> Vec<KnownPartner> {
    let mut seen = HashSet::new();
    let picked = days.iter().filter_map(|day| Some((day, day.pick.partner.as_ref()?)));
    picked
        .filter(|(_, partner)| seen.insert(&partner.id))
        .map(|(day, partner)| KnownPartner {
            id: partner.id.clone(),
            name: partner.name.clone(),
            kind: partner.kind,
            role: partner.role.clone(),
            day: day.pick.day.clone(),
            touched_at: day.touched_at,
        })
        .collect()
}

fn candidate(one: &Candidate, partners: &[KnownPartner], app: &App, now: Moment) -> LiveCandidate {
    let is_strong =
        one.likeness.points >= connector_day::MIN_LIKENESS && one.live_score >= connector_day::MIN_LIVE_SCORE;
    LiveCandidate {
        id: one.listing.id.clone(),
        name: one.listing.texts.name.clone(),
        kind: one.listing.likely_kind(),
        role: one.likeness.role.unwrap_or("peer"),
        connector_likeness: one.likeness.points,
        live_score: one.live_score,
        traits: one.likeness.traits.clone(),
        endpoint: one.listing.endpoint.clone().unwrap_or_default(),
        may_be_picked: is_strong
            && one.may_be_touched(now, app.settings.outreach_pause())
            && partners.iter().all(|partner| partner.id != one.listing.id),
    }
}
