//! The summary at the start of every page. It says what is known about a listing and what is missing, so that
//! no page claims more.

use serde_json::{Value, json};

use super::ability;
use super::profile::{Profile, Weakness};
use super::text::{address, code, plain, prose, quoted, slug};
use registry_formats::server_json::is_name;
use registry_model::{ClientRegistration, Handshake, Kind};
use registry_settings::Settings;

/// Clients put the server's name before that of each tool. The APIs of models accept 64 characters for both together.
const MAX_CLIENT_NAME_CHARS: usize = 24;

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

/// Of an agent, only its card names the endpoint. Without a card, only the published URL is known.
pub(super) fn endpoint(profile: &Profile) -> Option<String> {
    address(profile.endpoint.as_deref()).filter(|_| profile.kind == Kind::Mcp || profile.card_url.is_some())
}

pub(super) fn publish_body(profile: &Profile) -> Option<Value> {
    // Another URL would make another listing.
    if let Some((field, url)) = &profile.published {
        return Some(json!({ field: address(Some(url))? }));
    }
    let card = address(profile.card_url.as_deref()).filter(|_| profile.kind == Kind::Agent);
    if let Some(card) = card {
        return Some(json!({ "agent_card_url": card }));
    }
    let url = address(profile.endpoint.as_deref());
    match profile.kind {
        Kind::Agent => Some(json!({ "url": url? })),
        Kind::Mcp => described(profile, url.as_deref()).or_else(|| Some(json!({ "mcp_url": url? }))),
    }
}

