//! The checks of a listing in addition to the handshake (`specification.md#checks`). If a blocking check
//! fails, the listing is not on the active list. Other failed checks are only shown.

use std::net::Ipv4Addr;

use registry_formats::document_texts;
use registry_model::{Check, Facts, Handshake, Kind, Listing, Reach, Verdict, registrable_domain};
use url::{Host, Url};

pub const ENDPOINT_UNIQUE: &str = "endpoint_unique";

#[derive(Clone, Debug)]
pub struct Context {
    /// In development a loopback peer may use plain http.
    pub reach: Reach,
    /// The card URL of the listing; `None` means the card URL in the probe result.
    pub card_url: Option<String>,
    pub endpoint_holder: Option<String>,
    /// The listing with the texts that will be shown; `None` for a URL that is not listed.
    pub listing: Option<Listing>,
}

/// Runs all checks, always in this order.
pub fn run_all(verdict: &Verdict, context: &Context) -> Vec<Check> {
    let facts = &verdict.facts;
    let card_url = context.card_url.as_deref().or(facts.card_url.as_deref());
    let mut found = facts.text_faults.clone();
    // The publisher may have written the listing's own texts.
    found.or(context.listing.as_ref().map(document_texts::listing_faults).unwrap_or_default());
    let has_abilities = !facts.tools.is_empty() || !facts.skills.is_empty();
    let is_unread = matches!(verdict.handshake, Handshake::Fail | Handshake::Partial)
        && facts.name.is_none()
        && facts.description.is_none()
        && !has_abilities;
    let texts = |id: &str, fault: Option<String>, fine: &str| match fault {
        None if is_unread => Check::not_applicable(id, "the probe read no text of the listing."),
        fault => outcome(id, fault, fine),
    };
    vec![
        https(verdict, card_url, context.reach),
        card_valid(verdict),
        interface_domain(facts, card_url),
        texts("text_sane", found.not_plain, "Names and texts are plain text of acceptable length."),
        texts("no_injection", found.injection, "No known pattern of an injection was found."),
        endpoint_unique(verdict, context),
        tools_unchanged(facts, context),
    ]
}

fn outcome(id: &str, fault: Option<String>, fine: &str) -> Check {
    let ok = fault.is_none();
    Check {
        id: id.to_owned(),
        ok,
        blocking: true,
        applies: true,
        detail: fault.unwrap_or_else(|| fine.to_owned()),
    }
}

fn https(verdict: &Verdict, card_url: Option<&str>, reach: Reach) -> Check {
    let served: Vec<&str> = [card_url, verdict.facts.endpoint.as_deref()].into_iter().flatten().collect();
    if served.is_empty() {
        return Check::not_applicable("https", "the probe read no card and no endpoint.");
    }
    let plain: Vec<&str> = served.into_iter().filter(|url| !is_https(url)).collect();
    if plain.is_empty() && verdict.handshake == Handshake::Fail {
        return Check::not_applicable("https", "the URLs have the scheme https, but the handshake failed.");
    }
    let tolerated = reach == Reach::Development && plain.iter().all(|url| is_loopback(url));
    let fault = plain.first().map(|url| format!("{url} is not served over https."));
    Check { blocking: !tolerated, ..outcome("https", fault, "Every URL has the scheme https.") }
}

/// A bare `host:port` of gRPC counts as https, because its client uses TLS.
fn is_https(url: &str) -> bool {
    !url.contains("://") || url.starts_with("https://") || url.starts_with("grpcs://")
}

fn card_valid(verdict: &Verdict) -> Check {
    if verdict.facts.kind == Some(Kind::Mcp) {
        return outcome("card_valid", None, "An MCP server needs no card.");
    }
    let fault = match &verdict.card_fault {
        Some(reason) => Some(format!("{}: {}", reason.reason, reason.fix)),
        None if verdict.facts.name.is_none() => {
            return Check::not_applicable("card_valid", "no agent card was read.");
        }
        None => None,
    };
    outcome("card_valid", fault, "The agent card is valid.")
}

