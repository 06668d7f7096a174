//! The free public score of a URL. It runs one full probe and explains the result, with each request and its answer. The
//! URL is not added to the registry, but the report is stored for thirty days, so that a page can link to it. Anyone may
//! ask for the score of any URL, so the peer gets only requests without side effects.

use crate::operator::takedown;
use crate::prelude::*;
use crate::review::{hastened_rechecks, score_report};
use registry_fetch::Target;
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{
    Assessment, Check, DeclaredTransport, Handshake, HostName, ProbeStep, Reason, ScorePart, ScoreReport,
};
use registry_probe::handshake::{Depth, Subject};
use registry_probe::{assess, place};

pub struct Score;

/// The URL to score.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The URL of a card, a site or an MCP endpoint.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    url: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    url: String,
    /// The listing that publishing this URL answers with. Absent if it is not listed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// Agent or MCP server; null if neither was found.
    kind: Option<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The score, from 0 to 100.
    score: u8,
    /// The parts of the score. The sum of their points is the score.
    breakdown: Vec<ScorePart>,
    handshake: Handshake,
    /// The duration of the handshake in milliseconds; null if nothing was answered.
    latency_ms: Option<u32>,
    /// What to fix.
    reasons: Vec<Reason>,
    checks: Vec<Check>,
    /// Short findings.
    signals: Vec<String>,
    /// Protocols that were detected.
    protocol_hints: Vec<String>,
    /// Whether the peer would be Live if you published it now. It is false if its listing was withdrawn, or another listing
    /// has its endpoint. An agent must then also answer a message, if this probe sent none.
    would_go_live: bool,
    /// Whether it would become gated: it asks for a sign-in, and the metadata of the sign-in is correct.
    would_be_gated: bool,
    /// What to do next.
    list_hint: String,
    /// Each request of the probe with its answer, shortened and without secrets.
    steps: Vec<ProbeStep>,
    /// The page of this report. Anyone who knows the link can read it.
    report_url: String,
    report_expires_at: Moment,
    scored_at: Moment,
}

impl Operation for Score {
    const NAME: &'static str = "score";
    const TITLE: &'static str = "Score a card";
    const DESCRIPTION: &'static str = "Probes a card URL, a site or an MCP endpoint with a real handshake. \
        Returns a score from 0 to 100, what to fix and a report link. Use it to test a peer before \
        list_yourself. It lists nothing.";
    const PHRASES: &'static [&'static str] = &[
        "score {url}",
        "what would {url} score?",
        "rate my agent card {url}",
        "test my agent at {url} without listing it",
    ];
    const EFFECT: Effect = Effect { open_world: true, ..Effect::READS };
    const EXAMPLE: &'static str = r#"{"url": "https://agent.example.com/.well-known/agent-card.json"}"#;
    const SUMMARY: &'static [&'static str] = &[
        r#"{url} scores {score} of 100 | as "{name}" | ; the handshake was {handshake}."#,
        "It {would_go_live?passed this probe|would not be Live}{would_be_gated?, but gated|}.",
        "Its listing is {listing_id}.",
        "To fix: [reasons]{reason} | (found: \"{seen}\") | : {fix}",
        "Points: [breakdown]{id} {points} of {of} | : {why}",
        "The report with each step is at {report_url}.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "score-free",
        name: "Free score",
        description: "Probes a card, a site or an MCP endpoint. Returns a score from 0 to 100 with reasons. \
            Publishes nothing.",
        tags: &["registry", "score", "probe"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/score")];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Forbidden];
    const SHORT: &'static [&'static str] = &[
        "ok",
        "url",
        "listing_id",
        "kind",
        "name",
        "score",
        "handshake",
        "latency_ms",
        "reasons",
        "would_go_live",
        "would_be_gated",
        "list_hint",
        "report_url",
        "scored_at",
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let reach = app.settings.reach();
        let target = Target::parse(&arguments.url, reach)
            .map_err(|error| Problem::invalid("url", error.code(), format!("`url`: {error}")))?;
        let name = app.caller_digest(caller).await?;
        let domain = target.registrable_domain().unwrap_or_else(|| target.origin());
        app.count(LimitedAction::Score, &name, Some(&domain)).await?;
        let blocked = app.store.blocked_hosts().await?;
        let refused = |url: &str| blocked.covering(&[HostName::of_url(url)?]).map(takedown::host_blocked);
        refused(target.as_str()).map_or(Ok(()), Err)?;
        let url = target.to_string();
        let listed = crate::publish::listing::listing_of_url(app, &target).await?;
        // A listing that was Live is probed where its own probes look for it.
        let own = listed.as_ref().filter(|listing| listing.was_proven());
        let own = own.and_then(|own| Some(place(own, Target::parse(own.target(), reach).ok()?, reach)));
        // Another query may select another server.
        let is_other = own.as_ref().is_some_and(|(_, found)| found.url().query() != target.url().query());
        let (kind, url_to_probe) = own.filter(|_| !is_other).unwrap_or_else(|| (None, target.clone()));
        let subject = Subject {
            is_proven: false,
            kind,
            url: url_to_probe,
            depth: Depth::Question,
            last_era: None,
            declared: DeclaredTransport::Unknown,
        };
        let own_id =
            listed.as_ref().map_or_else(|| ListingId::of_url(target.url()), |listed| listed.id.clone());
        let (assessment, steps) = assess::stranger(app, &subject, &own_id).await?;
        // Its probe would withdraw the listing.
        assessment.verdict.facts.endpoint.as_deref().and_then(refused).map_or(Ok(()), Err)?;
        if !is_other {
            hastened_rechecks::after_score(app, &target, &assessment).await?;
        }
        let (id, report) = score_report::store(app, &target, &assessment, steps, listed.as_ref()).await?;
        let reasons = score_report::reasons(&assessment, listed.as_ref());
        let Assessment { verdict, checks, score, probed_at, .. } = assessment;
        let report_expires_at = score_report::expires_at(&report);
        let ScoreReport { would_go_live, would_be_gated, steps, .. } = report;
        let again = if listed.is_some() { " again" } else { "" };
        let publish = app.settings.url("/api/publish");
        let publish = format!("To publish it{again}, POST {publish} with {{\"url\": \"{url}\"}}.");
        let shown = listed.as_ref().filter(|listing| listing.public_lane(app.oldest_proof()).is_proven());
        let list_hint = if let Some(listing) = shown {
            format!("It is already listed as {}. Publishing it again answers with this listing.", listing.id)
        } else if would_go_live {
            let is_asked = verdict.facts.kind == Some(Kind::Agent) && verdict.answers.is_none();
            let more =
                if is_asked { " if it also answers a message, which this probe did not send" } else { "" };
            format!("It can go Live{more}. {publish}")
        } else if would_be_gated {
            format!("It would become gated: it asks for sign-in. {publish}")
        } else {
            let fix = reasons.first().map(|reason| format!(" {}", reason.fix)).unwrap_or_default();
            format!("It would not become Live now.{fix}")
        };
        Ok(Answer {
            url,
            listing_id: listed.map(|listing| listing.id),
            kind: verdict.facts.kind,
            name: verdict.facts.name,
            description: verdict.facts.description,
            score: score.value,
            breakdown: score.breakdown,
            handshake: verdict.handshake,
            latency_ms: verdict.latency_ms,
            reasons,
            checks,
            signals: verdict.signals,
            protocol_hints: verdict.protocol_hints,
            would_go_live,
            would_be_gated,
            list_hint,
            steps,
            report_url: score_report::page_url(&app.settings, &id),
            report_expires_at,
            scored_at: probed_at,
        })
    }
}
