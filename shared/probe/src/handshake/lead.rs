//! Follows a document that is not an agent card, but says where the card or the MCP endpoint is: an MCP server card, the
//! configuration of a client, a registration. Only within the site of its owner, and only one step.

use super::conversation::Conversation;
use super::{Subject, a2a, mcp};
use crate::checks::same_owner;
use registry_fetch::{Request, Target};
use registry_formats::agent_card::{self, Lead, OtherDocument};
use registry_model::Kind;

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
        Kind::Agent => match peer.ask(Request::get(url.clone())).await {
            Ok(answer) if answer.status.is_success() && agent_card::read_body(&answer.body).is_ok() => {
                Box::pin(a2a::probe(peer, subject, &url, &answer)).await;
                true
            }
            _ => false,
        },
    };
    if !found {
        peer.findings.facts.endpoint = None;
        peer.findings.put_back(faults);
    }
    found
}
