//! The preflight decides whether a full probe is started. It costs one GET or one connection. Most failing
//! listings are at a host that does not answer, and such hosts must not use up the probes of the day.

use super::conversation::{excerpt, fault_of, is_bot_wall, refusal, retry_after};
use super::findings::Findings;
use super::subject::Subject;
use super::transcript::Sent;
use crate::reasons::{ProbeFault, ProbedResource, Stage};
use registry_fetch::{Answer, FetchError, Fetcher, PREFLIGHT, Request, Target};
use registry_model::{Kind, Verdict};

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "each probe has one, for a short time")]
pub enum PreflightResult {
    /// With the card if it was fetched, so that the probe need not fetch it again.
    Pass { card: Option<Answer> },
    /// The peer is known to be dead: no probe budget is spent.
    Reject(Verdict),
}

/// Decides whether a probe is started. It takes at most [`PREFLIGHT`] in total (`specification.md#preflight`).
///
/// For an agent, the card is fetched, and every status except 2xx rejects the listing. For an MCP server, only a
/// connection is opened, because HEAD and GET say nothing about an endpoint that accepts POST.
pub async fn preflight(fetcher: &Fetcher, subject: &Subject) -> PreflightResult {
    let mut findings = Findings::default();
    match pass(fetcher, subject, &mut findings).await {
        Ok(card) => PreflightResult::Pass { card },
        Err(Rejected) => PreflightResult::Reject(findings.into_verdict()),
    }
}

/// The peer is known to be dead; the findings say why.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rejected;

/// The preflight with its findings. Returns the card if it was fetched.
pub(super) async fn pass(
    fetcher: &Fetcher,
    subject: &Subject,
    findings: &mut Findings,
) -> Result<Option<Answer>, Rejected> {
    findings.facts.kind = subject.kind;
    let resource = if expects_card(subject) { ProbedResource::Card } else { ProbedResource::Remote };
    let (fault, seen) = if is_templated(&subject.url) {
        (ProbeFault::Templated, subject.url.to_string())
    } else {
        match fetch_card_or_connect(fetcher, subject, resource, findings).await {
            Ok(Some(answer)) if is_dead(&answer, subject) => {
                findings.answered_before(answer.elapsed);
                findings.note_retry_after(retry_after(&answer));
                findings.facts.card_url = Some(subject.url.to_string());
                (refusal(&answer, resource), excerpt(&answer))
            }
            Ok(card) => return Ok(card),
            Err(error) => (fault_of(&error, resource, Stage::Preflight), error.to_string()),
        }
    };
    findings.signal("preflight_reject");
    findings.fault(&fault, &seen);
    Err(Rejected)
}

async fn fetch_card_or_connect(
    fetcher: &Fetcher,
    subject: &Subject,
    resource: ProbedResource,
    findings: &mut Findings,
) -> Result<Option<Answer>, FetchError> {
    let (sent, result) = match resource {
        ProbedResource::Card => {
            let request = Request::get(subject.url.clone()).with_deadline(PREFLIGHT);
            (Sent::of(&request), fetcher.send(request).await.map(Some))
        }
        ProbedResource::Remote => {
            let connected = fetcher.connect(&subject.url, PREFLIGHT).await;
            (Sent::connection(&subject.url), connected.map(|()| None))
        }
    };
    findings.exchanged(match &result {
        Ok(Some(answer)) => sent.answered(answer),
        Ok(None) => sent.connected(),
        Err(error) => sent.failed(error),
    });
    result
}

/// A card that cannot be fetched. A possible MCP server may answer a GET with any status, except with signs of trouble.
fn is_dead(answer: &Answer, subject: &Subject) -> bool {
    let (status, in_trouble) = (answer.status, is_bot_wall(answer) || answer.status.is_server_error());
    !status.is_success() && (in_trouble || status.as_u16() == 429 || !subject.may_be(Kind::Mcp))
}

fn expects_card(subject: &Subject) -> bool {
    match subject.kind {
        Some(kind) => kind == Kind::Agent,
        None => subject.url.url().path().ends_with(".json"),
    }
}

/// A placeholder in braces, as in server descriptions; the URL parser has escaped it. A client may fill it in with a secret.
pub(super) fn is_templated(url: &Target) -> bool {
    let text = url.as_str().to_ascii_lowercase().replace("%7b", "{").replace("%7d", "}");
    text.find('{').is_some_and(|open| text[open..].contains('}'))
}
