//! Files, commands and links that install an MCP server in each client. The formats differ in small details. A
//! client often ignores the format of another client without an error.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::about;
use super::page::File;
use super::profile::Profile;
use super::text::{plain, query, scalar, shell, slug};
use registry_formats::server_json::is_name;
use registry_model::ClientRegistration;

/// Clients put the server's name before the name of each tool. The APIs of models accept 64 characters for both
/// together.
const MAX_NAME_CHARS: usize = 24;

/// The release of `mcp-remote` that starts in Claude Desktop. An unpinned one could change without notice.
const MCP_REMOTE: &str = "mcp-remote@0.15.1";

#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    /// Paths of its configuration file: in the project, or for all projects.
    pub(super) paths: &'static [&'static str],
    pub(super) file: File,
    /// The install command; empty where the client has none.
    pub(super) command: String,
    /// A link that opens the client and asks the user to add the server.
    pub(super) link: Option<String>,
}

/// A header that the server requires, with the environment variable for its secret.
#[derive(Clone, Debug)]
pub(super) struct Credential {
    pub(super) header: String,
    pub(super) scheme: &'static str,
    pub(super) variable: String,
}

impl Credential {
    /// The value of the header, with a reference to the secret in the form of a client.
    fn value(&self, secret: &str) -> String {
        format!("{}{secret}", self.scheme)
    }
}

pub(super) fn name(profile: &Profile) -> String {
    // `ai.acme/reverse-text` becomes `reverse-text`: in a list of tools the owner is not needed.
    let own =
        profile.server_name.as_deref().filter(|name| is_name(name)).and_then(|name| name.split_once('/'));
    let slug = own.and_then(|(_, leaf)| slug(leaf)).unwrap_or_else(|| profile.slug());
    let name: String = slug.chars().take(MAX_NAME_CHARS).collect();
    name.trim_end_matches('-').to_owned()
}

/// The headers that its `server.json` requires, else the token of a server that asks for sign-in.
pub(super) fn credentials(profile: &Profile) -> Vec<Credential> {
    let token = about::token_variable(profile);
    let remote =
        profile.server_json.as_ref().and_then(|server| server.get("remotes")?.get(0)?.get("headers"));
    let declared = remote.and_then(Value::as_array).into_iter().flatten();
    let required = declared.filter(|header| header["isRequired"] == true && header["value"].is_null());
    let named = required.filter_map(|header| header["name"].as_str()).filter(|name| is_header(name));
    let headers: Vec<Credential> = named
        .take(4)
        .map(|name| match name.eq_ignore_ascii_case("authorization") {
            true => Credential { header: name.to_owned(), scheme: "Bearer ", variable: token.clone() },
            false => {
                let variable = format!("{}_{}", token.trim_end_matches("_TOKEN"), name.replace('-', "_"));
                Credential { header: name.to_owned(), scheme: "", variable: variable.to_uppercase() }
            }
        })
        .collect();
    if !headers.is_empty() || !about::asks_for_credentials(profile) {
        return headers;
    }
    vec![Credential { header: "Authorization".to_owned(), scheme: "Bearer ", variable: token }]
}

