//! One conversation with one peer: the time and the number of requests that are left, and the findings so far. Every
//! request of a handshake is sent by this module, so that no protocol can exceed the limits of a probe. All probes of a
//! sweep share one thread and the memory of the process. So each peer has a budget for bytes and for values of its
//! answers, and long bodies are read on another thread.

use std::future;
use std::panic;
use std::time::Duration;

use http::header::RETRY_AFTER;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::findings::Findings;
use super::transcript::Sent;
use crate::reasons::{ConnectError, ProbeFault, ProbedResource, Stage};
use registry_app::App;
use registry_app::host_slots::HostSlot;
use registry_fetch::{
    Answer, FetchError, Fetcher, MAX_CARD_BYTES, MAX_ENDPOINT_ANSWER_BYTES, PROBE, Request, Target,
    TargetError,
};
use registry_model::error::shorten;
use registry_model::{Random, Reach};

/// The longest correct handshake takes ten, with the lists of resources and prompts; a hostile peer could cause more.
/// [`Conversation::allow_one_more`] adds to it.
const MAX_REQUESTS: u8 = 10;

/// A probe of a sweep takes a slot at each host, and waits for it until a certain time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots<'a> {
    pub(crate) app: &'a App,
    pub(crate) until: Instant,
}

#[derive(Debug)]
pub(super) struct Conversation<'a> {
    fetcher: &'a Fetcher,
    random: &'a Random,
    pub(super) findings: &'a mut Findings,
    ends: Instant,
    requests_left: u8,
    slots: Option<Slots<'a>>,
    slot: Option<HostSlot>,
    lacked_slot: bool,
    budget: ResponseBudget,
}

impl<'a> Conversation<'a> {
    /// Ends `limit` from now, not counting the time spent waiting for slots.
    pub(super) fn new(
        fetcher: &'a Fetcher,
        random: &'a Random,
        findings: &'a mut Findings,
        limit: Duration,
        slots: Option<Slots<'a>>,
    ) -> Self {
        let ends = Instant::now() + limit;
        let budget = ResponseBudget::default();
        Self {
            fetcher,
            random,
            findings,
            ends,
            requests_left: MAX_REQUESTS,
            slots,
            slot: None,
            lacked_slot: false,
            budget,
        }
    }

    pub(super) const fn lacked_slot(&self) -> bool {
        self.lacked_slot
    }

    /// Takes a slot at the host of `target`, and gives back the slot at another host. False if no slot becomes free in
    /// time. The slot belongs to the host that is called, which may differ from the host of the listing.
    pub(super) async fn take_slot_at(&mut self, target: &Target) -> bool {
        let Some(slots) = self.slots else { return true };
        if self.lacked_slot || self.slot.as_ref().is_some_and(|slot| slot.is_at(target)) {
            return !self.lacked_slot;
        }
        // Two probes that kept their slots while waiting for each other would deadlock.
        self.slot = None;
        let asked = Instant::now();
        self.slot = slots.app.host_slot(target, slots.until).await;
        // Waiting for a slot does not count against the peer.
        self.ends += asked.elapsed();
        self.lacked_slot = self.slot.is_none();
        !self.lacked_slot
    }

    pub(super) fn left(&self) -> Duration {
        // The last request ends before the probe's own time limit, so that the reason of the request is recorded.
        self.ends.saturating_duration_since(Instant::now()).saturating_sub(Duration::from_millis(50))
    }

    pub(super) fn may_send(&self, requests: u8) -> bool {
        requests <= self.requests_left && !self.left().is_zero()
    }

    /// Allows one request more: for what the server itself divides among requests, such as a list in pages.
    pub(super) const fn allow_one_more(&mut self) {
        self.requests_left += 1;
    }

    /// Waits as long as the server asks; false if the probe has no time for it.
    pub(super) async fn wait(&self, pause: Duration) -> bool {
        if pause >= self.left() {
            return false;
        }
        tokio::time::sleep(pause).await;
        true
    }

    pub(super) fn reach(&self) -> Reach {
        self.fetcher.reach()
    }

