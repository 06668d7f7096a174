//! `skills/<slug>/SKILL.md`: how an agent works with the listing. It says which ability serves which request,
//! how to call this ability, and which peers serve other requests.

use std::collections::HashSet;

use serde_json::json;

use super::ability::{self, Ability, Effect, MAX_ROWS, counted};
use super::page::{File, Page, fence, items, shell_block, table};
use super::profile::{Peer, Profile};
use super::text::{address, capital, code, codes, plain, prose, query, quoted, scalar, spaced};
use super::words::{is_verb, subject, subject_words};
use super::{about, arguments, calls};
use registry_model::Kind;
use registry_model::settings::Settings;

/// Tools that are shown with their arguments and a call. Agent Skills recommend less than 500 lines.
const MAX_DETAILED: usize = 12;

/// Tools that are only named; further tools are only counted.
const MAX_LISTED: usize = 60;

/// Agent Skills allow 1,024.
const MAX_DESCRIPTION_CHARS: usize = 1000;

/// `routing` adds the peers.
pub(super) fn of(profile: &Profile, settings: &Settings, abilities: &[Ability], routing: bool) -> File {
    let name = about::name(profile);
    let slug = profile.slug();
    let mut page = Page::skill(
        &slug,
        &scalar(&description(profile, abilities), MAX_DESCRIPTION_CHARS),
        metadata(profile),
    );
    page.title(&format!("Work with {name}"));
    let endpoint = match about::endpoint(profile) {
        Some(url) => format!("answers at {}", code(&url, 2048)),
        None => "has no known endpoint URL".to_owned(),
    };
    let declared = match abilities.len() {
        0 => format!("no {}", ability::noun(profile)),
        count => counted(profile, count),
    };
    page.block(vec![format!("It {endpoint}, and it declares {declared}.")]);
    page.block(about::token_line(profile).into_iter().collect());
    page.section(
        &format!("Which {} for which request to {name}", ability::noun(profile)),
        choices(profile, abilities),
    );
    // An example must not change anything.
    let example = abilities.iter().find(|ability| ability.effect() == Effect::ReadOnly);
    page.section(&format!("Call {name}"), items(calls::listed(profile, example)));
    let (detailed, mut others): (Vec<&Ability>, Vec<&Ability>) =
        abilities.iter().partition(|ability| ability.has_schema);
    others.extend(detailed.iter().skip(MAX_DETAILED));
    for ability in detailed.into_iter().take(MAX_DETAILED) {
        page.section(&format!("Tool {}", code(&ability.id, 64)), detail(profile, ability));
        let call = json!({ "name": ability.id, "arguments": arguments::worked(&ability.arguments) });
        page.block(fence("json", vec![spaced(&call)]));
    }
    if profile.kind == Kind::Mcp && !others.is_empty() {
        let ids = codes(others.iter().map(|ability| ability.id.as_str()), MAX_LISTED);
        page.section(
            &format!("Other tools of {name}"),
            vec![format!("Read `inputSchema` in `tools/list`, and ask before each call: {ids}.")],
        );
    }
    if routing {
        page.section(&format!("Peers of {name}"), peers(profile, abilities));
        page.block(vec![format!("Peers change. Before {name} relies on a peer, find the current peers.")]);
        page.block(shell_block(match_lines(profile, abilities, settings)));
    }
    page.into_file(&format!("skills/{slug}/SKILL.md"))
}

fn description(profile: &Profile, abilities: &[Ability]) -> String {
    let name = about::plain_name(profile);
    let description = plain(profile.description.as_deref().unwrap_or_default(), 400);
    let description = description.trim_end_matches(['.', '…']);
    let does = if description.is_empty() || description.eq_ignore_ascii_case(&name) {
        format!("Works with {name}")
    } else {
        format!("{name}: {description}")
    };
    let mut titles: Vec<String> =
        abilities.iter().take(12).map(|ability| plain(&ability.title, 60)).collect();
    if abilities.len() > titles.len() {
        titles.push(format!("and {} more", abilities.len() - titles.len()));
    }
    let topics: Vec<String> = subject_words(description).into_iter().take(5).collect();
    match (titles.is_empty(), topics.is_empty()) {
        (false, _) => format!("{does}. Use when a request asks for: {}.", titles.join(", ")),
        (true, false) => format!("{does}. Use when a request is about {}.", topics.join(", ")),
        (true, true) => format!("{does}. Use when a request names {name}."),
    }
}

fn metadata(profile: &Profile) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(url) = about::endpoint(profile) {
        lines.push(format!("compatibility: {}", scalar(&format!("Needs network access to {url}"), 480)));
    }
    let fields = [
        (
            "version",
            profile.version.clone().map(|version| plain(&version, 60)).filter(|version| !version.is_empty()),
        ),
        ("listing-id", profile.listing_id.as_ref().map(ToString::to_string)),
        ("proven-at", profile.proof.as_ref().map(|proof| proof.probed_at.to_string())),
    ];
    let known: Vec<String> = fields
        .into_iter()
        .filter_map(|(key, value)| Some(format!("  {key}: {}", scalar(&value?, 200))))
        .collect();
    if !known.is_empty() {
        lines.push("metadata:".to_owned());
        lines.extend(known);
    }
    lines
}

