//! Finds out what is at a URL: an agent with its card on the same site, or an MCP server at this URL. The URL of a site
//! may also mean the MCP server at `/mcp`. All card paths are requested first and at the same time, because a GET that
//! finds nothing costs less than a handshake. A document that is no agent card, but says where the card or the MCP endpoint
//! is (an MCP server card, the configuration of a client, a registration), is followed within the site of its owner, and
//! only one step.

use std::time::Duration;

use futures::future::join_all;

use super::conversation::Conversation;
use super::subject::Subject;
use super::transcript::Sent;
use super::{a2a, mcp};
use crate::checks::same_owner;
use crate::reasons::{self, ProbeFault, ProbedResource};
use registry_fetch::{Answer, FetchError, Request, Target};
use registry_formats::agent_card::{self, CardFault, Lead, OtherDocument};
use registry_model::{Handshake, Kind, names_mcp_endpoint};

/// In the order of trust (A2A 8.2; `agent.json` before 0.3).
const PATHS: [&str; 2] = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
/// A few older agents use these.
const LEGACY_PATHS: [&str; 2] = ["/agent-card.json", "/agent.json"];
const MCP_PATH: &str = "/mcp";
/// Card paths of one site that are requested at the same time.
const MAX_CONCURRENT: usize = 4;
const LOOK_DEADLINE: Duration = Duration::from_millis(2500);

struct FoundCard {
    url: Target,
    answer: Answer,
    is_usable: bool,
    exchange: usize,
}

impl FoundCard {
    /// Whether the published URL leads to this agent: it is that of the card, of an interface, or above the card. A URL
    /// elsewhere on the site may be that of an MCP server.
    fn is_meant_by(&self, subject: &Subject) -> bool {
        let path = subject.url.url().path().trim_end_matches('/');
        let below = self.url.url().path().strip_prefix(path);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) || names(&self.answer, subject)
    }
}

/// Whether the card names the published URL as an interface.
fn names(card: &Answer, subject: &Subject) -> bool {
    let published = subject.url.as_str().trim_end_matches('/');
    agent_card::read_body(&card.body)
        .is_ok_and(|card| card.interfaces.iter().any(|one| one.url.trim_end_matches('/') == published))
}

#[derive(Default)]
struct Site {
    card: Option<FoundCard>,
    /// Another document at a card path.
    other: Option<(Target, OtherDocument)>,
    status: Option<u16>,
    is_too_long: bool,
}

pub(super) async fn probe(peer: &mut Conversation<'_>, subject: &Subject) {
    let (likely, legacy) = candidates(peer, &subject.url);
    let mut site = fetch_cards(peer, likely).await;
    let usable = site.card.as_ref().filter(|card| card.is_usable);
    if let Some(card) = usable.filter(|card| card.is_meant_by(subject)) {
        peer.findings.found_card_in(card.exchange);
        return probe_card(peer, subject, &card.url, &card.answer).await;
    }
    mcp::probe(peer, subject).await;
    // A bare 401 or 403 proves nothing about the server behind it.
    let is_unproven = mcp::auth::is_unproven(peer.findings);
    if is_unproven && usable.is_none() {
        server_of_site(peer, subject).await;
        return;
    }
    if peer.findings.speaks || (!is_unproven && peer.findings.worst() != Handshake::Fail) {
        peer.findings.facts.kind = Some(Kind::Mcp);
        return;
    }
    if site.card.is_none() && peer.left() > LOOK_DEADLINE {
        let found = fetch_cards(peer, legacy).await;
        site = Site { card: found.card, other: site.other.or(found.other), ..site };
    }
    match site.card {
        // Faults of the URL as an MCP server do not matter if the peer is an agent.
        Some(card) => {
            peer.findings.take_faults();
            peer.findings.found_card_in(card.exchange);
            peer.findings.facts.endpoint = None;
            probe_card(peer, subject, &card.url, &card.answer).await;
        }
        None => {
            if server_of_site(peer, subject).await || suggest_endpoint(peer, subject).await {
                return;
            }
            // The network, a guard or broken JSON-RPC explains why nothing was found; the URL of an MCP endpoint needs no card.
            let found = &*peer.findings;
            if found.lacks_contact() || found.has("bad_jsonrpc") || !subject.may_be(Kind::Agent) {
                return;
            }
            if site.is_too_long {
                let fault = ProbeFault::TooLarge(ProbedResource::Card);
                return peer.findings.fault_first(&fault, "a JSON object over 256 KiB where a card can be");
            }
            let Some((url, other)) = site.other else {
                let seen = "no agent card at the address or the site's well-known paths, and no MCP server at the address";
                return peer.findings.fault_first(&ProbeFault::NothingFound(site.status), seen);
            };
            if !follow(peer, subject, &url, &other).await {
                let fault = ProbeFault::NotACard { status: 200, fix: other.fix };
                peer.findings.fault_first(&fault, &format!("{}: {}", url.url().path(), other.seen));
            }
        }
    }
}

