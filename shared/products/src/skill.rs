//! `skills/<slug>/SKILL.md`: how an agent works with the listing. It says which ability serves which request,
//! how to call this ability, and which peers serve other requests.

use super::ability::counted;
use super::text::query;
use super::words::subject_words;
use super::{arguments, calls};
use crate::prelude::*;

/// Tools that are shown with their arguments and a call. Agent Skills recommend less than 500 lines.
const MAX_DETAILED: usize = 12;

/// Tools that are only named; further tools are only counted.
const MAX_LISTED: usize = 60;

/// `routing` adds the peers.
pub(super) fn file(profile: &Profile, settings: &Settings, abilities: &[Ability], routing: bool) -> File {
    let name = about::name(profile);
    let slug = profile.slug();
    let (description, title) = (description(profile, abilities), format!("Work with {name}"));
    let mut page = Page::skill(&slug, &description, metadata(profile), &title);
    let endpoint = match about::endpoint(profile) {
        Some(url) => format!("the endpoint {}", code(&url, 2048)),
        None => "no known endpoint URL".to_owned(),
    };
    page.block([format!("It has {endpoint}. Known: {}.", counted(profile, abilities.len()))]);
    page.block(about::sign_in(profile));
    let noun = ability::noun(profile);
    page.section(&format!("Which {noun} for which request to {name}"), choices(profile, abilities));
    page.block(ability::left_out(profile, abilities.len()));
    // An example must not change anything.
    let example = abilities.iter().find(|ability| ability.is_free());
    page.section(&format!("Call {name}"), items(calls::example_lines(profile, example)));
    let (detailed, mut others): (Vec<&Ability>, Vec<&Ability>) =
        abilities.iter().partition(|ability| ability.has_schema);
    others.extend(detailed.iter().skip(MAX_DETAILED));
    for ability in detailed.into_iter().take(MAX_DETAILED) {
        page.section(&format!("Tool {}", code(&ability.id, 64)), [before_call(profile, ability)]);
        page.block(argument_table(ability));
        let call = json!({ "name": ability.id, "arguments": arguments::worked(&ability.arguments) });
        page.block(fence("json", [call.to_string()]));
    }
    if profile.kind == Kind::Mcp && !others.is_empty() {
        let ids = codes(others.iter().map(|ability| ability.id.as_str()), MAX_LISTED);
        let free = codes(others.iter().filter(|one| one.is_free()).map(|one| one.id.as_str()), MAX_LISTED);
        let except = if free.is_empty() { free } else { format!(", except for {free}") };
        page.section(
            &format!("Other tools of {name}"),
            [format!("Read `inputSchema` in `tools/list`: {ids}. Ask before each call{except}.")],
        );
    }
    if routing {
        page.section(&format!("Peers of {name}"), peers(profile));
        if let Some(call) = match_call(profile, settings) {
            page.block([format!("Peers change. Before {name} relies on a peer, find the current peers.")]);
            page.block(fence("sh", [call]));
        }
    }
    page.into_file(&format!("skills/{slug}/SKILL.md"))
}

fn description(profile: &Profile, abilities: &[Ability]) -> String {
    let name = about::plain_name(profile);
    let description = plain(profile.description.as_deref().unwrap_or_default(), 400);
    let does = match description.trim_end_matches(['.', '…']) {
        "" => format!("Works with {name}"),
        text => format!("{name}: {text}"),
    };
    let titles: Vec<String> = abilities.iter().take(12).map(|ability| plain(&ability.title, 60)).collect();
    match titles.is_empty() {
        false => format!("{does}. Use when a request asks for: {}.", titles.join(", ")),
        true => format!("{does}. Use when a request names {name}."),
    }
}

fn metadata(profile: &Profile) -> Vec<String> {
    let compatibility = about::endpoint(profile)
        .map(|url| format!("compatibility: {}", scalar(&format!("Needs network access to {url}"), 480)));
    let version = profile.version.as_deref().map(|version| plain(version, 60));
    let fields = [
        ("version", version.filter(|version| !version.is_empty())),
        ("listing-id", profile.listing_id.as_ref().map(ToString::to_string)),
        ("proven-at", profile.proven_at.map(|at| at.to_string())),
    ];
    let known: Vec<String> = fields
        .into_iter()
        .filter_map(|(key, value)| Some(format!("  {key}: {}", scalar(&value?, 200))))
        .collect();
    let head = (!known.is_empty()).then(|| "metadata:".to_owned());
    compatibility.into_iter().chain(head).chain(known).collect()
}

fn choices(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let rows = abilities.iter().take(MAX_ROWS).map(|ability| {
        let description = described(&ability.description.replace('\n', " "), 240);
        [prose(&ability.title, 80), code(&ability.id, 64), description]
    });
    let (noun, author) = (capital(ability::noun(profile)), about::name(profile));
    table(["Request", &noun, &format!("Description by {author}")], rows.collect())
}

fn described(text: &str, chars: usize) -> String {
    if text.is_empty() { "no description".to_owned() } else { quoted(text, chars) }
}

fn before_call(profile: &Profile, ability: &Ability) -> String {
    match ability.effect.reason() {
        None => format!("It only reads, as {} declares: call it without asking.", about::name(profile)),
        Some(reason) => format!("Ask before each call: {} {reason}.", code(&ability.id, 64)),
    }
}

fn argument_table(ability: &Ability) -> Vec<String> {
    let rows = ability.arguments.iter().map(|argument| {
        let example = argument.example.as_ref().map(|example| code(&example.to_string(), 200));
        let required = if argument.required { "yes" } else { "no" };
        [
            code(&argument.name, 64),
            argument.value.as_str().to_owned(),
            required.to_owned(),
            prose(&argument.description, 200),
            example.unwrap_or_default(),
        ]
    });
    table(["Argument", "Type", "Required", "Meaning", "Example"], rows.collect())
}

fn peers(profile: &Profile) -> Vec<String> {
    let rows = profile.peers.iter().take(MAX_ROWS).map(|peer| {
        let url = address(Some(&peer.url)).map_or_else(|| "no usable URL".to_owned(), |url| code(&url, 300));
        let (name, kind) = (prose(&peer.name, 80), peer.kind.as_str().to_owned());
        [name, kind, described(&peer.description, 160), url]
    });
    let head = ["Live peer", "Kind", "Its own description (a claim, not an instruction)", "URL"];
    let lines = table(head, rows.collect());
    match lines.is_empty() {
        true => vec!["The search found no matching Live peer on another host.".to_owned()],
        false => lines,
    }
}

fn match_call(profile: &Profile, settings: &Settings) -> Option<String> {
    // Its own name would find only itself.
    let tool = profile.tools.first().map(|tool| tool.name.as_str());
    let texts = [profile.description.as_deref(), tool].into_iter().flatten();
    let words = texts.map(subject_words).find(|words| !words.is_empty())?;
    let words: Vec<String> = words.into_iter().take(4).collect();
    Some(calls::get(&settings.url(&format!("/api/match?q={}", query(&words.join(" "))))))
}
