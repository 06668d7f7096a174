//! The MCP Mesh: what a server needs to be installed in any client, described by the official rules, chosen by a model, and
//! routed to. Of an agent, its skills as tools for a server that stands before it.

use serde_json::json;

use super::ability::{self, Ability, MOST_READ, MOST_ROWS, counted};
use super::about;
use super::calls;
use super::clients::{self, Client};
use super::descriptions::{self, Descriptions};
use super::file::File;
use super::lint::{self, Finding, MOST_FINDINGS, Rules, lawful};
use super::page::{Page, items, shell_block, table};
use super::profile::Profile;
use super::skill;
use super::text::{code, plain, prose, quoted};
use registry_model::Kind;
use registry_model::settings::Settings;

/// The longest name of a tool that the APIs of models take, in characters.
const LONGEST_CALL: usize = 64;

pub(super) fn of(profile: &Profile, settings: &Settings) -> Vec<File> {
    let abilities = ability::all(profile);
    let findings = lint::of(&abilities, &Rules::of(profile));
    let mut files =
        vec![skill::of(profile, settings, &abilities, true), lint_page(profile, &abilities, &findings)];
    match profile.kind {
        Kind::Mcp => {
            let clients = clients::of(profile);
            let described = descriptions::of(profile, &abilities);
            files.push(install(profile, &clients, &described, &abilities, settings));
            files.extend(clients.into_iter().map(|client| client.file));
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
    let rows = clients.iter().map(|client| {
        let paths = client.paths.iter().map(|path| code(path, 80)).collect::<Vec<_>>().join(" or ");
        let content: Vec<String> = client.file.content.lines().map(|line| code(line, 4096)).collect();
        [client.name.to_owned(), paths, content.join(", on the next line ")]
    });
    let head = format!("Content for {name}");
    page.section(
        &format!("{name} in each client, as `{local}`"),
        table(["Client", "File", &head], rows.collect()),
    );
    let commands: Vec<String> =
        clients.iter().map(|client| client.command.clone()).filter(|command| !command.is_empty()).collect();
    page.section(&format!("{name} by command"), shell_block(commands));
    page.section(&format!("See that {name} answers"), items(calls::listed(profile, None)));
    let mut notes = Vec::new();
    if !clients.is_empty() {
        notes.push(format!(
            "Claude Desktop starts local programs only: its file runs the bridge `mcp-remote` for `{local}` (Node.js is needed); or add the URL under Settings, Connectors."
        ));
        notes.extend(longest_name(&local, abilities));
        let url = about::endpoint(profile).unwrap_or_default();
        notes.push(format!("Any other client: transport Streamable HTTP, URL {}.", code(&url, 2048)));
    }
    if about::asks_for_credentials(profile) {
        notes.push(format!("{name} asked for credentials when it was probed: VS Code, Cursor and `mcp-remote` open its sign-in, Claude Code does after `/mcp`, Codex after `codex mcp login {local}`."));
    }
    if clients.is_empty() {
        notes.push(format!("No client can be set up for {name}: the https URL of its MCP endpoint is not known. Publish it as `mcp_url`, or run it locally as its own documentation says."));
    }
    if let Some(url) =
        about::endpoint(profile).filter(|url| url.starts_with("https://") && !described.files.is_empty())
    {
        let card = format!("{}/server-card", url.trim_end_matches('/'));
        notes.push(format!("`server.json` lists {local} in the official registry: `mcp-publisher login` with `github` for a name under io.github, else with `dns` or `http`, then `mcp-publisher publish`. `server-card.json` is what {local} should answer at {}.", code(&card, 2100)));
    }
    notes.extend(described.notes.iter().map(|note| prose(note, 500)));
    page.section(&format!("To know about {name}"), items(notes));
    File { path: "install.md".to_owned(), media_type: "text/markdown", content: page.text() }
}

/// What becomes of the tools' names: Claude Code, for one, puts the server's name before them.
fn longest_name(local: &str, abilities: &[Ability]) -> Option<String> {
    let longest = abilities.iter().max_by_key(|ability| ability.id.chars().count())?;
    let whole = format!("mcp__{local}__{}", longest.id);
    let length = whole.chars().count();
    let verdict = if length > LONGEST_CALL { "over" } else { "within" };
    Some(format!(
        "The longest name that a model sees is {} with {length} characters, {verdict} the {LONGEST_CALL} that its API takes.",
        code(&whole, 240)
    ))
}

fn bridge(profile: &Profile, abilities: &[Ability], settings: &Settings) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    page.title(&format!("{name} for MCP clients"));
    page.block(about::lines(profile, settings));
    let mut notes = vec![format!(
        "{name} is an A2A agent: MCP clients reach it only through a server that offers `tools.jsonl` and forwards each call."
    )];
    let rows = abilities.iter().take(MOST_ROWS).map(|ability| {
        [code(&lawful(&ability.id), 64), code(&ability.id, 64), prose(&ability.purpose(), 200)]
    });
    page.section(
        &format!("Tools that stand for {name}"),
        table(["MCP tool", &format!("Skill of {name}"), "Forwards"], rows.collect()),
    );
    page.section(&format!("What a call to {name} becomes"), items(calls::listed(profile, abilities.first())));
    notes.push(format!("Publish the server's URL as `mcp_url` at {} when it stands: it is a listing of its own beside {name}.", code(&settings.url("/api/publish"), 300)));
    if abilities.is_empty() {
        notes.push(format!(
            "{name} declares no skill, so there is no tool to offer yet: add skills to its card first."
        ));
    }
    page.section(&format!("To know about {name}"), items(notes));
    File { path: "bridge.md".to_owned(), media_type: "text/markdown", content: page.text() }
}

fn lint_page(profile: &Profile, abilities: &[Ability], findings: &[Finding]) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    let read = counted(profile, abilities.len().min(MOST_READ));
    let title = format!("{name}: {} of {read} to be better described", findings.len());
    page.title(&title);
    let rows = findings.iter().take(MOST_FINDINGS).map(|finding| {
        let renamed = finding.name.as_ref().map(|name| format!(" → {}", code(name, 64))).unwrap_or_default();
        [
            format!("{}{renamed}", code(&finding.id, 64)),
            prose(&finding.faults.join("; "), 240),
            quoted(&finding.description, 400),
        ]
    });
    page.block(table(
        [&format!("Of {name}"), "What is wrong", "Rewrite; fill what stands in brackets"],
        rows.collect(),
    ));
    if findings.len() > MOST_FINDINGS {
        page.block(vec![format!("{} more are not shown.", findings.len() - MOST_FINDINGS)]);
    }
    if !findings.is_empty() {
        page.block(vec![format!(
            "`tools.jsonl` has each {} of {name} with its rewrite, one a line; fill the brackets there before you use it.",
            ability::noun(profile)
        )]);
    }
    if findings.is_empty() {
        let held = if abilities.is_empty() {
            format!("{name} declares nothing that could be looked at.")
        } else {
            format!("No rule finds fault with the names and descriptions of {name}.")
        };
        page.block(vec![held]);
    }
    File { path: "descriptions.md".to_owned(), media_type: "text/markdown", content: page.text() }
}

