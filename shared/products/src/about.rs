//! The summary at the start of every page. It says what is known about a listing and what is missing, so that
//! no page claims more.

use super::ability;
use super::profile::{Profile, Weakness};
use super::text::{address, code, plain, prose, quoted};
use registry_formats::server_json::is_name;
use registry_model::settings::Settings;
use registry_model::{Handshake, Kind};

/// A name such as `everything` would read as a word of the sentence, so it is code unless its first letter is a capital.
pub(super) fn name(profile: &Profile) -> String {
    let name = plain_name(profile);
    if name.starts_with(char::is_lowercase) { code(&name, 80) } else { prose(&name, 80) }
}

/// A server without a title is called by its name without the domain: `adder`, not `com.example/adder`.
pub(super) fn plain_name(profile: &Profile) -> String {
    let untitled = profile.server_name.as_deref() == Some(profile.name.as_str()) && is_name(&profile.name);
    let name =
        profile.name.split_once('/').filter(|_| untitled).map_or(profile.name.as_str(), |(_, leaf)| leaf);
    let name = plain(name, 80);
    if name.is_empty() { profile.slug() } else { name }
}

pub(super) fn endpoint(profile: &Profile) -> Option<String> {
    address(profile.endpoint.as_deref())
}

pub(super) fn status_url(profile: &Profile, settings: &Settings) -> Option<String> {
    let id = profile.listing_id.as_ref()?;
    Some(settings.url(&format!("/api/listings/status?id={id}")))
}

pub(super) fn publish_body(profile: &Profile) -> Option<serde_json::Value> {
    let card = address(profile.card_url.as_deref());
    match (profile.kind, card, endpoint(profile)) {
        (Kind::Agent, Some(card), _) => Some(serde_json::json!({ "agent_card_url": card })),
        (Kind::Agent, None, Some(url)) => Some(serde_json::json!({ "url": url })),
        (Kind::Mcp, _, Some(url)) => {
            Some(described(profile, &url).unwrap_or_else(|| serde_json::json!({ "mcp_url": url })))
        }
        (_, _, None) => None,
    }
}

/// The body that publishes a server that is listed under its name. If only its URL were published, this would create
/// another listing.
fn described(profile: &Profile, url: &str) -> Option<serde_json::Value> {
    let server = profile.server_name.as_deref().filter(|name| is_name(name))?;
    let mut body = serde_json::json!({
        "name": server,
        "version": plain(profile.version.as_deref()?, 200),
        "description": plain(profile.description.as_deref()?, 99),
        "remotes": [{ "type": "streamable-http", "url": url }],
    });
    if profile.name != server {
        body["title"] = plain(&profile.name, 99).into();
    }
    if let Some(page) = address(profile.website.as_deref()) {
        body["websiteUrl"] = page.into();
    }
    Some(body)
}

pub(super) fn lines(profile: &Profile, settings: &Settings) -> Vec<String> {
    let name = name(profile);
    let mut lines = introduction(profile);
    lines.extend(proof(profile, settings));
    let missing = missing(profile);
    if !missing.is_empty() {
        lines.push(format!("Missing for {name}: {}.", missing.join("; ")));
    }
    broken(&lines)
}

/// Lines of one paragraph: two spaces at the end are a line break in Markdown.
pub(super) fn broken(lines: &[String]) -> Vec<String> {
    let last = lines.len().saturating_sub(1);
    lines
        .iter()
        .enumerate()
        .map(|(at, line)| if at < last { format!("{line}  ") } else { line.clone() })
        .collect()
}

/// Its own description, and where it answers.
pub(super) fn introduction(profile: &Profile) -> Vec<String> {
    let name = name(profile);
    let version =
        profile.version.as_deref().map(|version| format!(" {}", prose(version, 40))).unwrap_or_default();
    let category = prose(&profile.category, 60);
    let filed = if category.is_empty() { String::new() } else { format!(" ({category})") };
    let description = profile.description.as_deref().filter(|text| !plain(text, 9).is_empty());
    let mut lines = match description {
        Some(text) => vec![format!("**{name}**{version}{filed}: {}", quoted(text, 600))],
        None => vec![format!("**{name}**{version}{filed} has no description.")],
    };
    if let Some(url) = endpoint(profile) {
        let protocol = match profile.kind {
            Kind::Agent => "A2A",
            Kind::Mcp => "MCP",
        };
        let versions: Vec<String> =
            profile.protocol_versions.iter().take(6).map(|version| prose(version, 20)).collect();
        let versions = if versions.is_empty() { String::new() } else { format!(" {}", versions.join(", ")) };
        let page = address(profile.website.as_deref()).map(|url| format!("; website: {}", code(&url, 2048)));
        lines.push(format!(
            "Answers {protocol}{versions} at {}{}.",
            code(&url, 2048),
            page.unwrap_or_default()
        ));
    }
    lines
}

