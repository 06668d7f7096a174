//! Returns the status of a listing, found by its id or name. The answer contains the evidence of the last
//! probe, what to fix, and the next step.

use std::sync::Arc;

use crate::funnel::{self, TakeDemo};
use crate::listing::{Liveness, NameStanding, ProbeSummary, badge, status_url};
use crate::log::LogPlace;
use crate::prelude::*;
use crate::talk::Talk;
use registry_model::{
    AbilityChange, Access, Assessment, Check, CheckedPackage, Handshake, Reason, ScorePart, SignIn, Skill,
    Tool, Withdrawal,
};
use registry_probe::checks::ENDPOINT_UNIQUE;
use registry_probe::explain::{self, Advice};
use registry_store::NamedListing;

pub struct CheckStatus;

/// A listing, by its id or its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["id", "name"])))]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "listing_id")]
    id: Option<String>,
    /// The name of the listing. Of several, the one with the best proof comes first.
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    found: bool,
    listing_id: ListingId,
    id: ListingId,
    /// Agent or MCP server; null while unknown.
    kind: Option<Kind>,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The version in its card or description, or that the server names.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// Whether the name in the server description is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_standing: Option<NameStanding>,
    /// The domain whose key its owner bound to it. Absent if no key is bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    proven_domain: Option<String>,
    lane: Lane,
    /// Why the listing is in this state, in one sentence.
    lane_reason: String,
    /// How it can be used. Absent if it is in no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<Access>,
    /// Why and when the listing was withdrawn, if it was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    withdrawal: Option<Withdrawal>,
    /// The last probe that decided its state. Absent before the first probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<ProbeSummary>,
    /// Whether its last probe passed, its uptime and its handshake times.
    liveness: Liveness,
    /// What to fix; empty for a Live or gated listing whose last probe passed.
    reasons: Vec<Reason>,
    /// What a Live, gated or unchecked listing could improve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Reason>,
    /// The earliest time of the next probe, if the listing is neither Live nor gated; that of this answer if it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<Moment>,
    /// The time of the next recheck, if the listing is Live or gated; the time of this answer if it is due. The registry may
    /// probe it earlier, and usually does if its last probe passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    recheck_at: Option<Moment>,
    /// In how many different hours a recheck failed since the last proof; at most 3. Then a lasting fault ends the state.
    #[serde(skip_serializing_if = "registry_model::is_zero")]
    failed_recheck_hours: u32,
    /// Whether the probe with these `checks` found its protocol or a correct sign-in, and no blocking check failed. Hints
    /// and checks that do not block change nothing. `clean` of `probe_clean` also requires that it is Live. False for a
    /// withdrawn listing, whose evidence is not shown.
    checks_clean: bool,
    checks: Vec<Check>,
    score_breakdown: Vec<ScorePart>,
    /// What this probe found.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// The latest decision about the listing in the evidence log. Absent if it was never Live, gated or withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogPlace>,
    /// Whether the listing visits its Talk inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    talk: Option<Talk>,
    /// The demo offer for the listing, if it is Live and has not sent its feedback.
    #[serde(skip_serializing_if = "Option::is_none")]
    take_demo: Option<TakeDemo>,
    /// A badge for the listing's README, in Markdown.
    badge_markdown: String,
    next: NextStep,
}

/// What a probe found.
#[derive(Debug, Serialize, JsonSchema)]
struct Evidence {
    /// Whether the peer speaks the protocol.
    speaks: bool,
    /// Whether the peer answered a message; null if none was sent, or if this is unclear, as after a timeout.
    answers: Option<bool>,
    /// Whether the outcome may be temporary, such as a timeout or an error of the server.
    inconclusive: bool,
    /// Short findings.
    signals: Vec<String>,
    /// Protocols that were detected.
    protocol_hints: Vec<String>,
    /// The protocol versions that the card or the server names.
    protocol_versions: Vec<String>,
    /// The skills of an agent.
    skills: Vec<Skill>,
    /// The tools of an MCP server.
    tools: Vec<Tool>,
    /// `sha256:` and the hash of the tool set, see `listing_tools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_hash: Option<String>,
    /// How its callers sign in, as its metadata says. Absent if it asks for no sign-in, or if a part of it is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_in: Option<SignIn>,
    /// The packages of a server that runs on the machine of its user. Empty for other listings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    packages: Vec<CheckedPackage>,
    /// The last change of the tools or skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<AbilityChange>,
}