    pub(super) const fn fetcher(&self) -> &'a Fetcher {
        self.fetcher
    }

    /// Unlikely to be in a canned reply; exact in every JSON reader.
    pub(super) fn id(&self) -> u64 {
        self.random.below(1 << 31) + 1
    }

    /// A random UUID (version 4) for a message, or for a task that does not exist. Some frameworks store task ids
    /// in a UUID column and fail on other text.
    pub(super) fn uuid(&self) -> String {
        let hex = self.random.hex(16);
        format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }

    /// Sends a request within the time that is left. Returns [`FetchError::Timeout`] also if time or slots have run out;
    /// after zero time if the requests have.
    pub(super) async fn send(&mut self, request: Request) -> Result<Answer, FetchError> {
        let answer = self.send_aside(request).await?;
        self.findings.answered();
        self.findings.note_retry_after(retry_after(&answer));
        Ok(answer)
    }

    /// The same for a request outside of the handshake: its answer changes neither the latency nor the next probe's time.
    pub(super) async fn send_aside(&mut self, request: Request) -> Result<Answer, FetchError> {
        if self.requests_left == 0 {
            return Err(FetchError::Timeout { after: Duration::ZERO });
        }
        if !self.may_send(1) || !self.take_slot_at(&request.target).await {
            return Err(FetchError::Timeout { after: PROBE });
        }
        self.requests_left -= 1;
        self.findings.request_sent();
        let deadline = request.deadline.min(self.left());
        let most = request.max_bytes.min(self.budget.bytes);
        let sent = Sent::of(&request);
        let sending = self.fetcher.send(request.with_deadline(deadline).with_max_bytes(most));
        let answer =
            sending.await.inspect_err(|error| self.findings.exchanged(sent.clone().failed(error)))?;
        self.findings.exchanged(sent.answered(&answer));
        self.charge(&answer);
        Ok(answer)
    }

    pub(super) fn charge(&mut self, answer: &Answer) {
        self.budget.bytes = self.budget.bytes.saturating_sub(answer.body.len());
    }

    /// Reads an answer within the response budget; a long one on another thread, because all probes share this one.
    pub(super) async fn read<T: Send + 'static>(
        &mut self,
        answer: &Answer,
        read: impl FnOnce(&Answer, &mut ResponseBudget) -> T + Send + 'static,
    ) -> T {
        if !is_long(answer.body.len()) {
            return read(answer, &mut self.budget);
        }
        let (answer, mut budget) = (answer.clone(), self.budget);
        let found = on_other_thread(move || (read(&answer, &mut budget), budget)).await;
        self.budget = found.1;
        found.0
    }
}

/// The seconds of Retry-After (RFC 9110 §10.2.3). The date form is ignored: it needs a clock that agrees with the
/// peer's, and a retry comes early anyway.
pub(super) fn retry_after(answer: &Answer) -> Option<Duration> {
    let seconds = answer.header(RETRY_AFTER.as_str())?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(Duration::from_secs(24 * 3600)))
}

pub(super) fn fault_of(error: &FetchError, resource: ProbedResource, stage: Stage) -> ProbeFault {
    let unreached = |cause| ProbeFault::Unreached(stage, cause);
    match error {
        FetchError::AfterRedirect { error, .. } => fault_of(error, resource, stage),
        FetchError::Blocked(TargetError::PrivateAddress) => unreached(ConnectError::NotPublic),
        FetchError::OwnHost => unreached(ConnectError::OwnHost),
        FetchError::Blocked(_) => unreached(ConnectError::Url),
        FetchError::NameNotFound => unreached(ConnectError::HostNotFound),
        FetchError::NameUnresolved => unreached(ConnectError::ResolverFailed),
        FetchError::Refused => unreached(ConnectError::Refused),
        FetchError::Tls(failure) => unreached(ConnectError::Tls(*failure)),
        FetchError::Timeout { after } if after.is_zero() => ProbeFault::RequestsUsedUp,
        FetchError::Timeout { .. } => match stage {
            Stage::Preflight => ProbeFault::PreflightTimeout,
            Stage::Probe => ProbeFault::ProbeTimeout,
        },
        FetchError::TooLarge { limit: MAX_CARD_BYTES | MAX_ENDPOINT_ANSWER_BYTES } => {
            ProbeFault::TooLarge(resource)
        }
        // The limit was the rest of the budget.
        FetchError::TooLarge { .. } => ProbeFault::TooMuch,
        FetchError::TooManyRedirects | FetchError::BadRedirect => ProbeFault::Redirected(resource, None),
        FetchError::Broken => ProbeFault::ConnectionLost,
        FetchError::BadEncoding => ProbeFault::BadEncoding,
    }
}

