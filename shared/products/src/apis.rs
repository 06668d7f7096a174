//! Calls of the APIs of models with the server as a tool: `clients/openai.py` and `clients/anthropic.py`. Only tools that
//! are declared read-only run without an approval.

use serde_json::{Value, json};

use super::ability::{Ability, Effect};
use super::page::File;
use super::profile::Profile;
use super::{about, clients};

/// The APIs of models call only public endpoints. Empty for any other.
pub(super) fn of(profile: &Profile, abilities: &[Ability]) -> Vec<File> {
    let Some(url) = about::endpoint(profile).filter(|url| url.starts_with("https://")) else {
        return Vec::new();
    };
    let name = clients::name(profile);
    let free: Vec<&str> = abilities
        .iter()
        .filter(|ability| ability.effect() == Effect::ReadOnly)
        .map(|ability| ability.id.as_str())
        .take(super::ability::MAX_ROWS)
        .collect();
    let credentials = clients::credentials(profile);
    let bearer = credentials.iter().find(|one| !one.scheme.is_empty());
    let secret = bearer.map(|one| format!("os.environ[\"{}\"]", one.variable));
    let others = credentials.iter().filter(|one| one.scheme.is_empty());
    let others: Vec<String> =
        others.map(|one| format!("\"{}\": os.environ[\"{}\"]", one.header, one.variable)).collect();

    let mut openai = vec![
        format!("    \"type\": \"mcp\", \"server_label\": {}, \"server_url\": {},", text(&name), text(&url)),
        match free.is_empty() {
            true => "    \"require_approval\": \"always\",".to_owned(),
            false => format!("    \"require_approval\": {},", json!({ "never": { "tool_names": free } })),
        },
    ];
    openai.extend(secret.as_ref().map(|secret| format!("    \"authorization\": {secret},")));
    if !others.is_empty() {
        openai.push(format!("    \"headers\": {{{}}},", others.join(", ")));
    }
    let openai = format!(
        "# Needs `pip install openai` and OPENAI_API_KEY. A tool that asks for approval returns `mcp_approval_request`.\n\
         import os\n\nfrom openai import OpenAI\n\nserver = {{\n{}\n}}\n\
         answer = OpenAI().responses.create(model=os.environ[\"OPENAI_MODEL\"], tools=[server], input={})\n\
         print(answer.output_text)\n",
        openai.join("\n"),
        text(&request(profile, abilities)),
    );
    let mut files = vec![python("clients/openai.py", openai)];
    // This API sends a token and no other header. It has no approval, so only read-only tools are switched on.
    if others.is_empty() && !free.is_empty() {
        let token = secret.map(|secret| format!(", \"authorization_token\": {secret}")).unwrap_or_default();
        let configs: serde_json::Map<String, Value> =
            free.iter().map(|name| ((*name).to_owned(), json!({ "enabled": true }))).collect();
        let toolset = json!({ "type": "mcp_toolset", "mcp_server_name": name, "configs": configs });
        // JSON has no form for the constants of Python, so they are set by code.
        let content = format!(
            "# Needs `pip install anthropic` and ANTHROPIC_API_KEY. Only tools that are declared read-only are enabled.\n\
             import json\nimport os\n\nfrom anthropic import Anthropic\n\n\
             server = {{\"type\": \"url\", \"name\": {}, \"url\": {}{token}}}\n\
             toolset = json.loads({})\ntoolset[\"default_config\"] = {{\"enabled\": False}}\n\
             answer = Anthropic().beta.messages.create(\n    model=os.environ[\"ANTHROPIC_MODEL\"], max_tokens=1024, \
             betas=[\"mcp-client-2025-11-20\"],\n    mcp_servers=[server], tools=[toolset],\n    \
             messages=[{{\"role\": \"user\", \"content\": {}}}],\n)\nprint(answer.content)\n",
            text(&name),
            text(&url),
            text(&toolset.to_string()),
            text(&request(profile, abilities)),
        );
        files.push(python("clients/anthropic.py", content));
    }
    files
}

fn request(profile: &Profile, abilities: &[Ability]) -> String {
    let purpose = abilities.first().map(Ability::purpose).filter(|purpose| !purpose.is_empty());
    purpose.unwrap_or_else(|| format!("What can {} do?", about::plain_name(profile)))
}

/// A text as a literal of Python. The escapes of JSON are those of Python.
fn text(text: &str) -> String {
    json!(text).to_string()
}

fn python(path: &str, content: String) -> File {
    File { path: path.to_owned(), media_type: "text/x-python", content }
}