impl Operation for CheckStatus {
    const NAME: &'static str = "check_status";
    const ALIASES: &'static [&'static str] = &["get_listing_status"];
    const TITLE: &'static str = "Check a listing's status";
    const DESCRIPTION: &'static str = "Returns the state of a listing (queued, active, gated, package, unchecked, \
        needs_fix, demoted or withdrawn) and the evidence of its last probe. If the listing is not Live, also returns what to fix. \
        Use it after list_yourself, or to check a peer. Pass the id or the name of the listing.";
    const PHRASES: &'static [&'static str] = &[
        "is {id} live?",
        "what is the status of {id}?",
        "check the status of {id}",
        "why is {id} not live?",
        "how is the listing named {Weather Bot}?",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        r#""{name}" ({listing_id}) is {lane}. {lane_reason}"#,
        "The evidence is of the probe {probe.age_hours~} ago at {probe.probed_at}: handshake {probe.handshake} | , with a score of {probe.score} of 100 | , in {probe.latency_ms} ms | , at {probe.target}.",
        "It is of kind {kind} | , access {access} | , described as \"{description}\" | , has the version \"{version}\" | , with protocol version {evidence.protocol_versions} | , has the tools {evidence.tools} | , has the skills {evidence.skills}.",
        "The next probe is due at the latest at {recheck_at}.",
        "The next probe is due at {retry_at}, and runs as soon as the probe budget allows it.",
        "Uptime in percent of the observed time (at most 7 days): {liveness.uptime_7d_percent:not known} | , half of its last handshakes took at most {liveness.latency_p50_ms} ms | , 95 of 100 at most {liveness.latency_p95_ms} ms.",
        "Its probes have failed since {liveness.failing_since}.",
        "Last decision: `{log.event}` at {log.at} | {log.pending?(not in the evidence log yet)|(in the evidence log)}.",
        "Proven domain of its owner: {proven_domain:none, so who owns it is not known}.",
        "To fix: [reasons]{reason} | (found: \"{seen}\") | : {fix}",
        "Points: [score_breakdown]{id} {points} of {of} | ({why})",
        "To improve: [warnings]\"{seen}\" | : {fix}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns the state of a listing, the evidence of its last probe and what to fix.",
        &["registry", "status", "probe"],
    )];
    const ROUTES: &'static [Route] = &[Route::get("/api/listings/status")];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const SHORT: &'static [&'static str] = &[
        "ok",
        "found",
        "listing_id",
        "kind",
        "name",
        "description",
        "version",
        "name_standing",
        "proven_domain",
        "lane",
        "lane_reason",
        "access",
        "withdrawal",
        "probe.ok",
        "probe.handshake",
        "probe.score",
        "probe.probed_at",
        "probe.target",
        "probe.latency_ms",
        "liveness.state",
        "liveness.failing_since",
        "liveness.uptime_7d_percent",
        "reasons",
        "warnings",
        "retry_at",
        "recheck_at",
        "failed_recheck_hours",
        "checks_clean",
        "log",
        "next",
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let (found, is_shared) = find(app, &arguments).await?;
        let (listing, evidence) = &*found;
        // The evidence of a withdrawn listing is not shown.
        let evidence = evidence.as_ref().filter(|_| listing.lane != Lane::Withdrawn);
        let offer = match listing.is_live(app.oldest_proof()) && !listing.feedbacked {
            true => Some(funnel::deal(&app.settings, app.store.live().await?.funnel.seats_claimed)),
            false => None,
        };
        let mut next = next(app, listing, evidence).await?;
        if is_shared {
            next.note += " Other listings have this name, too.";
        }
        let (settings, now) = (&app.settings, app.clock.now());
        let next_probe_at = listing.next_probe_at(now, settings.probe_tick_seconds);
        let lane = listing.public_lane(app.oldest_proof());
        let live = lane == Lane::Active;
        let Advice { must_fix: reasons, could_improve: warnings } = explain::advice(listing, lane, evidence);
        let checks = evidence.map(|evidence| evidence.checks.clone()).unwrap_or_default();
        let sign_in = evidence.and_then(|evidence| evidence.verdict.facts.sign_in.as_ref());
        let sign_in = sign_in.filter(|_| lane.is_proven());
        Ok(Answer {
            found: true,
            listing_id: listing.id.clone(),
            id: listing.id.clone(),
            kind: listing.kind,
            name: listing.texts.name.clone(),
            description: listing.texts.description.clone().filter(|_| lane != Lane::Withdrawn),
            version: (listing.texts.version.clone())
                .or_else(|| evidence.filter(|evidence| evidence.is_clean())?.verdict.facts.version.clone())
                .filter(|_| lane != Lane::Withdrawn),
            name_standing: NameStanding::of(listing),
            proven_domain: listing.valid_domain().map(ToString::to_string),
            lane,
            lane_reason: match (&listing.withdrawal, sign_in) {
                (Some(withdrawal), _) if !withdrawal.by_owner => {
                    format!("{} Reason: {}", lane_reason(listing, lane), withdrawal.reason)
                }
                (None, Some(sign_in)) => format!("{} {}", lane_reason(listing, lane), sign_in.sentence()),
                _ => lane_reason(listing, lane).to_owned(),
            },
            access: listing.availability(app.oldest_proof()).map(|shown| shown.access),
            withdrawal: listing.withdrawal.clone(),
            probe: listing.proof.probe.as_ref().map(|_| ProbeSummary::of(listing, now)),
            liveness: Liveness::of(listing, app.oldest_proof(), now),
            retry_at: (!lane.is_proven() && lane != Lane::Withdrawn).then_some(next_probe_at),
            recheck_at: lane.is_proven().then_some(next_probe_at),
            failed_recheck_hours: u32::try_from(listing.schedule.strikes.len()).unwrap_or(u32::MAX),
            checks_clean: evidence.is_some_and(|evidence| {
                let (verdict, is_clean) = (&evidence.verdict, evidence.is_clean());
                is_clean && (verdict.speaks || verdict.facts.sign_in.is_some())
            }),
            checks,
            score_breakdown: evidence.map(|evidence| evidence.score.breakdown.clone()).unwrap_or_default(),
            evidence: evidence.map(|Assessment { verdict, changed, .. }| Evidence {
                speaks: verdict.speaks,
                answers: verdict.answers,
                inconclusive: verdict.inconclusive,
                signals: verdict.signals.clone(),
                protocol_hints: verdict.protocol_hints.clone(),
                protocol_versions: verdict.facts.protocol_versions.clone(),
                skills: verdict.facts.skills.clone(),
                tools: verdict.facts.tools.clone(),
                tools_hash: verdict.facts.tools_hash.clone(),
                sign_in: verdict.facts.sign_in.clone(),
                packages: verdict.facts.packages.clone(),
                changed: changed.clone(),
            }),
            log: listing.last_leaf.as_ref().map(|leaf| LogPlace::of_last(settings, &listing.id, leaf)),
            talk: live.then(|| Talk::of(listing, settings, now)),
            take_demo: offer.map(|offer| funnel::demo_offer(listing, settings, &offer)),
            badge_markdown: badge::markdown(settings, badge::DEFAULT, &listing.id),
            next,
            reasons,
            warnings,
        })
    }
}