/// What was seen of a request without an answer, without the time that it had: the limit is that of the whole probe.
pub(super) fn no_answer_text(error: &FetchError) -> String {
    match error {
        FetchError::Timeout { .. } => "No complete answer arrived in time.".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn refusal(answer: &Answer, resource: ProbedResource) -> ProbeFault {
    let status = answer.status.as_u16();
    if let Some(fault) = guard(answer, resource) {
        fault
    } else if answer.status.is_redirection() {
        ProbeFault::Redirected(resource, Some(status))
    } else {
        ProbeFault::Http(resource, status)
    }
}

/// What stands before the server and answers in its place.
pub(super) fn guard(answer: &Answer, resource: ProbedResource) -> Option<ProbeFault> {
    let status = answer.status.as_u16();
    if is_bot_wall(answer) {
        return Some(ProbeFault::Waf(resource, status));
    }
    let start = String::from_utf8_lossy(&answer.body[..answer.body.len().min(2048)]).to_ascii_lowercase();
    let says = |marks: &[&str]| marks.iter().any(|mark| start.contains(mark));
    // As Go, nginx and Apache say it.
    let wants_tls = [
        "http request to an https server",
        "plain http request was sent to https port",
        "plain http to an ssl",
    ];
    if status == 400 && answer.target.url().scheme() == "http" && says(&wants_tls) {
        return Some(ProbeFault::PlainHttp(resource));
    }
    // As the SDKs of MCP, Starlette, Django, Vite and webpack say it.
    let refuses_host = ["invalid host", "invalid http_host", "host header", "disallowedhost", "this host ("];
    (matches!(status, 400 | 403 | 421) && says(&refuses_host))
        .then_some(ProbeFault::HostRefused(resource, status))
}

/// By the marks that common bot walls leave on a challenge or block page.
pub(super) fn is_bot_wall(answer: &Answer) -> bool {
    /// A page with these is a challenge, whatever its status.
    const CHALLENGES: [&str; 8] = [
        "cf-chl",
        "_cf_chl_opt",
        "anubis_challenge",
        "captcha-delivery.com",
        "Vercel Security Checkpoint",
        "_Incapsula_Resource",
        "awsWafCookieDomainList",
        "px-captcha",
    ];
    /// Pages that are shown to people may contain these, too.
    const BLOCKS: [&str; 5] = [
        "token.awswaf.com",
        "/cdn-cgi/challenge-platform",
        "Attention Required! | Cloudflare",
        "errors.edgesuite.net",
        "Sucuri Website Firewall",
    ];
    let mitigated = ["cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated"];
    let is_refused = !answer.status.is_success();
    // Akamai signs its own 403. Other statuses may be those of the server behind it, such as a 401 with a challenge.
    let of_akamai = answer.status.as_u16() == 403
        && answer.header("server").is_some_and(|server| server.eq_ignore_ascii_case("AkamaiGHost"));
    if mitigated.iter().any(|name| answer.header(name).is_some()) || of_akamai {
        return true;
    }
    let start = &answer.body[..answer.body.len().min(16 * 1024)];
    let has = |marks: &[&str]| {
        marks.iter().any(|mark| start.windows(mark.len()).any(|window| window == mark.as_bytes()))
    };
    match answer.content_type() {
        "text/html" => has(&CHALLENGES) || is_refused && has(&BLOCKS),
        // DataDome answers machines in JSON.
        "application/json" => is_refused && has(&["captcha-delivery.com"]),
        _ => false,
    }
}

pub(super) fn excerpt(answer: &Answer) -> String {
    let start = String::from_utf8_lossy(&answer.body[..answer.body.len().min(400)]);
    let kind = match answer.content_type() {
        "" => "no content-type",
        kind => kind,
    };
    let start = shorten(start.trim(), 100);
    format!("HTTP {}, {kind}; the server wrote \"{start}\"", answer.status.as_u16())
}

const MAX_BYTES: usize = 4 * 1024 * 1024;

/// An event of a stream counts as at least one.
const MAX_VALUES: usize = 100_000;

/// The number of long bodies that the whole process reads at the same time. Each may use memory for all its values.
static READERS: Semaphore = Semaphore::const_new(2);

#[derive(Clone, Copy, Debug)]
pub(super) struct ResponseBudget {
    pub(super) bytes: usize,
    pub(super) values: usize,
}

impl Default for ResponseBudget {
    fn default() -> Self {
        Self { bytes: MAX_BYTES, values: MAX_VALUES }
    }
}

pub(super) const fn is_long(bytes: usize) -> bool {
    // Up to this length, moving a body to another thread would take longer than reading it.
    bytes > 32 * 1024
}

/// Runs `read` on another thread, because all probes share this one.
pub(super) async fn on_other_thread<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> T {
    let reader = READERS.acquire().await;
    // The probe may end before its thread.
    let counted = move || {
        let read = read();
        drop(reader);
        read
    };
    match spawn_blocking(counted).await {
        Ok(read) => read,
        Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
        // The process is shutting down.
        Err(_) => future::pending().await,
    }
}

#[cfg(test)]
mod tests;
