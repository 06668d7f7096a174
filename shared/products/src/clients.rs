//! The files and commands by which clients install an MCP server, each in the form that the client reads. They differ in
//! one detail each, and a snippet copied from one to another fails without a word.

use serde_json::{Value, json};

use super::about;
use super::file::File;
use super::profile::Profile;
use super::text::{scalar, shell, slug, spaced};
use registry_formats::server_json::is_name;

/// The longest name that a server gets in clients: they put it before each tool's name, and models' APIs cut at 64.
const LONGEST_NAME: usize = 24;

#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    /// Where its file stands, in the project or for all of them.
    pub(super) paths: &'static [&'static str],
    pub(super) file: File,
    /// The command that does the same, or where none does, what to know.
    pub(super) command: String,
}

pub(super) fn name(profile: &Profile) -> String {
    // Of `ai.acme/reverse-text` the owner says nothing in a list of tools.
    let own =
        profile.server_name.as_deref().filter(|name| is_name(name)).and_then(|name| name.split_once('/'));
    let slug = own.and_then(|(_, leaf)| slug(leaf)).unwrap_or_else(|| profile.slug());
    let name: String = slug.chars().take(LONGEST_NAME).collect();
    name.trim_end_matches('-').to_owned()
}

/// Every client's file and command; none without an address.
pub(super) fn of(profile: &Profile) -> Vec<Client> {
    let Some(url) = about::endpoint(profile) else { return Vec::new() };
    let name = name(profile);
    let json_file = |path: &str, member: &str, entry: Value| {
        let content = format!("{}\n", spaced(&json!({ member: { name.as_str(): entry } })));
        File { path: path.to_owned(), media_type: "application/json", content }
    };
    let mut bridge = vec!["-y", "mcp-remote", &url];
    if url.starts_with("http://") {
        bridge.push("--allow-http");
    }
    let added = json!({ "name": name, "type": "http", "url": url });
    vec![
        Client {
            name: "VS Code",
            paths: &[".vscode/mcp.json"],
            file: json_file(".vscode/mcp.json", "servers", json!({ "type": "http", "url": url })),
            command: format!("code --add-mcp {}", shell(&added.to_string())),
        },
        Client {
            name: "Cursor",
            paths: &[".cursor/mcp.json", "~/.cursor/mcp.json"],
            file: json_file(".cursor/mcp.json", "mcpServers", json!({ "url": url })),
            command: String::new(),
        },
        Client {
            name: "Claude Code",
            paths: &[".mcp.json"],
            file: json_file(".mcp.json", "mcpServers", json!({ "type": "http", "url": url })),
            command: format!("claude mcp add --transport http {name} {}", shell(&url)),
        },
        Client {
            name: "Claude Desktop",
            paths: &["claude_desktop_config.json"],
            file: json_file(
                "claude_desktop_config.json",
                "mcpServers",
                json!({ "command": "npx", "args": bridge }),
            ),
            command: String::new(),
        },
        Client {
            name: "Codex",
            paths: &[".codex/config.toml", "~/.codex/config.toml"],
            file: File {
                path: ".codex/config.toml".to_owned(),
                media_type: "application/toml",
                content: format!("[mcp_servers.{name}]\nurl = {}\n", scalar(&url, 4096)),
            },
            command: format!("codex mcp add {name} --url {}", shell(&url)),
        },
    ]
}