/// The listing, and whether others have the name that it was found by.
async fn find(app: &App, arguments: &Arguments) -> Result<(Arc<NamedListing>, bool), Problem> {
    let (id, is_shared) = match (&arguments.id, &arguments.name) {
        (Some(id), _) => lookup::meant(app, id).await?,
        (None, Some(name)) => lookup::named(app, name).await?,
        (None, None) => {
            let detail = "Send `id` (from the answer of list_yourself) or `name` (the name of the listing).";
            return Err(Problem::invalid("id", Code::WhichListing, detail));
        }
    };
    Ok((lookup::listing_with_evidence(app, id.as_str()).await?, is_shared))
}

/// The listing that already has the endpoint of this one, if that is why this one is not Live.
async fn twin(
    app: &App,
    listing: &Listing,
    evidence: Option<&Assessment>,
) -> Result<Option<ListingId>, Problem> {
    let lane = listing.public_lane(app.oldest_proof());
    let is_repeated =
        |evidence: &&Assessment| evidence.checks.iter().any(|check| check.id == ENDPOINT_UNIQUE && !check.ok);
    let evidence = evidence.filter(|_| matches!(lane, Lane::NeedsFix | Lane::Demoted)).filter(is_repeated);
    let endpoint = evidence.and_then(|evidence| evidence.verdict.facts.endpoint.as_deref());
    let Some(endpoint) = endpoint else { return Ok(None) };
    Ok(app.store.endpoint_holder(endpoint, &listing.id).await?)
}

