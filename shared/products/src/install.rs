//! How to use a listing: for an MCP server the command of the most used client, and `mcp.json`, which most others read; for
//! an agent the card and a first message. Pages and products show these snippets.

use super::calls;
use super::text::shell;
use crate::prelude::*;

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
        Kind::Agent => calls::examples(profile, None).into_iter().map(of_call).collect(),
    }
}

/// `None` for a server that needs a header: a token does not belong on a command line.
fn command(profile: &Profile) -> Option<Snippet> {
    let needs_header = !about::headers(profile).is_empty() && !about::opens_sign_in_page(profile);
    let url = about::endpoint(profile).filter(|_| !needs_header)?;
    let text = format!("claude mcp add --transport http {} {}", about::client_name(profile), shell(&url));
    Some(Snippet { title: "Claude Code".to_owned(), file: None, text })
}

/// `mcp.json` with the entry of the server. `None` if the endpoint's URL is unknown.
pub(super) fn configuration(profile: &Profile) -> Option<File> {
    let mut entry = json!({ "type": "http", "url": about::endpoint(profile)? });
    let headers: Map<String, Value> =
        about::header_values(profile).map(|(header, value)| (header, value.into())).collect();
    // A header with an empty token would prevent the sign-in page.
    if !headers.is_empty() && !about::opens_sign_in_page(profile) {
        entry["headers"] = Value::Object(headers);
    }
    Some(File::json("mcp.json", &json!({ "mcpServers": { about::client_name(profile): entry } })))
}
