//! The `server.json` and the server card of an MCP server. They are generated from the profile and are valid
//! by the official schemas. Notes say what was changed or left out.

use url::Url;

use crate::prelude::*;
use registry_formats::registry_name::reversed_host;
use registry_formats::server_json::{self, is_name, is_version};
use registry_model::Reach;
use registry_model::protocol::SERVER_DESCRIPTION_SCHEMA;

const CARD_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The limit of the schemas for a description and a title.
const MAX_CHARS: usize = 100;

/// The files, or none where no name can be derived, and the notes.
pub(super) fn files(profile: &Profile, abilities: &[Ability]) -> (Vec<File>, Vec<String>) {
    let mut notes = Vec::new();
    let Some(name) = name(profile, &mut notes) else {
        notes.push(
            "server.json was not generated: its name must begin with the reversed domain of the owner, which is not known."
                .to_owned(),
        );
        return (Vec::new(), notes);
    };
    let mut server = Map::new();
    let title = about::plain_name(profile);
    if profile.server_name.as_deref() != Some(profile.name.as_str()) && name != title {
        server.insert("title".to_owned(), plain(&title, MAX_CHARS).into());
    }
    server.insert("name".to_owned(), name.into());
    server.insert("version".to_owned(), version(profile, &mut notes).into());
    server.insert("description".to_owned(), description(profile, abilities).into());
    if let Some(page) = address(profile.website.as_deref()) {
        server.insert("websiteUrl".to_owned(), page.into());
    }
    if let Some(url) = about::endpoint(profile) {
        server.insert("remotes".to_owned(), json!([{ "type": "streamable-http", "url": url }]));
    }
    remove_violations(&mut server, &mut notes);
    let mut card = server.clone();
    let versions: Vec<String> =
        profile.protocol_versions.iter().take(8).map(|version| plain(version, 40)).collect();
    let remote =
        card.get_mut("remotes").and_then(|remotes| remotes.get_mut(0)).and_then(Value::as_object_mut);
    if let Some(remote) = remote.filter(|_| !versions.is_empty()) {
        remote.insert("supportedProtocolVersions".to_owned(), versions.into());
    }
    card.insert("$schema".to_owned(), CARD_SCHEMA.into());
    server.insert("$schema".to_owned(), SERVER_DESCRIPTION_SCHEMA.into());
    if let Some(own) = &profile.server_json {
        notes = vec!["server.json is your published document, without remotes on other domains.".to_owned()];
        server = own.clone();
    }
    let files = [("server.json", server), ("server-card.json", card)];
    (files.map(|(path, members)| File::json(path, &members.into())).into(), notes)
}

fn remove_violations(server: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let violations = server_json::parse_server_json(&Value::Object(server.clone()), Reach::Public)
        .err()
        .unwrap_or_default();
    for violation in violations {
        let member = violation.path.split(['[', '.']).next().unwrap_or_default();
        if matches!(member, "websiteUrl" | "remotes" | "title") && server.remove(member).is_some() {
            notes.push(format!("server.json: {member} left out: {}", plain(&violation.message, 300)));
        }
    }
}

fn name(profile: &Profile, notes: &mut Vec<String>) -> Option<String> {
    if let Some(own) = profile.server_name.as_deref() {
        if is_name(own) {
            return Some(own.to_owned());
        }
        notes.push(format!("server.json: the name {:?} is not valid.", plain(own, 120)));
    }
    let url = Url::parse(&about::endpoint(profile)?).ok()?;
    let name = format!("{}/{}", reversed_host(&url), profile.slug());
    let name = if is_name(&name) { name } else { format!("{}/mcp-server", reversed_host(&url)) };
    let name = Some(name).filter(|name| is_name(name))?;
    notes.push(format!("server.json: the name {name} is derived from the host. To publish it, verify that domain (DNS or HTTP), or use io.github.<you>/…"));
    Some(name)
}

fn version(profile: &Profile, notes: &mut Vec<String>) -> String {
    let own = profile.version.as_deref().map(|version| plain(version, 200)).unwrap_or_default();
    if is_version(&own) {
        return own;
    }
    notes.push(
        "server.json: version 0.0.0 is a placeholder because no valid version is known; replace it with yours."
            .to_owned(),
    );
    "0.0.0".to_owned()
}

/// Its description, cut to the limit; without one, the names of its tools.
fn description(profile: &Profile, abilities: &[Ability]) -> String {
    let names: Vec<&str> = abilities.iter().take(8).map(|ability| ability.id.as_str()).collect();
    let texts = [
        plain(profile.description.as_deref().unwrap_or_default(), MAX_CHARS),
        plain(&names.join(", "), MAX_CHARS),
        about::plain_name(profile),
    ];
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}