fn choices(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let rows = abilities.iter().take(MAX_ROWS).map(|ability| {
        let description = ability.description.replace('\n', " ");
        let description =
            if description.is_empty() { "no description".to_owned() } else { quoted(&description, 240) };
        [prose(&ability.title, 80), code(&ability.id, 64), description]
    });
    let mut lines = table(
        ["Request", &capital(ability::noun(profile)), &format!("Description by {}", about::name(profile))],
        rows.collect(),
    );
    if abilities.len() > MAX_ROWS {
        lines.push(String::new());
        lines.push(format!(
            "{} more are not shown; the last is {}.",
            counted(profile, abilities.len() - MAX_ROWS),
            abilities.last().map(|ability| code(&ability.id, 64)).unwrap_or_default()
        ));
    }
    lines
}

/// What a model needs to call a tool, except for the call itself.
fn detail(profile: &Profile, ability: &Ability) -> Vec<String> {
    let mut lines = match ability.effect().reason() {
        None => vec![format!("It only reads, as {} declares: call it without asking.", about::name(profile))],
        Some(reason) => vec![format!("Ask before each call: {} {reason}.", code(&ability.id, 64))],
    };
    let fields = ability.output_schema["properties"].as_object();
    let fields: Vec<&str> = fields.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if !fields.is_empty() {
        lines.push(format!("The result has the fields {}.", codes(fields, 12)));
    }
    let rows = ability.arguments.iter().map(|argument| {
        let mut meaning = prose(&argument.description, 200);
        let mut add = |what: &str, value: String| {
            let gap = if meaning.is_empty() { "" } else { " " };
            meaning = format!("{meaning}{gap}{what}: {value}.");
        };
        if !argument.choices.is_empty() {
            let choices: Vec<String> = argument.choices.iter().map(ToString::to_string).collect();
            add("One of", codes(choices.iter().map(String::as_str), 12));
        }
        if let Some(default) = &argument.default {
            add("Default", code(&default.to_string(), 200));
        } else if let Some(example) = argument.example.as_ref().filter(|_| argument.choices.is_empty()) {
            add("Example", code(&example.to_string(), 200));
        }
        let item = &argument.shape[0];
        if item.is_object() {
            add("Each item", code(&spaced(item), 400));
        }
        let required = if argument.required { "yes" } else { "no" };
        [code(&argument.name, 64), argument.value.as_str().to_owned(), required.to_owned(), meaning]
    });
    let table = table(["Argument", "Type", "Required", "Meaning"], rows.collect());
    let broken = about::broken(&lines);
    let gap = if table.is_empty() { None } else { Some(String::new()) };
    broken.into_iter().chain(gap).chain(table).chain([String::new(), values(ability)]).collect()
}

/// Where the values of the example call come from.
fn values(ability: &Ability) -> String {
    let invented = ability.arguments.iter().filter(|one| one.required && one.example.is_none());
    let invented = codes(invented.map(|one| one.name.as_str()), MAX_ROWS);
    match (invented.is_empty(), ability.arguments.iter().any(|one| one.required)) {
        (false, _) => format!("A call. Replace the placeholder in {invented}:"),
        (true, true) => "A call with values from the schema:".to_owned(),
        (true, false) => "No arguments are needed:".to_owned(),
    }
}

fn peers(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let name = about::name(profile);
    let rows = profile.peers.iter().take(MAX_ROWS).map(|peer| {
        let theirs = subject(&format!("{} {}", peer.name, peer.description));
        let near = abilities.iter().filter(|ability| !ability.subject.is_disjoint(&theirs));
        let near: Vec<&str> = near.map(|ability| ability.id.as_str()).collect();
        let near = if near.is_empty() { format!("none of {name}") } else { codes(near, 3) };
        let [peer, kind, description, url] = peer_cells(peer);
        [near, peer, kind, description, url]
    });
    let head = format!("Related {} of {name}", ability::noun(profile));
    let [peer, kind, description, url] = PEER_COLUMNS;
    let mut lines = table([&head, peer, kind, description, url], rows.collect());
    if lines.is_empty() {
        lines.push(format!("No Live peers of {name} were known when this file was generated."));
    }
    lines
}

const PEER_COLUMNS: [&str; 4] =
    ["Live peer", "Kind", "Its own description (a claim, not an instruction)", "URL"];

fn peer_cells(peer: &Peer) -> [String; 4] {
    let url = address(Some(&peer.url)).map_or_else(|| "no usable URL".to_owned(), |url| code(&url, 300));
    [prose(&peer.name, 80), peer.kind.as_str().to_owned(), quoted(&peer.description, 160), url]
}

/// Calls that find Live peers by the subjects of the listing, each word once.
fn match_lines(profile: &Profile, abilities: &[Ability], settings: &Settings) -> Vec<String> {
    let words = subject_words(profile.description.as_deref().unwrap_or_default());
    // Single words of a description are less specific than tags, so without tags two groups of them are used.
    let tagged = abilities.iter().any(|ability| !ability.tags.is_empty());
    let groups = words.chunks(4).map(<[String]>::to_vec).take(if tagged { 1 } else { 2 });
    let texts = groups.chain(abilities.iter().filter(|one| !one.tags.is_empty()).map(Ability::topics));
    let mut known = HashSet::new();
    let queries = texts.take(MAX_ROWS).map(|words| {
        let new = |word: &String| !is_verb(word) && subject(word).into_iter().any(|stem| known.insert(stem));
        words.into_iter().filter(new).take(4).collect::<Vec<_>>().join(" ")
    });
    let mut queries: Vec<String> = queries.filter(|words| !words.is_empty()).take(3).collect();
    if queries.is_empty() {
        let titles = abilities.iter().map(|ability| ability.title.clone()).filter(|title| !title.is_empty());
        queries.extend(titles.chain([about::plain_name(profile)]).take(3));
    }
    queries.iter().map(|words| calls::get(&settings.url(&format!("/api/match?q={}", query(words))))).collect()
}
