//! Checks a card or a server.json that is not deployed yet, with the rules of the registry that need no request.

use registry_formats::agent_card::{self, AgentCard, Binding, CardFault, CardViolation, Interface};
use registry_formats::{document_texts, server_json};
use registry_model::Reach;
use serde_json::{Value, json};

/// Warnings about an interface that only this machine can use. If it is the interface that callers use, the agent cannot go Live.
const UNREACHABLE: [&str; 2] = ["interface_local", "interface_not_https"];

/// The faults of a document in the form of an answer of the registry.
pub(crate) fn check(file: &str, document: &Value, reach: Reach) -> Value {
    let (kind, reasons, warnings) = if is_server(document) {
        ("mcp", faults_of_server(document, reach), Vec::new())
    } else {
        let (reasons, warnings) = faults_of_card(document);
        ("agent", reasons, warnings)
    };
    json!({
        "ok": true, "file": file, "kind": kind, "valid": reasons.is_empty(), "reasons": reasons,
        "warnings": warnings,
    })
}

pub(crate) fn is_server(document: &Value) -> bool {
    document.as_object().is_some_and(server_json::looks_like)
}

fn finding(path: &str, code: &str, seen: &str, fix: &str) -> Value {
    let reason = if path.is_empty() { "The document as a whole.".to_owned() } else { format!("`{path}`") };
    json!({ "path": path, "code": code, "reason": reason, "seen": seen, "fix": fix })
}

fn faults_of_server(document: &Value, reach: Reach) -> Vec<Value> {
    let violations = server_json::parse_server_json(document, reach).err().unwrap_or_default();
    violations.iter().map(|found| finding(&found.path, found.rule, "", &found.message)).collect()
}

fn faults_of_card(document: &Value) -> (Vec<Value>, Vec<Value>) {
    let of_card = |found: &CardViolation| finding(&found.path, found.code, &found.seen, &found.fix);
    let card = match agent_card::parse_agent_card(document) {
        Ok(card) => card,
        Err(CardFault::Invalid(violations)) => return (violations.iter().map(of_card).collect(), Vec::new()),
        Err(CardFault::NotACard(other)) => {
            return (vec![finding("", "not_a_card", &other.seen, other.fix)], Vec::new());
        }
    };
    let preferred = preferred(&card);
    let is_blocked = preferred.is_some_and(|interface| !interface.is_public());
    let (blocking, warnings): (Vec<_>, Vec<_>) =
        card.warnings.iter().partition(|found| is_blocked && UNREACHABLE.contains(&found.code));
    let mut reasons: Vec<Value> = card.broken.iter().chain(blocking).map(of_card).collect();
    if preferred.is_none() {
        let fix = "List an interface with `protocolBinding` JSONRPC or HTTP+JSON.";
        reasons.push(finding("supportedInterfaces", "no_interface", "", fix));
    }
    let texts = document_texts::card_faults(document);
    for (code, fault) in [("text_sane", texts.not_plain), ("no_injection", texts.injection)] {
        let Some(fault) = fault else { continue };
        let (path, why) = fault.split_once(": ").unwrap_or(("", &fault));
        reasons.push(finding(path, code, "", why));
    }
    (reasons, warnings.into_iter().map(of_card).collect())
}

/// The interface that the registry calls.
fn preferred(card: &AgentCard) -> Option<&Interface> {
    let with = |binding| card.interfaces.iter().find(|interface| interface.binding == binding);
    with(Binding::JsonRpc).or_else(|| with(Binding::HttpJson))
}

#[cfg(test)]
mod tests;
