//! Makes, stores and reads the reports of scores. A report may be read by anybody, and a stranger chose the server that it
//! shows. So it contains no credentials and no addresses of people, and its size is limited.

use crate::prelude::*;
use crate::publish::listing::how_to_restore;
use registry_fetch::Target;
use registry_formats::injection;
use registry_formats::personal_data::without_personal_data;
use registry_model::{Assessment, Handshake, HostName, ProbeStep, Reason, ScoreReport, ScoreReportId};
use registry_probe::explain;
use registry_probe::handshake::without_values;

pub const RETENTION_DAYS: i64 = registry_store::SCORE_REPORT_RETENTION / 86_400;

pub const MAX_REPORT_BYTES: usize = 40_000;

const MAX_REASONS: usize = 30;

const REMOVED: &str = "[removed]";

/// Makes the report of a probe of `target` and stores it. `listed` is the listing that publishing it answers with.
pub async fn store(
    app: &App,
    target: &Target,
    assessment: &Assessment,
    steps: Vec<ProbeStep>,
    listed: Option<&Listing>,
) -> Result<(ScoreReportId, ScoreReport), Problem> {
    let (report, text) = made(target, assessment, steps, listed).map_err(Problem::fault)?;
    let id = ScoreReportId::of(&report.url, report.scored_at, &text);
    app.store.keep_score_report(&id, &text, report.scored_at).await?;
    Ok((id, report))
}

/// What keeps a URL from being Live: what the probe found, and that publishing is refused because the listing of the URL was
/// withdrawn.
pub fn reasons(assessment: &Assessment, listed: Option<&Listing>) -> Vec<Reason> {
    let refusal = listed.and_then(|listing| listing.withdrawal.as_ref()).map(|withdrawal| Reason {
        code: "withdrawn".to_owned(),
        reason: "publishing is refused: the listing of this URL was withdrawn".to_owned(),
        seen: withdrawal.reason.to_string(),
        fix: how_to_restore(withdrawal.by_owner).to_owned(),
    });
    refusal.into_iter().chain(explain::reasons(assessment)).collect()
}

pub async fn text(app: &App, id: &str) -> Result<String, Problem> {
    let unknown = || {
        let detail = format!(
            "There is no report `{}`. A report is stored for {RETENTION_DAYS} days. Score the URL again.",
            shorten(id, 80)
        );
        Problem::new(Code::ReportNotFound, detail)
    };
    let id: ScoreReportId = id.parse().map_err(|_| unknown())?;
    let text = app.store.score_report(&id, app.clock.now()).await?.ok_or_else(unknown)?;
    if is_taken_down(app, &parsed(&text)?).await? { Err(unknown()) } else { Ok(text) }
}

/// Whether the operator blocked the host of the report's URL, or withdrew its listing after it: a later report says so.
async fn is_taken_down(app: &App, report: &ScoreReport) -> Result<bool, Problem> {
    let Ok(target) = Target::parse(&report.url, app.settings.reach()) else { return Ok(false) };
    let host = HostName::of_url(target.as_str());
    let blocked = app.store.blocked_hosts().await?;
    if host.is_some_and(|host| blocked.covering(&[host]).is_some()) {
        return Ok(true);
    }
    let listed = app.store.listing(&ListingId::of_url(target.url())).await?;
    Ok(listed
        .and_then(|listing| listing.withdrawal)
        .is_some_and(|last| last.is_final() && report.scored_at <= last.at))
}

pub async fn report(app: &App, id: &str) -> Result<ScoreReport, Problem> {
    parsed(&text(app, id).await?)
}

pub async fn latest(app: &App, target: &Target) -> Result<Option<(ScoreReportId, ScoreReport)>, Problem> {
    let url = without_secrets(&without_values(target.url()), &[]);
    let found = app.store.latest_score_report(&url, app.clock.now()).await?;
    let Some((id, text)) = found else { return Ok(None) };
    let report = parsed(&text)?;
    Ok((!is_taken_down(app, &report).await?).then_some((id, report)))
}

fn parsed(text: &str) -> Result<ScoreReport, Problem> {
    serde_json::from_str(text)
        .map_err(|error| Problem::fault(During::new("a stored report cannot be read", error)))
}

pub fn page_url(settings: &Settings, id: &ScoreReportId) -> String {
    settings.url(&format!("/check/{id}"))
}

