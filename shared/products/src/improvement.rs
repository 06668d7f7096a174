//! What the Recursive product adds: a list of fixes with the points that each gains, a skill that fixes one point at a
//! time, and a log.

use super::calls::get;
use super::page::steps;
use super::profile::Weakness;
use super::text::{query, slug_after};
use super::{evaluation, lint};
use crate::prelude::*;

pub(super) fn files(profile: &Profile, settings: &Settings, abilities: &[Ability]) -> [File; 3] {
    [skill(profile, settings), regression(profile, settings, abilities), log(profile)]
}

pub(super) fn open(profile: &Profile) -> impl Iterator<Item = &Weakness> {
    profile.proof.iter().flat_map(|proof| &proof.weaknesses).take(MAX_ROWS)
}

fn skill(profile: &Profile, settings: &Settings) -> File {
    let name = about::name(profile);
    let plain_name = about::plain_name(profile);
    let slug = slug_after("improve", &profile.slug());
    let description = format!(
        "Improves {plain_name} one change at a time. Use after a case of {} failed, while regression.md has an open \
         line, or after a complaint about {plain_name}.",
        evaluation::PATH
    );
    let mut page = Page::skill(&slug, &description, Vec::new(), &format!("Improve {name}"));
    let cases = code(evaluation::PATH, 40);
    page.block(steps([
        format!("Run the command below and note the score. Send the calls in {cases} to your build of {name}. If all are as expected, take the first open line of `regression.md`."),
        format!("Change one text or one handler of {name}."),
        "Deploy the change, and send the calls and the command again. Keep the change only if all calls are as expected, and the score is not lower than the noted one. A probe can send more requests, so its score can differ.".to_owned(),
        "Check its line in `regression.md`, and add what you tried to `improvement-log.jsonl`.".to_owned(),
    ]));
    let card = address(profile.card_url.as_deref()).or_else(|| address(profile.endpoint.as_deref()));
    let card = card.map_or_else(|| "<URL>".to_owned(), |card| query(&card));
    page.section(
        &format!("Check the score of {name} at the registry"),
        fence("sh", [get(&settings.url(&format!("/api/score?url={card}")))]),
    );
    page.into_file(&format!("skills/{slug}/SKILL.md"))
}

fn regression(profile: &Profile, settings: &Settings, abilities: &[Ability]) -> File {
    let name = about::name(profile);
    let mut page = Page::new(&format!("{name}: regression checklist"));
    page.block(about::proof(profile, settings));
    let open = open(profile).map(|weakness| {
        let mark = if weakness.blocking { " must be fixed to be or stay Live;" } else { "" };
        let gain = if weakness.points > 0 { format!(" **+{}**", weakness.points) } else { String::new() };
        let (seen, fix) = (prose(&weakness.seen, 300), prose(&weakness.fix, 400));
        format!("[ ] {}:{mark} {seen} → {fix}{gain}", code(&weakness.id, 60))
    });
    page.section(&format!("What to fix in {name}"), items(open));
    let found = lint::findings(abilities, profile.kind);
    let texts = found.iter().take(MAX_ROWS);
    let texts = texts.map(|one| format!("[ ] {}: {}", code(&one.id, 64), prose(&one.faults.join("; "), 240)));
    page.section(&format!("Descriptions of {name} to improve"), items(texts));
    page.block(ability::left_out(profile, found.len()));
    let missing = about::missing(profile).into_iter().map(|what| format!("[ ] {what}"));
    page.section(&format!("Missing for {name}"), items(missing));
    page.into_file("regression.md")
}

fn log(profile: &Profile) -> File {
    let proof = profile.proof.as_ref();
    let parts = proof.into_iter().flat_map(|proof| &proof.parts);
    let parts: Map<String, Value> =
        parts.map(|part| (plain(&part.id, 40), json!([part.points, part.of]))).collect();
    let (at, score) = (proof.map(|proof| proof.probed_at), proof.map(|proof| proof.score));
    let baseline =
        json!({ "entry": "baseline", "of": profile.slug(), "at": at, "score": score, "parts": parts });
    File::json_lines("improvement-log.jsonl", &[baseline])
}
