//! `/check` and `/check/{id}`: the form that scores a URL, and the report of a score with each request of the probe. A GET
//! only reads: the form sends a POST to `/api/publish`, because `/api/score` accepts no POST.

use super::frame::{self, Frame, Section, html};
use super::problem_page::{MAX_URL_CHARS, in_page};
use super::rows::{CheckRow, PartRow, check_row, kind_label, part_row};
use super::when::When;
use crate::documents::id_in_check;
use crate::prelude::*;
use registry_features::review::score_report::{self, RETENTION_DAYS};
use registry_fetch::Target;
use registry_model::{Handshake, ProbeStep, Reason, ScorePart, ScoreReport, ScoreReportId, StepKind};
use registry_probe::explain;

#[derive(Template)]
#[template(path = "check.html")]
struct Form<'a> {
    frame: Frame<'a>,
    url: String,
    refusal: Option<String>,
    latest: Option<Latest>,
    limits: Option<String>,
    days: i64,
}

/// The latest report about the URL in the form.
struct Latest {
    path: String,
    score: u8,
    at: When,
}

impl<'a> Form<'a> {
    fn of(settings: &'a Settings, url: &str) -> Self {
        let description = "Checks an A2A agent or an MCP server with a real handshake, and shows each request and \
            answer, the score and what to fix. Nothing is listed.";
        Self {
            frame: Frame::of(
                settings,
                Section::ForAgents,
                "/check",
                "Check an agent or MCP server",
                description,
            ),
            url: shorten(url, MAX_URL_CHARS),
            refusal: None,
            latest: None,
            limits: score_report::limits(settings),
            days: RETENTION_DAYS,
        }
    }
}

/// What to check.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct CheckQuery {
    /// The URL of an agent card, a site or an MCP endpoint. If there is a report about it, the page links to the latest one.
    #[serde(default)]
    url: String,
}

pub(super) static CHECK: AnyDocument = AnyDocument {
    paths: &["/check"],
    summary: "The form that checks an agent or MCP server without listing it, and what the check sends.",
    ..frame::page(|app, request| Box::pin(form(app, request))).with_query::<CheckQuery>()
};

async fn form(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let url = request.query::<CheckQuery>()?.url.trim();
    let mut form = Form::of(&app.settings, url);
    if !url.is_empty() {
        form.frame = form.frame.not_indexed();
    }
    if let Ok(target) = Target::parse(url, app.settings.reach()) {
        let latest = score_report::latest(app, &target).await?;
        form.latest = latest.map(|(id, report)| Latest {
            path: format!("/check/{id}"),
            score: report.score,
            at: When::of(report.scored_at, app.clock.now()),
        });
    }
    html(&form)
}

/// The form again, with what to correct, for a browser whose check was refused.
pub(crate) fn refused_check(settings: &Settings, url: &str, problem: &Problem) -> Response {
    let detail = problem.detail.strip_prefix("`url`: ").unwrap_or(&problem.detail).to_owned();
    let form = Form::of(settings, url);
    let form = Form { frame: form.frame.clone().not_indexed(), refusal: Some(detail), ..form };
    in_page(&form, Refused(problem.clone()).into_response())
}

#[derive(Template)]
#[template(path = "check_report.html")]
struct Page<'a> {
    frame: Frame<'a>,
    report: &'a ScoreReport,
    outcome: (&'static str, &'static str),
    at: When,
    expires: When,
    steps: Vec<StepRow<'a>>,
    checks: Vec<CheckRow>,
    parts: Vec<PartRow>,
    /// The URL to check again; `None` if the report does not contain all of it.
    again: Option<&'a str>,
    limits: Option<String>,
    days: i64,
    path: String,
    link: String,
}

/// What a listing with this report would be: a class of the style sheet and a text.
const fn outcome(report: &ScoreReport) -> (&'static str, &'static str) {
    match (report.would_go_live, report.would_be_gated) {
        (true, _) => ("good", "can go Live"),
        (false, true) => ("warn", "gated"),
        (false, false) => ("bad", "not Live"),
    }
}

struct StepRow<'a> {
    step: &'a ProbeStep,
    reasons: Vec<&'a Reason>,
    parts: Vec<&'a ScorePart>,
}

impl<'a> StepRow<'a> {
    fn all(report: &'a ScoreReport) -> Vec<Self> {
        let row = |step: &'a ProbeStep| Self {
            step,
            reasons: report.reasons.iter().filter(|reason| step.reasons.contains(&reason.code)).collect(),
            parts: report.breakdown.iter().filter(|part| step.parts.contains(&part.id)).collect(),
        };
        report.steps.iter().map(row).collect()
    }

    fn class(&self) -> &'static str {
        let is_success = self.step.status.is_some_and(|status| (200..300).contains(&status));
        if !self.reasons.is_empty() {
            "bad"
        } else if is_success || self.step.kind == StepKind::Connection {
            "good"
        } else {
            // A refusal that is no fault, such as that of a version or of a place without a card.
            "none"
        }
    }
}

/// The path parameter is the id of the report.
pub(super) static CHECK_REPORT: AnyDocument = AnyDocument {
    paths: &["/check/{id}"],
    summary: "The report of a score: each request of the probe with its answer, the rule of the specification, the \
        points and what to fix. Stored for 30 days.",
    max_age_s: Some(60),
    refusals: &[ErrorKind::NotFound],
    ..frame::page(|app, request| Box::pin(report(app, request)))
};

async fn report(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let id = id_in_check(&request.path);
    let report = score_report::report(app, id).await?;
    let id: ScoreReportId = id.parse().map_err(|_| Problem::fault("the id of a stored report is invalid"))?;
    let (settings, now) = (&app.settings, app.clock.now());
    let path = format!("/check/{id}");
    let description = format!("What a probe found at {}.", report.url);
    html(&Page {
        // What a stranger's server sent is not for search engines.
        frame: Frame::of(settings, Section::ForAgents, &path, "Check report", description).not_indexed(),
        outcome: outcome(&report),
        at: When::of(report.scored_at, now),
        expires: When::of(score_report::expires_at(&report), now),
        steps: StepRow::all(&report),
        checks: report
            .checks
            .iter()
            .map(|check| check_row(check, explain::fix_for_check(&check.id)))
            .collect(),
        parts: report.breakdown.iter().map(part_row).collect(),
        again: Some(report.url.as_str()).filter(|_| score_report::is_complete(&report)),
        limits: score_report::limits(settings),
        days: RETENTION_DAYS,
        link: score_report::page_url(settings, &id),
        path,
        report: &report,
    })
}

/// The state of a handshake as a class of the style sheet.
const fn handshake_class(handshake: Handshake) -> &'static str {
    match handshake {
        Handshake::Ok => "good",
        Handshake::Partial | Handshake::Skip => "warn",
        Handshake::Fail => "bad",
    }
}
