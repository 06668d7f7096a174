//! The MCP Mesh product: install files for every client, official descriptions, better tool descriptions, and
//! a skill that routes requests. For an agent, the product describes the agent's skills as tools, so that an
//! MCP server can forward calls to the agent.

use serde_json::json;

use super::ability::{self, Ability, MAX_ANALYZED, MAX_ROWS, counted};
use super::clients::{self, Client};
use super::descriptions::{self, Descriptions};
use super::lint::{self, Finding, MAX_DESCRIPTION_CHARS, MAX_MODEL_NAME_CHARS, valid_name};
use super::page::{File, Page, fence, items, shell_block, table};
use super::profile::Profile;
use super::text::{address, capital, code, codes, plain, prose};
use super::{about, apis, calls, skill};
use registry_model::Kind;
use registry_model::settings::Settings;

pub(super) fn of(profile: &Profile, settings: &Settings) -> Vec<File> {
    let abilities = ability::all(profile);
    let findings = lint::of(&abilities, profile.kind);
    let mut files =
        vec![skill::of(profile, settings, &abilities, true), lint_page(profile, &abilities, &findings)];
    match profile.kind {
        Kind::Mcp => {
            let clients = clients::of(profile);
            let described = descriptions::of(profile, &abilities);
            files.push(install(profile, &clients, &described, &abilities, settings));
            files.extend(clients.into_iter().map(|client| client.file));
            files.extend(apis::of(profile, &abilities));
            files.extend(described.files);
        }
        Kind::Agent => {
            files.push(bridge(profile, &abilities, settings));
        }
    }
    files.extend(tools(profile, &abilities, &findings));
    files
}

fn install(
    profile: &Profile,
    clients: &[Client],
    described: &Descriptions,
    abilities: &[Ability],
    settings: &Settings,
) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    page.title(&format!("Install {name}"));
    page.block(about::lines(profile, settings));
    let local = clients::name(profile);
    let links: Vec<[String; 2]> = clients
        .iter()
        .filter_map(|client| Some([client.name.to_owned(), code(client.link.as_ref()?, 8192)]))
        .collect();
    page.section(&format!("Links that install {name}"), table(["Client", "Open this link"], links));
    let commands: Vec<String> =
        clients.iter().map(|client| client.command.clone()).filter(|command| !command.is_empty()).collect();
    page.section(&format!("Install {name} by command"), shell_block(commands));
    for client in clients {
        let paths = client.paths.iter().map(|path| code(path, 80)).collect::<Vec<_>>().join(" or ");
        let language = client.file.path.rsplit('.').next().unwrap_or_default();
        page.section(
            &format!("Install {name} in {}", client.name),
            vec![match client.paths.contains(&client.file.path.as_str()) {
                true => format!("Add the entry `{local}` to {paths}."),
                false => format!(
                    "Add the entry `{local}` to {paths}. This product contains it as {}.",
                    code(&client.file.path, 80)
                ),
            }],
        );
        page.block(fence(language, client.file.content.lines().map(str::to_owned).collect()));
    }
    page.section(&format!("Test {name}"), items(calls::listed(profile, None)));
    let mut notes = Vec::new();
    if !clients.is_empty() {
        notes.push(
            "The configuration file of Claude Desktop starts only local programs. So this file starts the bridge `mcp-remote`, which needs Node.js. On \
             Windows, set `command` to `cmd` and put `/c`, `npx` before the other `args`. Or add the URL in the program \
             under Settings, Connectors."
                .to_owned(),
        );
        notes.extend(longest_name(&local, abilities));
        let url = about::endpoint(profile).unwrap_or_default();
        notes.push(format!("Any other client: transport Streamable HTTP, URL {}.", code(&url, 2048)));
    }
    notes.extend(sign_in(profile));
    if clients.is_empty() {
        notes.push(format!(
            "No client can be set up for {name}: the https URL of its MCP endpoint is \
            unknown. Publish the URL as `mcp_url`, or run the server locally as its documentation describes."
        ));
    }
    if let Some(url) =
        about::endpoint(profile).filter(|url| url.starts_with("https://") && !described.files.is_empty())
    {
        let card = format!("{}/server-card", url.trim_end_matches('/'));
        notes.push(format!(
            "Use `server.json` to publish `{local}` in the official registry. First run \
            `mcp-publisher login` with `github` if the name begins with io.github, and with `dns` or `http` \
            otherwise. Then run `mcp-publisher publish`. Serve `server-card.json` of `{local}` at {}.",
            code(&card, 2100)
        ));
    }
    notes.extend(described.notes.iter().map(|note| prose(note, 500)));
    page.section(&format!("Notes about {name}"), items(notes));
    page.into_file("install.md")
}

