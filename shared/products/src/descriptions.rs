//! The `server.json` and the server card of an MCP server. They are generated from the profile and are valid
//! by the official schemas. Notes say what was changed or left out.

use serde_json::{Map, Value, json};
use url::Url;

use super::ability::Ability;
use super::about;
use super::page::File;
use super::patch::Patch;
use super::profile::Profile;
use super::text::{address, plain, spaced};
use registry_formats::registry_name::reversed_host;
use registry_formats::server_json::{self, is_name, is_version};
use registry_model::Reach;
use registry_model::protocol::SERVER_DESCRIPTION_SCHEMA;

const CARD_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The limit of the schemas for a description and a title.
const MAX_CHARS: usize = 100;

#[derive(Clone, Debug, Default)]
pub(super) struct Descriptions {
    /// Empty where no name can be derived.
    pub(super) files: Vec<File>,
    pub(super) notes: Vec<String>,
}

pub(super) fn of(profile: &Profile, abilities: &[Ability]) -> Descriptions {
    let mut notes = Vec::new();
    let Some(name) = name(profile, &mut notes) else {
        notes.push(
            "server.json was not generated. The name in server.json must begin with the reversed \
            domain of the owner, and neither a name nor a URL is known."
                .to_owned(),
        );
        return Descriptions { files: Vec::new(), notes };
    };
    let mut server = Map::new();
    let version = version(profile, &mut notes);
    server.insert("name".to_owned(), name.into());
    server.insert("version".to_owned(), version.into());
    let title = about::plain_name(profile);
    if profile.server_name.as_deref() != Some(profile.name.as_str()) && server["name"] != title.as_str() {
        server.insert("title".to_owned(), fitting(&title).into());
    }
    server.insert("description".to_owned(), description(profile, abilities, &mut notes).into());
    if let Some(page) = address(profile.website.as_deref()) {
        server.insert("websiteUrl".to_owned(), page.into());
    }
    if let Some(url) = about::endpoint(profile) {
        server.insert("remotes".to_owned(), json!([{ "type": "streamable-http", "url": url }]));
    } else {
        notes.push("server.json has no remotes: the endpoint URL is not known.".to_owned());
    }
    remove_violations(&mut server, &mut notes);
    let own = profile.server_json.as_ref().map(|own| {
        let patch = Patch::of(profile, abilities);
        let corrected = patch.applied(own);
        for member in ["version", "description", "websiteUrl"] {
            server.extend(corrected.get(member).map(|value| (member.to_owned(), value.clone())));
        }
        notes = patch
            .gains
            .iter()
            .map(|(_, points, what)| format!("server.json: {what} (+{points} points)"))
            .collect();
        notes.push(match notes.is_empty() {
            true => "server.json is your published document, unchanged.".to_owned(),
            false => "server.json: all other members of your published document are unchanged.".to_owned(),
        });
        File::json("server.json", &Value::Object(corrected))
    });
    let mut card = server.clone();
    let versions: Vec<String> =
        profile.protocol_versions.iter().take(8).map(|version| plain(version, 40)).collect();
    let remote =
        card.get_mut("remotes").and_then(|remotes| remotes.get_mut(0)).and_then(Value::as_object_mut);
    if let Some(remote) = remote.filter(|_| !versions.is_empty()) {
        remote.insert("supportedProtocolVersions".to_owned(), versions.into());
    }
    let files = vec![
        own.unwrap_or_else(|| file("server.json", SERVER_DESCRIPTION_SCHEMA, &server)),
        file("server-card.json", CARD_SCHEMA, &card),
    ];
    Descriptions { files, notes }
}

fn remove_violations(server: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let violations =
        server_json::read(&Value::Object(server.clone()), Reach::Public).err().unwrap_or_default();
    for violation in violations {
        let member = violation.path.split(['[', '.']).next().unwrap_or_default();
        if matches!(member, "websiteUrl" | "remotes" | "title") && server.remove(member).is_some() {
            notes.push(format!("server.json: {member} left out: {}", plain(&violation.message, 300)));
        }
    }
}

/// One member per line, so that a change of one member is one line in a diff.
fn file(path: &str, schema: &str, members: &Map<String, Value>) -> File {
    let mut lines = Vec::new();
    let mut first = format!("{{ \"$schema\": {}", Value::from(schema));
    for (key, value) in members {
        let member = format!("{}: {}", Value::from(key.as_str()), spaced(value));
        // The schema, the name and the version identify the document: they share the first line.
        if matches!(key.as_str(), "name" | "version") {
            first.push_str(", ");
            first.push_str(&member);
        } else {
            lines.push(format!("  {member}"));
        }
    }
    lines.insert(0, first);
    File { path: path.to_owned(), media_type: "application/json", content: lines.join(",\n") + " }\n" }
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
    notes.push(format!("server.json: the name {name} is derived from the host. To publish it, verify that domain (DNS or HTTP), or use io.github.<you>/…"));
    is_name(&name).then_some(name)
}

fn version(profile: &Profile, notes: &mut Vec<String>) -> String {
    let own = profile.version.as_deref().map(|version| plain(version, 200)).unwrap_or_default();
    if is_version(&own) {
        return own;
    }
    let was = if own.is_empty() {
        "no version is known".to_owned()
    } else {
        format!("{own:?} is a range of versions or a reserved word")
    };
    notes.push(format!("server.json: version 0.0.0 is a placeholder because {was}; replace it with yours."));
    "0.0.0".to_owned()
}

/// Its description, cut to the limit; without one, the names of its tools.
fn description(profile: &Profile, abilities: &[Ability], notes: &mut Vec<String>) -> String {
    let text = plain(profile.description.as_deref().unwrap_or_default(), 2000);
    let length = text.chars().count();
    if length > MAX_CHARS {
        notes.push(format!(
            "server.json: description cut from {length} to at most {MAX_CHARS} characters; \
            check that the shorter text still contains the main point."
        ));
    }
    if length > 0 {
        return fitting(&text);
    }
    let names: Vec<String> = abilities.iter().take(8).map(|ability| ability.id.clone()).collect();
    notes.push(
        "server.json: the description lists the tool names, because the server has no description."
            .to_owned(),
    );
    let made =
        if names.is_empty() { about::plain_name(profile) } else { format!("Tools: {}", names.join(", ")) };
    fitting(&made)
}

fn fitting(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let cut: String = text.chars().take(MAX_CHARS - 1).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before);
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.', ' ']))
}