/// The body that publishes a server that is listed under its name. If only its URL were published, this would create
/// another listing.
fn described(profile: &Profile, url: Option<&str>) -> Option<Value> {
    // A document that was made from the profile would replace the one of its publisher, without its packages.
    let own = profile.server_json.as_ref().map(|own| json!(own).to_string());
    if own.is_some_and(|own| plain(&own, usize::MAX) == own) {
        return profile.server_json.clone().map(Value::Object);
    }
    let server = profile.server_name.as_deref().filter(|name| is_name(name))?;
    let mut body = json!({
        "name": server,
        "version": plain(profile.version.as_deref()?, 200),
        "description": plain(profile.description.as_deref()?, 99),
        "remotes": [{ "type": "streamable-http", "url": url? }],
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
    let mut lines = introduction(profile);
    lines.extend(proof(profile, settings));
    let missing = missing(profile);
    if !missing.is_empty() {
        lines.push(format!("Missing for {}: {}.", name(profile), missing.join("; ")));
    }
    broken(&lines)
}

/// Lines of one paragraph: two spaces at the end are a line break in Markdown.
pub(super) fn broken(lines: &[String]) -> Vec<String> {
    lines.join("  \n").lines().map(str::to_owned).collect()
}

pub(super) fn introduction(profile: &Profile) -> Vec<String> {
    let name = name(profile);
    let version =
        profile.version.as_deref().map(|version| format!(" {}", prose(version, 40))).unwrap_or_default();
    let description = profile.description.as_deref().filter(|text| !plain(text, 9).is_empty());
    let description = description
        .map_or_else(|| " has no description.".to_owned(), |text| format!(": {}", quoted(text, 600)));
    let mut lines = vec![format!("**{name}**{version}{description}")];
    if let Some(url) = endpoint(profile) {
        let protocol = if profile.kind == Kind::Agent { "A2A" } else { "MCP" };
        let versions = profile.protocol_versions.iter().take(6).map(|version| prose(version, 20));
        let versions: Vec<String> = [protocol.to_owned()].into_iter().chain(versions).collect();
        lines.push(format!("Endpoint ({}): {}.", versions.join(" "), code(&url, 2048)));
    }
    lines
}

pub(super) fn proof(profile: &Profile, settings: &Settings) -> Option<String> {
    let proof = profile.proof.as_ref()?;
    let took = proof.latency_ms.map(|ms| format!(" in {ms} ms")).unwrap_or_default();
    let status = profile.listing_id.as_ref().map(|id| settings.url(&format!("/api/listings/status?id={id}")));
    let at = status.map(|url| format!("; evidence: {}", code(&url, 2048))).unwrap_or_default();
    let what = if profile.proven_at == Some(proof.probed_at) { "Proof" } else { "Last probe" };
    let fault = proof.weaknesses.first().filter(|one| one.blocking && proof.handshake == Handshake::Ok);
    let fault = fault.map(|one| format!(" To be fixed: {}.", code(&one.id, 60))).unwrap_or_default();
    Some(format!(
        "{what} of {}: handshake {}{took}, score {} of 100{at}.{fault}",
        proof.probed_at,
        proof.handshake.as_str(),
        proof.score
    ))
}

pub(super) fn missing(profile: &Profile) -> Vec<String> {
    let lacks = |text: Option<&str>| text.is_none_or(|text| plain(text, 9).is_empty());
    let (listed, proven) = (profile.listing_id.is_some(), profile.proof.is_some());
    let (description, version) = (profile.description.as_deref(), profile.version.as_deref());
    let has_abilities = !profile.skills.is_empty() || !profile.tools.is_empty();
    let ability = format!("any {}", ability::noun(profile));
    [
        (!listed, "a listing (this profile was described by hand and was never probed)"),
        (listed && !proven, "a proof (it has not been probed yet)"),
        (endpoint(profile).is_none(), "an endpoint URL"),
        (lacks(description), "a description"),
        // A server that requires a sign-in shows its tools only after it.
        (!has_abilities && !asks_for_credentials(profile), &ability),
        (lacks(version), "a version"),
    ]
    .into_iter()
    .filter(|(is_missing, _)| *is_missing)
    .map(|(_, what)| what.to_owned())
    .collect()
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

pub(super) fn sign_in(profile: &Profile) -> Option<String> {
    let issuer = profile.sign_in.as_ref().and_then(|sign_in| address(Some(&sign_in.issuer)));
    let issuer = issuer.map(|url| format!(" at {}", code(&url, 300))).unwrap_or_default();
    let name = name(profile);
    asks_for_credentials(profile)
        .then(|| format!("{name} requires a sign-in{issuer}. Send the token as `Authorization: Bearer`."))
}

/// The pin of its tool set; `None` if it is not a hash.
pub(super) fn pin(profile: &Profile) -> Option<&str> {
    let hash = profile.tools_hash.as_deref()?;
    let is_hash = |digits: &str| digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit());
    hash.strip_prefix("sha256:").is_some_and(is_hash).then_some(hash)
}

/// The name of a server in the configuration of a client.
pub(super) fn client_name(profile: &Profile) -> String {
    // `ai.acme/reverse-text` becomes `reverse-text`: in a list of tools the owner is not needed.
    let own =
        profile.server_name.as_deref().filter(|name| is_name(name)).and_then(|name| name.split_once('/'));
    let slug = own.and_then(|(_, leaf)| slug(leaf)).unwrap_or_else(|| profile.slug());
    let name: String = slug.chars().take(MAX_CLIENT_NAME_CHARS).collect();
    name.trim_end_matches('-').to_owned()
}

/// The headers that its `server.json` requires, else the token of a server that asks for sign-in. Each has the name of
/// the environment variable for its value, such as `MCP_ARXIV_TOKEN`: the publisher chooses the name of the server, and
/// `GITHUB_TOKEN` is the secret of another.
pub(super) fn headers(profile: &Profile) -> Vec<(String, String)> {
    let name = client_name(profile).replace('-', "_").to_uppercase();
    let variable = |header: &str| match header.eq_ignore_ascii_case("authorization") {
        true => format!("MCP_{name}_TOKEN"),
        false => format!("MCP_{name}_{}", header.replace('-', "_").to_uppercase()),
    };
    let remotes = profile.server_json.as_ref().and_then(|server| server.get("remotes")?.as_array());
    let remotes = remotes.map(Vec::as_slice).unwrap_or_default();
    let is_own = |remote: &&Value| remote["url"].as_str() == endpoint(profile).as_deref();
    let remote = remotes.iter().find(is_own).or_else(|| remotes.first().filter(|_| remotes.len() == 1));
    let declared = remote.and_then(|remote| remote["headers"].as_array()).into_iter().flatten();
    let required = declared.filter(|header| header["isRequired"] == true && header["value"].is_null());
    let named = required.filter_map(|header| header["name"].as_str()).filter(|name| is_header(name));
    let mut headers: Vec<String> = named.take(4).map(str::to_owned).collect();
    if headers.is_empty() && asks_for_credentials(profile) {
        headers.push("Authorization".to_owned());
    }
    headers.into_iter().map(|header| (header.clone(), variable(&header))).collect()
}

pub(super) fn header_values(profile: &Profile) -> impl Iterator<Item = (String, String)> {
    headers(profile).into_iter().map(|(header, variable)| {
        let scheme = if header.eq_ignore_ascii_case("authorization") { "Bearer " } else { "" };
        (header, format!("{scheme}${{{variable}}}"))
    })
}

fn is_header(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether clients that open a sign-in page need no header.
pub(super) fn opens_sign_in_page(profile: &Profile) -> bool {
    profile.sign_in.as_ref().is_some_and(|sign_in| sign_in.registration != ClientRegistration::ByHand)
}
