//! Files and commands that install an MCP server in each client. The formats differ in small details. A
//! client often ignores the format of another client without an error.

use serde_json::{Value, json};

use super::about;
use super::page::File;
use super::profile::Profile;
use super::text::{scalar, shell, slug, spaced};
use registry_formats::server_json::is_name;

/// Clients put the server's name before the name of each tool. The APIs of models accept 64 characters for both
/// together.
const MAX_NAME_CHARS: usize = 24;

#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    /// Paths of its configuration file: in the project, or for all projects.
    pub(super) paths: &'static [&'static str],
    pub(super) file: File,
    /// The install command; empty where the client has none.
    pub(super) command: String,
}

pub(super) fn name(profile: &Profile) -> String {
    // `ai.acme/reverse-text` becomes `reverse-text`: in a list of tools the owner is not needed.
    let own =
        profile.server_name.as_deref().filter(|name| is_name(name)).and_then(|name| name.split_once('/'));
    let slug = own.and_then(|(_, leaf)| slug(leaf)).unwrap_or_else(|| profile.slug());
    let name: String = slug.chars().take(MAX_NAME_CHARS).collect();
    name.trim_end_matches('-').to_owned()
}

/// Empty where the endpoint's URL is unknown.
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