/// Both must have the same registrable domain, or the same host for addresses.
fn interface_domain(facts: &Facts, card_url: Option<&str>) -> Check {
    // Without a card, and for an MCP server, it is the URL of the endpoint.
    let card_url = card_url.filter(|_| facts.kind != Some(Kind::Mcp) && facts.name.is_some());
    let (Some(card), Some(endpoint)) = (card_url, facts.endpoint.as_deref()) else {
        return Check::not_applicable("interface_domain", "the probe reached no card with its endpoint.");
    };
    let fault = (!same_owner(card, endpoint)).then(|| {
        format!(
            "The card at {card} names the endpoint {endpoint} on another domain. Serve both under one \
            registrable domain."
        )
    });
    outcome("interface_domain", fault, "The card and its endpoint are under one domain or at one host.")
}

/// The endpoint is compared when a listing could go Live or become gated with it.
fn endpoint_unique(verdict: &Verdict, context: &Context) -> Check {
    let is_good = verdict.handshake == Handshake::Ok || verdict.facts.sign_in.is_some();
    if !is_good || verdict.facts.endpoint.is_none() {
        return Check::not_applicable(ENDPOINT_UNIQUE, "it needs the endpoint of a completed handshake.");
    }
    let holder = context.endpoint_holder.as_ref();
    let fault = holder.map(|holder| format!("Another listing has this endpoint: {holder}."));
    outcome(ENDPOINT_UNIQUE, fault, "No other listing has this endpoint.")
}

/// A change is shown and does not block.
fn tools_unchanged(facts: &Facts, context: &Context) -> Check {
    // Nobody relied on the tools of a listing that was never proven, and its owner may be repairing them.
    let proven = context.listing.as_ref().filter(|listing| listing.was_proven());
    let before = proven.and_then(|listing| listing.proof.tools_hash.as_ref());
    let (before, now) = match (before, &facts.tools_hash) {
        (Some(before), Some(now)) if form(before) == form(now) => (before, now),
        _ => {
            let why = "the check needs comparable tools of this probe and of one after the first good one.";
            return Check { blocking: false, ..Check::not_applicable("tools_unchanged", why) };
        }
    };
    let fault = (before != now).then(|| {
        format!("The tools changed since they were last read. The hash was {before}, now it is {now}.")
    });
    Check {
        blocking: false,
        ..outcome("tools_unchanged", fault, "The tools have not changed since they were last read.")
    }
}

/// The part of a hash before its colon. Hashes of different formats cannot be compared.
fn form(hash: &str) -> Option<&str> {
    hash.split_once(':').map(|(form, _)| form)
}

/// True if both URLs have the same registrable domain or the same address, or both are on this machine. Hosting platforms
/// are public suffixes, so two names under `vercel.app` have different owners.
pub(crate) fn same_owner(one: &str, other: &str) -> bool {
    match (host_of(one), host_of(other)) {
        (Some(one), Some(other)) => {
            one == other || (is_this_machine(&one) && is_this_machine(&other)) || same_domain(&one, &other)
        }
        _ => false,
    }
}

fn is_loopback(url: &str) -> bool {
    host_of(url).is_some_and(|host| match host {
        Host::Ipv4(address) => address.is_loopback(),
        other => is_this_machine(&other),
    })
}

fn host_of(url: &str) -> Option<Host<String>> {
    let parsed = if url.contains("://") { Url::parse(url) } else { Url::parse(&format!("https://{url}")) };
    parsed.ok()?.host().map(|host| host.to_owned())
}

/// The other addresses of 127.0.0.0/8 are left out: in development they stand for hosts that are strangers.
pub(crate) fn is_this_machine(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => *address == Ipv4Addr::LOCALHOST,
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// A public suffix itself has no registrable domain.
fn same_domain(one: &Host<String>, other: &Host<String>) -> bool {
    let (Host::Domain(one), Host::Domain(other)) = (one, other) else { return false };
    let registrable = |name: &str| registrable_domain(name.trim_end_matches('.')).map(str::to_owned);
    registrable(one).is_some_and(|domain| registrable(other).as_ref() == Some(&domain))
}

#[cfg(test)]
pub(crate) mod tests;