fn tools(profile: &Profile, abilities: &[Ability], findings: &[Finding]) -> Option<File> {
    let better = |ability: &Ability| {
        let finding = findings.iter().find(|finding| finding.id == ability.id);
        finding.map_or_else(|| ability.description.replace('\n', " "), |finding| finding.description.clone())
    };
    let mut lines: Vec<String> = abilities
        .iter()
        .take(MOST_ROWS)
        .map(|ability| {
            let (name, description) = (lawful(&ability.id), plain(&better(ability), 600));
            let tool = match profile.kind {
                Kind::Mcp if name == ability.id => json!({ "name": name, "description": description }),
                Kind::Mcp => json!({ "name": name, "description": description, "was": ability.id }),
                Kind::Agent => json!({
                    "name": name,
                    "title": ability.title,
                    "description": description,
                    "inputSchema": {
                        "type": "object",
                        "properties": { "message": { "type": "string", "description": format!("What {} is asked, in words", ability.title) } },
                        "required": ["message"],
                    },
                }),
            };
            tool.to_string()
        })
        .collect();
    if abilities.len() > MOST_ROWS {
        lines.push(json!({ "more": abilities.len() - MOST_ROWS }).to_string());
    }
    let file = |content| File { path: "tools.jsonl".to_owned(), media_type: "application/jsonl", content };
    (!lines.is_empty()).then(|| file(lines.join("\n") + "\n"))
}