/// Tries `/mcp` if the URL is that of a site where nothing speaks MCP. False if no MCP server is there; the findings are
/// then those from before.
pub(super) async fn server_of_site(peer: &mut Conversation<'_>, subject: &Subject) -> bool {
    let Ok(url) = subject.url.join(MCP_PATH, peer.reach()) else { return false };
    let found = &*peer.findings;
    // A root that is protected or broken says nothing about other paths. A busy or slow host gets no further request.
    let is_open = match found.worst() {
        Handshake::Fail => !found.is_inconclusive() || found.has("http_5xx"),
        _ => mcp::auth::is_unproven(found),
    };
    if !subject.is_site() || found.speaks || !is_open {
        return false;
    }
    let endpoint = peer.findings.facts.endpoint.take();
    let faults = peer.findings.take_faults();
    mcp::probe(peer, &Subject { url, ..subject.clone() }).await;
    let found = peer.findings.speaks || mcp::auth::describes_sign_in(peer.findings);
    if found {
        peer.findings.facts.kind = Some(Kind::Mcp);
        peer.findings.facts.card_url = None;
    } else {
        peer.findings.facts.endpoint = endpoint;
        peer.findings.put_back(faults);
    }
    found
}

/// The card of the site, if it names the published URL as an interface: then the URL is that of an agent.
pub(super) async fn card_that_names(
    peer: &mut Conversation<'_>,
    subject: &Subject,
) -> Option<(Target, Answer)> {
    let url = subject.url.join(PATHS[0], peer.reach()).ok().filter(|_| subject.may_be(Kind::Agent))?;
    let answer =
        peer.send(Request::get(url.clone())).await.ok().filter(|answer| answer.status.is_success())?;
    names(&answer, subject).then_some((url, answer))
}

/// Tries `mcp` beside the published path and at the root if nothing is at that path: its publisher may have mistyped it. What
/// is found there says nothing about the published URL, so only the advice is recorded. False if there is no MCP server.
pub(super) async fn suggest_endpoint(peer: &mut Conversation<'_>, subject: &Subject) -> bool {
    let found = &*peer.findings;
    let is_nothing = found.worst() == Handshake::Fail && !found.is_inconclusive() && !found.lacks_contact();
    if subject.is_proven || subject.is_site() || !is_nothing || !subject.may_be_at_endpoint() {
        return false;
    }
    let path = subject.url.url().path().trim_end_matches('/');
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = (!folder.is_empty()).then(|| format!("{folder}{MCP_PATH}"));
    for path in beside.into_iter().chain([MCP_PATH.to_owned()]) {
        let Ok(url) = subject.url.join(&path, peer.reach()) else { continue };
        if url != subject.url && mcp::opens(peer, &url).await {
            let fault = ProbeFault::EndpointElsewhere(url.to_string());
            let seen = format!("an MCP server at {path} of this host, and none at the published path");
            // Nothing can be fixed at the published path.
            peer.findings.take_faults();
            peer.findings.fault(&fault, &seen);
            peer.findings.facts.elsewhere = Some(url.to_string());
            return true;
        }
    }
    false
}

/// The URLs to try first (the address itself, below it, at the root), and the older ones.
fn candidates(peer: &Conversation<'_>, url: &Target) -> (Vec<Target>, Vec<Target>) {
    let path = url.url().path().trim_end_matches('/').to_owned();
    let at = |path: String| url.join(&path, peer.reach()).ok();
    let mut likely = vec![Some(url.clone())];
    let mut legacy = Vec::new();
    if !path.is_empty() {
        likely.extend(PATHS.map(|card| at(format!("{path}{card}"))));
    }
    // A publisher who names the site's MCP endpoint does not mean the site's agent.
    if !names_mcp_endpoint(url.as_str()) {
        likely.extend(PATHS.map(|card| at(card.to_owned())));
        legacy.extend(LEGACY_PATHS.map(|card| at(card.to_owned())));
    }
    let mut likely: Vec<Target> = likely.into_iter().flatten().collect();
    let mut legacy: Vec<Target> = legacy.into_iter().flatten().collect();
    // With a path there is one too many: the oldest name at the root is tried later.
    legacy.extend(likely.split_off(likely.len().min(MAX_CONCURRENT)));
    legacy.truncate(MAX_CONCURRENT);
    (likely, legacy)
}