/// How clients authenticate, if they must.
fn sign_in(profile: &Profile) -> Option<String> {
    let name = about::name(profile);
    let credentials = clients::credentials(profile);
    let variables = codes(credentials.iter().map(|one| one.variable.as_str()), 4);
    let issuer = profile.sign_in.as_ref().and_then(|sign_in| address(Some(&sign_in.issuer)));
    let issuer = issuer.map(|url| format!(" at {}", code(&url, 300))).unwrap_or_default();
    match (credentials.is_empty(), clients::signs_in(profile)) {
        (true, _) => None,
        (false, true) => Some(format!(
            "{name} requires a sign-in{issuer}. VS Code, Cursor, Windsurf, Zed, Cline, Goose and `mcp-remote` open the \
             sign-in page. In Claude Code use `/mcp`, in Codex `codex mcp login {}`, in Gemini CLI `/mcp auth`. In \
             `clients/lm-studio.json`, replace the text in angle brackets by a token, and never commit this file. The examples \
             for the APIs of models read {variables}.",
            clients::name(profile)
        )),
        (false, false) => Some(format!(
            "{name} requires a secret{issuer}. Get it from its owner. The files contain no secret: set {variables} in the \
             environment of the client. Where a file contains a text in angle brackets, replace it, and never commit this file."
        )),
    }
}

/// Some clients, such as Claude Code, put the server's name before each tool's name. `None` if all names are short enough.
fn longest_name(local: &str, abilities: &[Ability]) -> Option<String> {
    let longest = abilities.iter().max_by_key(|ability| ability.id.chars().count())?;
    let whole = format!("mcp__{local}__{}", longest.id);
    let length = whole.chars().count();
    (length > MAX_MODEL_NAME_CHARS).then(|| {
        format!(
            "The longest tool name that a model sees is {} with {length} characters, over the limit of \
             {MAX_MODEL_NAME_CHARS} characters in the APIs of models. Choose a shorter name for the entry.",
            code(&whole, 240)
        )
    })
}

fn bridge(profile: &Profile, abilities: &[Ability], settings: &Settings) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    page.title(&format!("{name} for MCP clients"));
    page.block(about::lines(profile, settings));
    let mut notes = vec![format!(
        "{name} is an A2A agent: MCP clients can call it only through a server that offers the tools in `tools.jsonl` and forwards each call."
    )];
    let rows = abilities.iter().take(MAX_ROWS).map(|ability| {
        [code(&valid_name(&ability.id), 64), code(&ability.id, 64), prose(&ability.purpose(), 200)]
    });
    page.section(
        &format!("Tools for the skills of {name}"),
        table(["MCP tool", &format!("Skill of {name}"), "Forwards"], rows.collect()),
    );
    page.section(&format!("Forwarded calls to {name}"), items(calls::listed(profile, abilities.first())));
    notes.push(format!(
        "When the server runs, publish its URL as `mcp_url` at {}. The server gets its own \
        listing, separate from {name}.",
        code(&settings.url("/api/publish"), 300)
    ));
    if abilities.is_empty() {
        notes.push(format!(
            "{name} declares no skill, so there is no tool to offer yet. First add skills to its card."
        ));
    }
    page.section(&format!("Notes about {name}"), items(notes));
    page.into_file("bridge.md")
}

fn lint_page(profile: &Profile, abilities: &[Ability], findings: &[Finding]) -> File {
    let name = about::name(profile);
    let noun = ability::noun(profile);
    let mut page = Page::default();
    let read = counted(profile, abilities.len().min(MAX_ANALYZED));
    page.title(&format!("Descriptions of {name}: {} of {read} to improve", findings.len()));
    for finding in findings.iter().take(MAX_ROWS) {
        let mut lines = vec![format!("What is wrong: {}.", prose(&finding.faults.join("; "), 400))];
        lines.extend(finding.name.as_ref().map(|name| format!("Rename it to {}.", code(name, 64))));
        lines.extend(finding.advice());
        page.section(&format!("{} {}", capital(noun), code(&finding.id, 64)), items(lines));
    }
    if findings.len() > MAX_ROWS {
        page.block(vec![format!("{} more are not shown.", findings.len() - MAX_ROWS)]);
    }
    if findings.is_empty() {
        let verdict = if abilities.is_empty() {
            format!("{name} declares nothing to check.")
        } else {
            format!("The names and descriptions of {name} have no known faults.")
        };
        page.block(vec![verdict]);
    }
    page.into_file("descriptions.md")
}

/// The tools with better descriptions. A server that forwards calls to an agent can
/// offer the tools of an agent as they are.
fn tools(profile: &Profile, abilities: &[Ability], findings: &[Finding]) -> Option<File> {
    let mut lines: Vec<String> = abilities
        .iter()
        .take(MAX_ROWS)
        .map(|ability| {
            let finding = findings.iter().find(|finding| finding.id == ability.id);
            let own = plain(&ability.description, MAX_DESCRIPTION_CHARS);
            let better = finding.and_then(|finding| finding.rewrite.clone()).unwrap_or(own);
            let name = valid_name(&ability.id);
            let mut tool = json!({ "name": name });
            if profile.kind == Kind::Agent {
                tool["title"] = ability.title.clone().into();
            }
            if !better.is_empty() {
                tool["description"] = better.into();
            }
            match profile.kind {
                Kind::Mcp if name == ability.id => {}
                Kind::Mcp => tool["was"] = ability.id.clone().into(),
                Kind::Agent => {
                    let message = format!("The request for the skill “{}”, as text", ability.title);
                    tool["inputSchema"] = json!({
                        "type": "object",
                        "properties": { "message": { "type": "string", "description": message } },
                        "required": ["message"],
                    });
                }
            }
            tool.to_string()
        })
        .collect();
    if abilities.len() > MAX_ROWS {
        lines.push(json!({ "more": abilities.len() - MAX_ROWS }).to_string());
    }
    (!lines.is_empty()).then(|| File::json_lines("tools.jsonl", &lines))
}
