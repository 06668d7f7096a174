//! `skills/<slug>/SKILL.md`: how another agent, or its own, works with the listing: which request goes to which ability,
//! how it is called, and, where peers are known, whom a request is handed on to.

use std::collections::HashSet;

use super::ability::{self, Ability, Effect, MOST_ROWS, counted};
use super::about;
use super::calls;
use super::file::File;
use super::page::{Page, items, shell_block, table};
use super::profile::{Peer, Profile};
use super::text::{address, code, codes, plain, prose, query, quoted, scalar};
use super::words::{is_verb, subject, telling};
use registry_model::settings::Settings;

/// What Agent Skills allow of a description, in characters, and room for a closing word.
const LONGEST_DESCRIPTION: usize = 1000;

/// The skill; `routing` adds whom else a request may go to.
pub(super) fn of(profile: &Profile, settings: &Settings, abilities: &[Ability], routing: bool) -> File {
    let name = about::name(profile);
    let slug = profile.slug();
    let mut page =
        Page::skill(&slug, &scalar(&description(profile, abilities), LONGEST_DESCRIPTION), metadata(profile));
    page.title(&format!("Work with {name}"));
    let known = match about::endpoint(profile) {
        Some(url) => format!("It answers at {}; {}.", code(&url, 2048), offers(profile, abilities)),
        None => format!("{}; no URL is known at which it answers.", capital(&offers(profile, abilities))),
    };
    page.block(vec![known]);
    page.section(
        &format!("Which {} for which request to {name}", ability::noun(profile)),
        choices(profile, abilities),
    );
    page.section(&format!("Call {name}"), items(calls::listed(profile, readable(abilities))));
    if routing {
        page.section(&format!("Beside {name}"), beside(profile, abilities));
        page.block(refresh(profile, abilities, settings));
    }
    File { path: format!("skills/{slug}/SKILL.md"), media_type: "text/markdown", content: page.text() }
}

/// One that may be called for a try: it only reads.
fn readable(abilities: &[Ability]) -> Option<&Ability> {
    abilities.iter().find(|ability| matches!(ability.effect(), Effect::Reads(_)))
}

fn offers(profile: &Profile, abilities: &[Ability]) -> String {
    match abilities.len() {
        0 => format!("it declares no {}", ability::noun(profile)),
        count => format!("it declares {}", counted(profile, count)),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn description(profile: &Profile, abilities: &[Ability]) -> String {
    let name = about::plain_name(profile);
    let said = plain(profile.description.as_deref().unwrap_or_default(), 400);
    let said = said.trim_end_matches(['.', '…']);
    let does = if said.is_empty() || said.eq_ignore_ascii_case(&name) {
        format!("Works with {name}")
    } else {
        format!("{name}: {said}")
    };
    let titles: Vec<String> = abilities.iter().take(12).map(|ability| plain(&ability.title, 60)).collect();
    let topics: Vec<String> = telling(said).into_iter().take(5).collect();
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
    let rows = abilities.iter().take(MOST_ROWS).map(|ability| {
        let said = ability.description.replace('\n', " ");
        let said = if said.is_empty() { "says nothing of itself".to_owned() } else { quoted(&said, 240) };
        [prose(&ability.title, 80), code(&ability.id, 64), said]
    });
    let mut lines = table(
        ["Request", &capital(ability::noun(profile)), &format!("What {} says of it", about::name(profile))],
        rows.collect(),
    );
    if abilities.len() > MOST_ROWS {
        lines.push(String::new());
        lines.push(format!(
            "{} more are not shown; the last is {}.",
            counted(profile, abilities.len() - MOST_ROWS),
            last(abilities)
        ));
    }
    lines
}

fn last(abilities: &[Ability]) -> String {
    abilities.last().map(|ability| code(&ability.id, 64)).unwrap_or_default()
}

fn beside(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let name = about::name(profile);
    let rows = profile.peers.iter().take(MOST_ROWS).map(|peer: &Peer| {
        let theirs = subject(&format!("{} {}", peer.name, peer.description));
        let near = abilities.iter().filter(|ability| !ability.subject.is_disjoint(&theirs));
        let near: Vec<&str> = near.map(|ability| ability.id.as_str()).collect();
        let near = if near.is_empty() { format!("what {name} does not do") } else { codes(near, 3) };
        let at = address(Some(&peer.url)).map_or_else(|| "no usable URL".to_owned(), |url| code(&url, 300));
        [near, prose(&peer.name, 80), peer.kind.as_str().to_owned(), quoted(&peer.description, 160), at]
    });
    let head = format!("{} of {name} next to it", capital(ability::noun(profile)));
    let mut lines = table(
        [&head, "Live peer", "Kind", "It says of itself (a claim, not an instruction)", "At"],
        rows.collect(),
    );
    if lines.is_empty() {
        lines.push(format!("No Live peer of {name} was known when this was made."));
    }
    lines
}

fn refresh(profile: &Profile, abilities: &[Ability], settings: &Settings) -> Vec<String> {
    let mut lines = vec![format!(
        "Peers come and go: ask for those of the moment before {} relies on one.",
        about::name(profile)
    )];
    lines.push(String::new());
    lines.extend(shell_block(match_lines(profile, abilities, settings)));
    lines
}

/// Look-ups of Live peers by the subjects of the listing, each word once.
pub(super) fn match_lines(profile: &Profile, abilities: &[Ability], settings: &Settings) -> Vec<String> {
    let said = telling(profile.description.as_deref().unwrap_or_default());
    // Words out of a description, unlike tags, tell little one by one.
    let tagged = abilities.iter().any(|ability| !ability.tags.is_empty());
    let said = said.chunks(4).map(<[String]>::to_vec).take(if tagged { 1 } else { 2 });
    let texts = said.chain(abilities.iter().filter(|one| !one.tags.is_empty()).map(Ability::topics));
    let mut known = HashSet::new();
    let wanted = texts.take(MOST_ROWS).map(|words| {
        let new = |word: &String| !is_verb(word) && subject(word).into_iter().any(|stem| known.insert(stem));
        words.into_iter().filter(new).take(4).collect::<Vec<_>>().join(" ")
    });
    let mut wanted: Vec<String> = wanted.filter(|words| !words.is_empty()).take(3).collect();
    if wanted.is_empty() {
        let titles = abilities.iter().map(|ability| ability.title.clone()).filter(|title| !title.is_empty());
        wanted.extend(titles.chain([about::plain_name(profile)]).take(3));
    }
    wanted.iter().map(|words| calls::get(&settings.url(&format!("/api/match?q={}", query(words))))).collect()
}
