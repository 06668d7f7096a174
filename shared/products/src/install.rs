//! How to use a listing: for an MCP server the command of the most used client, and `mcp.json`, which most others read; for
//! an agent the card and a first message. Pages and products show these snippets.

use super::calls;
use super::text::{shell, slug};
use crate::prelude::*;
use registry_formats::server_json::is_name;
use registry_model::ClientRegistration;

/// Clients put the server's name before that of each tool. The APIs of models accept 64 characters for both together.
const MAX_NAME_CHARS: usize = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub title: String,
    /// `None` for a command.
    pub file: Option<&'static str>,
    pub text: String,
}

pub fn install(profile: &Profile) -> Vec<Snippet> {
    let of_call = |(what, call): (String, String)| Snippet { title: capital(&what), file: None, text: call };
    let of_file =
        |file: File| Snippet { title: "MCP clients".to_owned(), file: Some("mcp.json"), text: file.content };
    match profile.kind {
        Kind::Mcp => command(profile).into_iter().chain(configuration(profile).map(of_file)).collect(),
        Kind::Agent => calls::of(profile, None).into_iter().map(of_call).collect(),
    }
}

/// `None` for a server that needs a header: a token does not belong on a command line.
fn command(profile: &Profile) -> Option<Snippet> {
    let needs_header = !headers(profile).is_empty() && !signs_in(profile);
    let url = about::endpoint(profile).filter(|_| !needs_header)?;
    let text = format!("claude mcp add --transport http {} {}", name(profile), shell(&url));
    Some(Snippet { title: "Claude Code".to_owned(), file: None, text })
}

/// `mcp.json` with the entry of the server. `None` if the endpoint's URL is unknown.
pub(super) fn configuration(profile: &Profile) -> Option<File> {
    let mut entry = json!({ "type": "http", "url": about::endpoint(profile)? });
    let headers: Map<String, Value> = values(profile).map(|(header, value)| (header, value.into())).collect();
    // A header with an empty token would prevent the sign-in page.
    if !headers.is_empty() && !signs_in(profile) {
        entry["headers"] = Value::Object(headers);
    }
    Some(File::json("mcp.json", &json!({ "mcpServers": { name(profile): entry } })))
}

pub(super) fn name(profile: &Profile) -> String {
    // `ai.acme/reverse-text` becomes `reverse-text`: in a list of tools the owner is not needed.
    let own =
        profile.server_name.as_deref().filter(|name| is_name(name)).and_then(|name| name.split_once('/'));
    let slug = own.and_then(|(_, leaf)| slug(leaf)).unwrap_or_else(|| profile.slug());
    let name: String = slug.chars().take(MAX_NAME_CHARS).collect();
    name.trim_end_matches('-').to_owned()
}

/// The headers that its `server.json` requires, else the token of a server that asks for sign-in. Each has the name of
/// the environment variable for its value, such as `MCP_ARXIV_TOKEN`: the publisher chooses the name of the server, and
/// `GITHUB_TOKEN` is the secret of another.
pub(super) fn headers(profile: &Profile) -> Vec<(String, String)> {
    let name = name(profile).replace('-', "_").to_uppercase();
    let variable = |header: &str| match header.eq_ignore_ascii_case("authorization") {
        true => format!("MCP_{name}_TOKEN"),
        false => format!("MCP_{name}_{}", header.replace('-', "_").to_uppercase()),
    };
    let remotes = profile.server_json.as_ref().and_then(|server| server.get("remotes")?.as_array());
    let remotes = remotes.map(Vec::as_slice).unwrap_or_default();
    let is_shown = |remote: &&Value| remote["url"].as_str() == about::endpoint(profile).as_deref();
    let remote = remotes.iter().find(is_shown).or_else(|| remotes.first().filter(|_| remotes.len() == 1));
    let declared = remote.and_then(|remote| remote["headers"].as_array()).into_iter().flatten();
    let required = declared.filter(|header| header["isRequired"] == true && header["value"].is_null());
    let named = required.filter_map(|header| header["name"].as_str()).filter(|name| is_header(name));
    let mut headers: Vec<String> = named.take(4).map(str::to_owned).collect();
    if headers.is_empty() && about::asks_for_credentials(profile) {
        headers.push("Authorization".to_owned());
    }
    headers.into_iter().map(|header| (header.clone(), variable(&header))).collect()
}

pub(super) fn values(profile: &Profile) -> impl Iterator<Item = (String, String)> {
    headers(profile).into_iter().map(|(header, variable)| {
        let scheme = if header.eq_ignore_ascii_case("authorization") { "Bearer " } else { "" };
        (header, format!("{scheme}${{{variable}}}"))
    })
}

fn is_header(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether clients that open a sign-in page need no header.
pub(super) fn signs_in(profile: &Profile) -> bool {
    profile.sign_in.as_ref().is_some_and(|sign_in| sign_in.registration != ClientRegistration::ByHand)
}
