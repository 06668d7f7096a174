//! Follows a document that is not an agent card, but says where the card or the MCP endpoint is: an MCP server card, the
//! configuration of a client, a registration. Only within the site of its owner, and only one step.

use super::conversation::Conversation;
use super::subject::Subject;
use super::{a2a, mcp};
use crate::checks::same_owner;
use crate::reasons;
use registry_fetch::{Answer, Request, Target};
use registry_formats::agent_card::{self, CardFault, Lead, OtherDocument};
use registry_model::Kind;

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