pub(super) fn proof(profile: &Profile, settings: &Settings) -> Option<String> {
    let proof = profile.proof.as_ref()?;
    let took = proof.latency_ms.map(|ms| format!(" in {ms} ms")).unwrap_or_default();
    let lost: Vec<String> = proof
        .parts
        .iter()
        .filter(|part| part.points < part.of)
        .map(|part| format!("{} {}/{}", prose(&part.id, 40), part.points, part.of))
        .collect();
    let lost = if lost.is_empty() { String::new() } else { format!(" (incomplete: {})", lost.join(", ")) };
    let at = status_url(profile, settings)
        .map(|url| format!("; evidence: {}", code(&url, 2048)))
        .unwrap_or_default();
    Some(format!(
        "Proof of {}: handshake {}{took}, score {} of 100{lost}{at}.",
        proof.probed_at,
        proof.handshake.as_str(),
        proof.score
    ))
}

pub(super) fn missing(profile: &Profile) -> Vec<String> {
    let noun = ability::noun(profile);
    let mut missing = Vec::new();
    if profile.listing_id.is_none() {
        missing.push("a listing (this profile was described by hand and was never probed)".to_owned());
    } else if profile.proof.is_none() {
        missing.push("a proof (it has not been probed yet)".to_owned());
    }
    if endpoint(profile).is_none() {
        missing.push("an endpoint URL".to_owned());
    }
    if profile.description.as_deref().is_none_or(|text| plain(text, 9).is_empty()) {
        missing.push("a description".to_owned());
    }
    if profile.skills.is_empty() && profile.tools.is_empty() {
        missing.push(format!("any {noun}"));
    }
    if profile.version.as_deref().is_none_or(|text| plain(text, 9).is_empty()) {
        missing.push("a version".to_owned());
    }
    missing
}

/// Whether callers must send a credential: its sign-in was proven, or the last probe was refused without one.
pub(super) fn asks_for_credentials(profile: &Profile) -> bool {
    let refused = || {
        profile.proof.as_ref().is_some_and(|proof| {
            proof.handshake != Handshake::Ok
                && proof.weaknesses.iter().any(|Weakness { id, .. }| {
                    id.starts_with("sign_in:") || matches!(id.as_str(), "auth_required" | "gated_unproven")
                })
        })
    };
    profile.sign_in.is_some() || refused()
}

/// How the evaluation signs in, if callers must.
pub(super) fn token_line(profile: &Profile) -> Option<String> {
    let issuer = profile.sign_in.as_ref().and_then(|sign_in| address(Some(&sign_in.issuer)));
    let issuer = issuer.map(|url| format!(" at {}", code(&url, 300))).unwrap_or_default();
    asks_for_credentials(profile).then(|| {
        format!(
            "{} requires a sign-in{issuer}. Send the token as `Authorization: Bearer`. The evaluation reads it from the \
             environment variable {}.",
            name(profile),
            code(&token_variable(profile), 80)
        )
    })
}

/// The pin of its tool set; `None` if it is not a hash.
pub(super) fn pin(profile: &Profile) -> Option<&str> {
    let hash = profile.tools_hash.as_deref()?;
    let is_hash = |digits: &str| digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit());
    hash.strip_prefix("sha256:").is_some_and(is_hash).then_some(hash)
}

/// The environment variable for the token of a server, such as `ARXIV_TOKEN`.
pub(super) fn token_variable(profile: &Profile) -> String {
    let name: String = profile.slug().chars().take(24).collect();
    let name = name.trim_end_matches('-').replace('-', "_").to_uppercase();
    // A variable must not begin with a digit.
    let prefix = if name.starts_with(|c: char| c.is_ascii_digit()) { "MCP_" } else { "" };
    format!("{prefix}{name}_TOKEN")
}