pub fn lane_reason(listing: &Listing, lane: Lane) -> &'static str {
    match (lane, &listing.proof.probe) {
        (Lane::Queued, _) if listing.lane == Lane::Active => {
            "Was Live, but its last proof expired. The next successful probe makes it Live again."
        }
        (Lane::Queued, _) if listing.lane == Lane::Gated => {
            "Was gated, but its last proof expired. The next probe may prove its sign-in again."
        }
        (Lane::Queued, None) => "Its first probe has not ended yet.",
        (Lane::Queued, Some(_)) if listing.was_put_back() => {
            "It was restored or moved, and has not been probed since. The next probe decides whether it is Live."
        }
        (Lane::Queued, _) if listing.awaits_requested_probe() => {
            "A new probe was requested, and has not ended yet. What the last probe found may be fixed."
        }
        (Lane::Queued, Some(_)) => {
            "The last probe failed in a way that may be temporary. The probe will be repeated. If the fault is a lasting \
                one, fix it and publish again."
        }
        (Lane::Active, _) if listing.schedule.failures == 0 => {
            "Live: it answered a real handshake, and its checks are clean."
        }
        (Lane::Active, _) => {
            "Live, but its last probe failed. More probes will show whether the failure is real. Timeouts and \
                similar failures end Live at the earliest an hour before the last proof expires."
        }
        (Lane::Gated, _) if listing.schedule.failures == 0 => {
            "Gated: it asks for a sign-in, and the metadata of the sign-in is correct. Whether the sign-in and the \
                server work is not known."
        }
        (Lane::Gated, _) => {
            "Gated, but its last probe failed. More probes will show whether the failure is real."
        }
        (Lane::NeedsFix, Some(probe)) if probe.handshake == Handshake::Ok => {
            "The handshake succeeded, but a check failed."
        }
        (Lane::NeedsFix, _) => "The probe found something to fix.",
        (Lane::Package, _) => {
            "It runs on the machine of its user, so no probe can show that it works. The last check that reached its \
                package registry found its packages, which contain its name."
        }
        (Lane::Unchecked, _) => "Nothing to fix: it has packages only, and at least one cannot be checked.",
        (Lane::Demoted, Some(probe)) if probe.handshake == Handshake::Ok => {
            "Was Live or gated. The handshake succeeded, but a check failed."
        }
        (Lane::Demoted, _) => "Was Live or gated, and its last probe failed.",
        (Lane::Withdrawn, _) if is_withdrawn_by_owner(listing) => "Its owner withdrew it.",
        (Lane::Withdrawn, _) => "The operator of this registry withdrew it.",
    }
}

fn is_withdrawn_by_owner(listing: &Listing) -> bool {
    listing.withdrawal.as_ref().is_some_and(|withdrawal| withdrawal.by_owner)
}