/// Requests all `urls` concurrently; the first in order that returns a card counts.
async fn fetch_cards(peer: &mut Conversation<'_>, urls: Vec<Target>) -> Site {
    // All URLs are on one site.
    let Some(site) = urls.first() else { return Site::default() };
    if !peer.take_slot_at(site).await {
        return Site::default();
    }
    let fetcher = peer.fetcher();
    let deadline = LOOK_DEADLINE.min(peer.left());
    let requests = urls.into_iter().map(|url| async move {
        // The first byte identifies a page or an event stream: the rest need not be read.
        let request = Request::get(url.clone()).with_deadline(deadline).until(until_no_json_object());
        (url, Sent::searching(&request), fetcher.send(request).await)
    });
    let mut site = Site::default();
    let answers = join_all(requests).await;
    let mut exchanges = Vec::new();
    for (_, sent, answer) in &answers {
        peer.findings.exchanged(match answer {
            Ok(answer) => sent.clone().answered(answer),
            Err(error) => sent.clone().failed(error),
        });
        exchanges.push(peer.findings.current_exchange());
    }
    for (at, ((url, _, answer), exchange)) in answers.into_iter().zip(exchanges).enumerate() {
        site.is_too_long |= matches!(answer, Err(FetchError::TooLarge { .. }));
        let Ok(answer) = answer else { continue };
        // On most sites the address itself returns something else; the next path is where a card is expected.
        if at == 1 {
            site.status = Some(answer.status.as_u16());
        }
        if !answer.status.is_success() {
            continue;
        }
        peer.charge(&answer);
        match peer.read(&answer, |answer, _| agent_card::read_body(&answer.body)).await {
            Ok(_) => {
                site.card = Some(FoundCard { url, answer, is_usable: true, exchange });
                break;
            }
            Err(agent_card::CardFault::Invalid(_)) if site.card.is_none() => {
                site.card = Some(FoundCard { url, answer, is_usable: false, exchange });
            }
            Err(agent_card::CardFault::NotACard(other)) => {
                // Most sites serve a page for people at the address itself, and some at every path.
                if at > 0 && answer.body.trim_ascii_start().starts_with(b"{") {
                    site.other.get_or_insert((url, other));
                }
                continue;
            }
            Err(agent_card::CardFault::Invalid(_)) => continue,
        }
        // A publisher who names a broken card means that card, and not the next one that works.
        if at == 0 {
            break;
        }
    }
    site
}

/// True once a growing body can no longer become a JSON object.
fn until_no_json_object() -> impl FnMut(&[u8]) -> bool + Send + 'static {
    let mut blank = 0;
    move |body| {
        if blank == 0 && body.starts_with(b"\xEF\xBB\xBF") {
            blank = 3;
        }
        blank += body[blank..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        !matches!(body.get(blank), None | Some(b'{' | 0xEF))
    }
}

/// The handshake with the agent of a card. A document that is no card may lead to an agent or a server.
pub(super) async fn probe_card(
    peer: &mut Conversation<'_>,
    subject: &Subject,
    card_url: &Target,
    answer: &Answer,
) {
    let Err(fault) = a2a::probe(peer, subject, card_url, answer).await else { return };
    if let CardFault::NotACard(other) = &fault
        && follow(peer, subject, card_url, other).await
    {
        return;
    }
    for (fault, seen) in reasons::card_faults(fault, answer.status.as_u16()) {
        peer.findings.fault(&fault, &seen);
    }
}

/// The answer at a URL, if it is a valid card.
pub(super) async fn card_at(peer: &mut Conversation<'_>, url: &Target) -> Option<Answer> {
    let answer = peer.send(Request::get(url.clone())).await.ok()?;
    (answer.status.is_success() && agent_card::read_body(&answer.body).is_ok()).then_some(answer)
}

/// Whether the agent or server at the other end of a document was found; its findings are then recorded.
pub(super) async fn follow(
    peer: &mut Conversation<'_>,
    subject: &Subject,
    document_url: &Target,
    document: &OtherDocument,
) -> bool {
    let (kind, written) = match &document.leads_to {
        Some(Lead::Mcp(url)) => (Kind::Mcp, url),
        Some(Lead::Card(url)) => (Kind::Agent, url),
        None => return false,
    };
    let Ok(url) = document_url.join(written, peer.reach()) else { return false };
    let is_other = url != *document_url && same_owner(document_url.as_str(), url.as_str());
    if !is_other || subject.is_proven && subject.kind != Some(kind) {
        return false;
    }
    let faults = peer.findings.take_faults();
    let found = match kind {
        Kind::Mcp => {
            mcp::probe(peer, &Subject { url, ..subject.clone() }).await;
            let speaks = peer.findings.speaks || peer.findings.facts.sign_in.is_some();
            if speaks {
                peer.findings.facts.kind = Some(Kind::Mcp);
                peer.findings.facts.card_url = None;
            }
            speaks
        }
        Kind::Agent => match card_at(peer, &url).await {
            Some(answer) => a2a::probe(peer, subject, &url, &answer).await.is_ok(),
            None => false,
        },
    };
    if !found {
        peer.findings.facts.endpoint = None;
        peer.findings.put_back(faults);
    }
    found
}
