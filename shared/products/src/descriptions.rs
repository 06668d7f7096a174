//! `server.json` and the server card of an MCP server, made anew from what is known and held to the official rules; what
//! had to be changed or left out is told beside it.

use serde_json::{Map, Value, json};
use url::Url;

use super::ability::Ability;
use super::about;
use super::file::File;
use super::profile::Profile;
use super::text::{address, plain, spaced};
use registry_formats::registry_name::reversed_host;
use registry_formats::server_json::{self, is_name, is_version};
use registry_model::Reach;
use registry_model::protocol::SERVER_DESCRIPTION_SCHEMA;

const CARD_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The longest description and title that the schemas allow, in characters.
const LONGEST: usize = 100;

#[derive(Clone, Debug, Default)]
pub(super) struct Descriptions {
    /// The documents; none where no name can be derived.
    pub(super) files: Vec<File>,
    pub(super) notes: Vec<String>,
}

pub(super) fn of(profile: &Profile, abilities: &[Ability]) -> Descriptions {
    let mut notes = Vec::new();
    let Some(name) = name(profile, &mut notes) else {
        notes.push("server.json: not made, since its name begins with a domain of its owner, reversed, and neither a name nor a URL is known.".to_owned());
        return Descriptions { files: Vec::new(), notes };
    };
    let mut server = Map::new();
    let version = version(profile, &mut notes);
    server.insert("name".to_owned(), name.into());
    server.insert("version".to_owned(), version.into());
    let title = about::plain_name(profile);
    if server.get("name").and_then(Value::as_str) != Some(&title) {
        server.insert("title".to_owned(), fitting(&title).into());
    }
    server.insert("description".to_owned(), description(profile, abilities, &mut notes).into());
    if let Some(page) = address(profile.website.as_deref()) {
        server.insert("websiteUrl".to_owned(), page.into());
    }
    if let Some(url) = about::endpoint(profile) {
        server.insert("remotes".to_owned(), json!([{ "type": "streamable-http", "url": url }]));
    } else {
        notes.push("server.json: no remotes, since no URL is known at which it answers.".to_owned());
    }
    hold_to_rules(&mut server, &mut notes);
    let mut card = server.clone();
    let spoken: Vec<String> =
        profile.protocol_versions.iter().take(8).map(|version| plain(version, 40)).collect();
    let remote =
        card.get_mut("remotes").and_then(|remotes| remotes.get_mut(0)).and_then(Value::as_object_mut);
    if let Some(remote) = remote.filter(|_| !spoken.is_empty()) {
        remote.insert("supportedProtocolVersions".to_owned(), spoken.into());
    }
    let files = vec![
        file("server.json", SERVER_DESCRIPTION_SCHEMA, &server),
        file("server-card.json", CARD_SCHEMA, &card),
    ];
    Descriptions { files, notes }
}

fn hold_to_rules(server: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let violations =
        server_json::read(&Value::Object(server.clone()), Reach::Public).err().unwrap_or_default();
    for violation in violations {
        let member = violation.path.split(['[', '.']).next().unwrap_or_default();
        if matches!(member, "websiteUrl" | "remotes" | "title") && server.remove(member).is_some() {
            notes.push(format!("server.json: {member} left out: {}", plain(&violation.message, 300)));
        }
    }
}

/// The document with one member a line, so that a change of one is one line in a diff.
fn file(path: &str, schema: &str, members: &Map<String, Value>) -> File {
    let mut lines = Vec::new();
    let mut first = format!("{{ \"$schema\": {}", Value::from(schema));
    for (key, value) in members {
        let member = format!("{}: {}", Value::from(key.as_str()), spaced(value));
        // The schema, the name and the version tell which document this is: one line.
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
        notes.push(format!("server.json: name was {:?}, which breaks the rule of names.", plain(own, 120)));
    }
    let url = Url::parse(&about::endpoint(profile)?).ok()?;
    let name = format!("{}/{}", reversed_host(&url), profile.slug());
    let name = if is_name(&name) { name } else { format!("{}/mcp-server", reversed_host(&url)) };
    notes.push(format!("server.json: name {name} is derived from the host; to publish it, prove that domain (DNS or HTTP), or use io.github.<you>/…"));
    is_name(&name).then_some(name)
}

fn version(profile: &Profile, notes: &mut Vec<String>) -> String {
    let own = profile.version.as_deref().map(|version| plain(version, 200)).unwrap_or_default();
    if is_version(&own) {
        return own;
    }
    let was =
        if own.is_empty() { "none is known".to_owned() } else { format!("{own:?} is a range or reserved") };
    notes.push(format!("server.json: version 0.0.0 stands in, since {was}: put yours there."));
    "0.0.0".to_owned()
}

/// Its description within the limit; where it has none, what its tools are called.
fn description(profile: &Profile, abilities: &[Ability], notes: &mut Vec<String>) -> String {
    let said = plain(profile.description.as_deref().unwrap_or_default(), 2000);
    let length = said.chars().count();
    if length > LONGEST {
        notes.push(format!("server.json: description cut from {length} to at most {LONGEST} characters: see that it still says the main thing."));
    }
    if length > 0 {
        return fitting(&said);
    }
    let names: Vec<String> = abilities.iter().take(8).map(|ability| ability.id.clone()).collect();
    notes.push("server.json: description made of the tools' names, since it has none of its own.".to_owned());
    let made =
        if names.is_empty() { about::plain_name(profile) } else { format!("Tools: {}", names.join(", ")) };
    fitting(&made)
}

fn fitting(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST - 1).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before);
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.', ' ']))
}