/// What the owner of a listing should do next.
pub(crate) async fn next(
    app: &App,
    listing: &Listing,
    evidence: Option<&Assessment>,
) -> Result<NextStep, Problem> {
    let settings = &app.settings;
    if let Some(twin) = twin(app, listing, evidence).await? {
        let note = "Another listing has this endpoint: use that one. If it was withdrawn, its status says who can restore it.";
        return Ok(NextStep::check_status(&settings.base_url, &twin, note));
    }
    let lane = listing.public_lane(app.oldest_proof());
    let reasons = &explain::advice(listing, lane, evidence).must_fix;
    let fix = reasons.first().map_or_else(String::new, |reason| match reason.code.as_str() {
        ENDPOINT_UNIQUE => "No other listing has this endpoint now. ".to_owned(),
        _ => format!("{} ", reason.fix),
    });
    let none = |note: &str| NextStep::open("none", status_url(settings, &listing.id), note);
    Ok(match lane {
        Lane::Active | Lane::Gated if listing.proof.last_failure.is_some() => {
            let next = listing.next_probe_at(app.clock.now(), settings.probe_tick_seconds);
            let note = format!("Its last probe failed. {fix}The next probe is due at {next} at the latest.");
            NextStep::check_status(&settings.base_url, &listing.id, note)
                .named("fix")
                .poll(next, app.clock.now())
        }
        Lane::Active if listing.feedbacked => NextStep::talk_inbox(
            &settings.base_url,
            &listing.id,
            "Live, and its feedback has been received. Read its Talk inbox.",
        ),
        Lane::Active => {
            let note = match listing.demoed {
                true => "Its demo was taken; its feedback is missing. The answer contains a draft of it.",
                false => "Its demo was not taken yet. Take the free demo.",
            };
            NextStep::take_demo(&settings.base_url, Some(&listing.id), note)
        }
        Lane::Queued => {
            let now = app.clock.now();
            let next = listing.next_probe_at(now, settings.probe_tick_seconds);
            let note = match next > now {
                true => format!("A probe is due at {next}, and runs as soon as the probe budget allows it."),
                false => "A probe is due: it runs now, or as soon as the probe budget allows it.".to_owned(),
            };
            NextStep::check_status(&settings.base_url, &listing.id, note).named("poll").poll(next, now)
        }
        Lane::NeedsFix | Lane::Demoted => {
            let elsewhere = evidence.and_then(|evidence| evidence.verdict.facts.elsewhere.as_deref());
            let (body, then) = match (listing.published_url(), elsewhere) {
                (None, Some(_)) => (None, "To do so, publish the description with this URL in `remotes`."),
                (None, None) => (None, "Then publish the description again: the answer names its listing."),
                (_, Some(url)) => (Some(json!({ "url": url })), "To do so, send this."),
                (Some((field, url)), None) => (
                    Some(json!({ field: url })),
                    "To have this URL probed again, send this: it publishes the listing again.",
                ),
            };
            let publish = settings.url("/api/publish");
            let again = NextStep::post_own("list_yourself", publish, format!("{fix}{then}"));
            NextStep { body, ..again }.named("fix_and_publish_again")
        }
        Lane::Gated => none(
            "Nothing to do: the metadata of the sign-in is correct. To become Live, allow the handshake without a token.",
        ),
        Lane::Package | Lane::Unchecked => {
            none("Nothing to do: only servers with an HTTP endpoint in `remotes` can become Live.")
        }
        Lane::Withdrawn if is_withdrawn_by_owner(listing) => NextStep::post(
            "manage_listing",
            settings.url("/api/products/first-principles"),
            json!({ "action": "manage_listing", "listing_id": listing.id, "act": "restore" }),
            "Its owner can restore it, unless its host is blocked: sign the challenge that this returns.",
        ),
        Lane::Withdrawn => {
            none("Only the operator of this registry can restore the listing; publishing it again does not.")
        }
    })
}