fn is_header(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether clients that open a sign-in page need no header.
pub(super) fn signs_in(profile: &Profile) -> bool {
    profile.sign_in.as_ref().is_some_and(|sign_in| sign_in.registration != ClientRegistration::ByHand)
}

fn headers(credentials: &[Credential], secret: impl Fn(&Credential) -> String) -> Map<String, Value> {
    let header = |one: &Credential| (one.header.clone(), Value::from(one.value(&secret(one))));
    credentials.iter().map(header).collect()
}

/// An entry with headers, if there are any.
fn with_headers(mut entry: Value, headers: Map<String, Value>) -> Value {
    if !headers.is_empty() {
        entry["headers"] = Value::Object(headers);
    }
    entry
}

/// Empty where the endpoint's URL is unknown.
pub(super) fn of(profile: &Profile) -> Vec<Client> {
    let Some(url) = about::endpoint(profile) else { return Vec::new() };
    let name = name(profile);
    let all = credentials(profile);
    // A header with an empty token would prevent the sign-in page.
    let kept: &[Credential] = if signs_in(profile) { &[] } else { &all };
    let under = |member: &str, entry: Value| json!({ member: { name.as_str(): entry } });
    let placeholder = |one: &Credential| format!("<{}>", one.variable);
    let cursor =
        with_headers(json!({ "url": url }), headers(kept, |one| format!("${{env:{}}}", one.variable)));
    let plain_entry = with_headers(json!({ "url": url }), headers(&all, placeholder));
    let base64 = |entry: &Value| query(&BASE64.encode(entry.to_string()));
    let claude_options: String = kept
        .iter()
        .map(|one| format!(" --header \"{}: {}\"", one.header, one.value(&format!("${}", one.variable))))
        .collect();
    let mut clients = vec![
        vs_code(&url, &name, kept),
        Client {
            name: "Cursor",
            paths: &[".cursor/mcp.json", "~/.cursor/mcp.json"],
            link: Some(format!(
                "cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={}",
                base64(&cursor)
            )),
            file: File::json(".cursor/mcp.json", &under("mcpServers", cursor)),
            command: String::new(),
        },
        Client {
            name: "Claude Code",
            paths: &[".mcp.json"],
            file: File::json(
                ".mcp.json",
                &under(
                    "mcpServers",
                    with_headers(
                        json!({ "type": "http", "url": url }),
                        headers(kept, |one| format!("${{{}}}", one.variable)),
                    ),
                ),
            ),
            command: format!("claude mcp add --transport http {name} {}{claude_options}", shell(&url)),
            link: None,
        },
        Client {
            name: "Claude Desktop",
            paths: &["claude_desktop_config.json"],
            file: File::json("claude_desktop_config.json", &under("mcpServers", claude_desktop(&url, kept))),
            command: String::new(),
            link: None,
        },
        codex(&url, &name, kept),
        Client {
            name: "Gemini CLI",
            paths: &[".gemini/settings.json", "~/.gemini/settings.json"],
            file: File::json(
                ".gemini/settings.json",
                &under(
                    "mcpServers",
                    with_headers(
                        json!({ "httpUrl": url }),
                        headers(kept, |one| format!("${}", one.variable)),
                    ),
                ),
            ),
            command: format!("gemini mcp add --transport http {name} {}", shell(&url)),
            link: None,
        },
        Client {
            name: "Windsurf",
            paths: &["~/.codeium/windsurf/mcp_config.json"],
            file: File::json(
                "clients/windsurf.json",
                &under(
                    "mcpServers",
                    with_headers(
                        json!({ "serverUrl": url }),
                        headers(kept, |one| format!("${{env:{}}}", one.variable)),
                    ),
                ),
            ),
            command: String::new(),
            link: None,
        },
        Client {
            name: "Zed",
            paths: &[".zed/settings.json", "~/.config/zed/settings.json"],
            file: File::json(
                ".zed/settings.json",
                &under("context_servers", with_headers(json!({ "url": url }), headers(kept, placeholder))),
            ),
            command: String::new(),
            link: None,
        },
        Client {
            name: "Cline",
            paths: &["cline_mcp_settings.json"],
            file: File::json(
                "clients/cline.json",
                &under(
                    "mcpServers",
                    with_headers(json!({ "type": "streamableHttp", "url": url }), headers(kept, placeholder)),
                ),
            ),
            command: String::new(),
            link: None,
        },
        goose(profile, &url, &name, kept),
        Client {
            name: "LM Studio",
            paths: &["mcp.json"],
            link: Some(format!("lmstudio://add_mcp?name={name}&config={}", base64(&plain_entry))),
            file: File::json("clients/lm-studio.json", &under("mcpServers", plain_entry)),
            command: String::new(),
        },
    ];
    if !all.is_empty() && !signs_in(profile) {
        // This command takes a header only as a literal text, which would put the secret into the history of the shell.
        clients
            .iter_mut()
            .filter(|client| client.name == "Gemini CLI")
            .for_each(|client| client.command.clear());
    }
    clients
}

fn vs_code(url: &str, name: &str, credentials: &[Credential]) -> Client {
    let id = |one: &Credential| one.variable.to_lowercase();
    let entry = with_headers(
        json!({ "type": "http", "url": url }),
        headers(credentials, |one| format!("${{input:{}}}", id(one))),
    );
    let inputs: Vec<Value> = credentials
        .iter()
        .map(|one| json!({ "type": "promptString", "id": id(one), "description": format!("{} of {name}", one.header), "password": true }))
        .collect();
    let mut file = json!({ "servers": { name: entry } });
    let mut added = json!({ "name": name });
    for (member, value) in entry.as_object().into_iter().flatten() {
        added[member] = value.clone();
    }
    if !inputs.is_empty() {
        file["inputs"] = json!(inputs);
        added["inputs"] = json!(inputs);
    }
    let encoded = query(&added.to_string()).replace('+', "%20");
    Client {
        name: "VS Code",
        paths: &[".vscode/mcp.json"],
        file: File::json(".vscode/mcp.json", &file),
        command: format!("code --add-mcp {}", shell(&added.to_string())),
        link: Some(format!("vscode:mcp/install?{encoded}")),
    }
}

/// Claude Desktop starts only local programs, so it starts a bridge. A value with a space must be in a variable.
fn claude_desktop(url: &str, credentials: &[Credential]) -> Value {
    let mut arguments = vec!["-y".to_owned(), MCP_REMOTE.to_owned(), url.to_owned()];
    let mut variables = Map::new();
    if url.starts_with("http://") {
        arguments.push("--allow-http".to_owned());
    }
    for one in credentials {
        arguments.push("--header".to_owned());
        arguments.push(format!("{}:${{{}}}", one.header, one.variable));
        variables.insert(one.variable.clone(), one.value(&format!("<{}>", one.variable)).into());
    }
    let mut entry = json!({ "command": "npx", "args": arguments });
    if !variables.is_empty() {
        entry["env"] = Value::Object(variables);
    }
    entry
}

fn codex(url: &str, name: &str, credentials: &[Credential]) -> Client {
    let mut content = format!("[mcp_servers.{name}]\nurl = {}\n", scalar(url, 4096));
    let bearer = credentials.iter().find(|one| !one.scheme.is_empty());
    let mut command = format!("codex mcp add {name} --url {}", shell(url));
    if let Some(one) = bearer {
        content += &format!("bearer_token_env_var = \"{}\"\n", one.variable);
        command += &format!(" --bearer-token-env-var {}", one.variable);
    }
    let others = credentials.iter().filter(|one| one.scheme.is_empty());
    let others: Vec<String> =
        others.map(|one| format!("\"{}\" = \"{}\"", one.header, one.variable)).collect();
    if !others.is_empty() {
        content += &format!("env_http_headers = {{ {} }}\n", others.join(", "));
        // The command has no option for such a header.
        command.clear();
    }
    Client {
        name: "Codex",
        paths: &[".codex/config.toml", "~/.codex/config.toml"],
        file: File { path: ".codex/config.toml".to_owned(), media_type: "application/toml", content },
        command,
        link: None,
    }
}

fn goose(profile: &Profile, url: &str, name: &str, credentials: &[Credential]) -> Client {
    let mut entry =
        json!({ "enabled": true, "type": "streamable_http", "name": name, "uri": url, "timeout": 300 });
    if !credentials.is_empty() {
        entry["env_keys"] = credentials.iter().map(|one| one.variable.clone()).collect();
        entry["headers"] = Value::Object(headers(credentials, |one| format!("${{{}}}", one.variable)));
    }
    let title = query(&plain(&about::plain_name(profile), 60)).replace('+', "%20");
    // JSON is YAML, too.
    let content = format!("extensions:\n  {name}: {entry}\n");
    Client {
        name: "Goose",
        paths: &["~/.config/goose/config.yaml"],
        file: File { path: "clients/goose.yaml".to_owned(), media_type: "application/yaml", content },
        command: String::new(),
        link: Some(format!(
            "goose://extension?type=streamable_http&url={}&id={name}&name={title}",
            query(url)
        )),
    }
}
