//! The MCP Mesh product: install files, official descriptions, faults of tool descriptions, and a skill that routes requests.
//! For an agent, the product describes the agent's skills as tools, so that an MCP server can forward calls to the agent.

use super::ability::counted;
use super::lint::{self, MAX_CHECKED, valid_name};
use super::{calls, descriptions, install, skill};
use crate::prelude::*;

pub(super) fn files(profile: &Profile, settings: &Settings) -> Vec<File> {
    let abilities = ability::from_profile(profile);
    let mut files = vec![skill::file(profile, settings, &abilities, true), lint_page(profile, &abilities)];
    match profile.kind {
        Kind::Mcp => {
            let (described, notes) = descriptions::files(profile, &abilities);
            files.push(install_page(profile, notes, settings));
            files.extend(install::configuration(profile));
            files.extend(described);
        }
        Kind::Agent => files.extend(bridge(profile, &abilities, settings)),
    }
    files
}

fn install_page(profile: &Profile, mut notes: Vec<String>, settings: &Settings) -> File {
    let name = about::name(profile);
    let mut page = Page::new(&format!("Install {name}"));
    page.block(about::lines(profile, settings));
    match install::configuration(profile) {
        Some(file) => {
            let local = about::client_name(profile);
            let how = format!(
                "Add the entry `{local}` to the configuration of the MCP client. Most clients read this form:"
            );
            page.section(&format!("Configuration for {name}"), [how]);
            page.block(fence("json", file.content.lines().map(str::to_owned)));
        }
        None => notes.push("No configuration: no usable URL of its MCP endpoint is known.".to_owned()),
    }
    page.section(&format!("Test {name}"), items(calls::example_lines(profile, None)));
    let headers = about::headers(profile);
    let variables = codes(headers.iter().map(|(_, variable)| variable.as_str()), 4);
    let mut lines: Vec<String> = about::sign_in(profile).into_iter().collect();
    if !headers.is_empty() && !about::opens_sign_in_page(profile) {
        lines.push(format!(
            "The configuration contains no secret: set {variables} in the environment of the client."
        ));
    }
    lines.extend(notes.iter().map(|note| prose(note, 500)));
    page.section(&format!("Notes about {name}"), items(lines));
    page.into_file("install.md")
}

/// The tools for a server that forwards calls to an agent, and a page about them.
fn bridge(profile: &Profile, abilities: &[Ability], settings: &Settings) -> Vec<File> {
    let name = about::name(profile);
    let mut page = Page::new(&format!("{name} for MCP clients"));
    page.block(about::lines(profile, settings));
    let tools = if abilities.is_empty() { "a tool for it" } else { "the tools in `tools.jsonl`" };
    page.section(
        &format!("Tools for the skills of {name}"),
        [format!(
            "MCP clients can call {name} only through a server that offers {tools} and forwards each call. \
             Publish its URL as `mcp_url` at {}.",
            code(&settings.url("/api/publish"), 300)
        )],
    );
    page.section(&format!("Forwarded calls to {name}"), items(calls::example_lines(profile, None)));
    let tool = |ability: &Ability| -> Value {
        let message = format!("The request for the skill “{}”, as text", ability.title);
        let description = plain(&ability.description, 1024);
        json!({
            "name": valid_name(&ability.id),
            "title": ability.title,
            "description": if description.is_empty() { ability.title.clone() } else { description },
            "inputSchema": {
                "type": "object",
                "properties": { "message": { "type": "string", "description": message } },
                "required": ["message"],
            },
        })
    };
    let tools: Vec<Value> = abilities.iter().take(MAX_ROWS).map(tool).collect();
    let tools = (!tools.is_empty()).then(|| File::json_lines("tools.jsonl", &tools));
    [page.into_file("bridge.md")].into_iter().chain(tools).collect()
}

fn lint_page(profile: &Profile, abilities: &[Ability]) -> File {
    let name = about::name(profile);
    let findings = lint::findings(abilities, profile.kind);
    let read = counted(profile, abilities.len().min(MAX_CHECKED));
    let first = if abilities.len() > MAX_CHECKED { "the first " } else { "" };
    let mut page = Page::new(&match abilities.is_empty() {
        true => format!("Descriptions of {name}: no {}s are known", ability::noun(profile)),
        false => format!("Descriptions of {name}: {} of {first}{read} to improve", findings.len()),
    });
    let rows = findings.iter().map(|one| [code(&one.id, 64), prose(&one.faults.join("; "), 400)]);
    let rows = rows.take(MAX_ROWS).collect();
    page.block(table([&capital(ability::noun(profile)), "What is wrong"], rows));
    page.block(ability::left_out(profile, findings.len()));
    page.into_file("descriptions.md")
}