pub fn expires_at(report: &ScoreReport) -> Moment {
    report.scored_at + jiff::SignedDuration::from_secs(registry_store::SCORE_REPORT_RETENTION)
}

pub fn limits(settings: &Settings) -> Option<String> {
    let rate = settings.rate(LimitedAction::Score);
    settings.rate_limits.then(|| {
        format!(
            "Checks in an hour: at most {} from each address, and {} for each domain.",
            rate.caller, rate.target
        )
    })
}

/// Whether the URL of a report is complete, so that it can be scored again.
pub fn is_complete(report: &ScoreReport) -> bool {
    !report.url.contains('…') && !report.url.contains(REMOVED)
}

fn made(
    target: &Target,
    assessment: &Assessment,
    mut steps: Vec<ProbeStep>,
    listed: Option<&Listing>,
) -> Result<(ScoreReport, String), serde_json::Error> {
    for step in &mut steps {
        for text in [&mut step.sent, &mut step.received] {
            // In JSON, an escaped line end would hide a phrase, and a quotation mark would make it an example.
            let read = text.replace("\\n", " ").replace('"', " ");
            if injection::fault(&read).is_some() {
                injection::WITHHELD.clone_into(text);
            }
        }
    }
    let Assessment { verdict, checks, score, probed_at, .. } = assessment;
    let mut reasons = reasons(assessment, listed);
    reasons.truncate(MAX_REASONS);
    let is_refused = listed.is_some_and(|listing| listing.lane == Lane::Withdrawn);
    let report = ScoreReport {
        url: without_values(target.url()),
        kind: verdict.facts.kind,
        name: verdict.facts.name.clone(),
        description: verdict.facts.description.clone(),
        score: score.value,
        breakdown: score.breakdown.clone(),
        handshake: verdict.handshake,
        latency_ms: verdict.latency_ms,
        reasons,
        checks: checks.clone(),
        would_go_live: !is_refused && assessment.is_clean() && verdict.handshake == Handshake::Ok,
        would_be_gated: !is_refused && assessment.proves_sign_in(),
        steps,
        scored_at: *probed_at,
    };
    let mut value = serde_json::to_value(&report)?;
    let keys: Vec<String> = keys_in(target);
    remove_secrets(&mut value, &keys);
    bounded(serde_json::from_value(value)?)
}

/// The values in the query of a URL that may be keys, as written and decoded.
fn keys_in(target: &Target) -> Vec<String> {
    let query = target.url().query().unwrap_or_default();
    let written = query.split('&').filter_map(|pair| Some(pair.split_once('=')?.1.to_owned()));
    let decoded = target.url().query_pairs().map(|(_, value)| value.into_owned());
    // A shorter value is removed from the URL, but not from texts of the server.
    written.chain(decoded).filter(|value| value.chars().count() >= 8).collect()
}

fn remove_secrets(value: &mut Value, keys: &[String]) {
    match value {
        Value::String(text) => *text = without_secrets(text, keys),
        Value::Array(values) => values.iter_mut().for_each(|value| remove_secrets(value, keys)),
        Value::Object(members) => members.values_mut().for_each(|value| remove_secrets(value, keys)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_secrets(text: &str, keys: &[String]) -> String {
    let text = keys.iter().fold(text.to_owned(), |text, key| text.replace(key.as_str(), REMOVED));
    let cleaned = without_personal_data(&text);
    // The cleaned text is normalized. A text without such data stays as it was sent.
    if cleaned.matches(REMOVED).count() > text.matches(REMOVED).count() { cleaned } else { text }
}

fn bounded(mut report: ScoreReport) -> Result<(ScoreReport, String), serde_json::Error> {
    // Characters of what was sent and received at each step: the first limit with which the report is short enough.
    for limit in [usize::MAX, 2000, 1000, 500, 200, 50] {
        for step in &mut report.steps {
            step.sent = shorten(&step.sent, limit);
            step.received = shorten(&step.received, limit);
        }
        let text = serde_json::to_string(&report)?;
        if text.len() <= MAX_REPORT_BYTES {
            return Ok((report, text));
        }
    }
    // The other texts are bounded, each by itself; only together they can be too long.
    while report.reasons.pop().is_some() {
        let text = serde_json::to_string(&report)?;
        if text.len() <= MAX_REPORT_BYTES {
            return Ok((report, text));
        }
    }
    report.url = shorten(&report.url, 500);
    report.description = None;
    let text = serde_json::to_string(&report)?;
    Ok((report, text))
}
