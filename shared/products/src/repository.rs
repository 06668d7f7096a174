//! `AGENTS.md`: rules for coding agents that work on the source of the listing. It contains what is known from outside:
//! what is published, how to check it, and what clients rely on.

use super::calls::post;
use super::{charter, evaluation};
use crate::prelude::*;

pub(super) fn file(profile: &Profile, settings: &Settings, abilities: &[Ability]) -> File {
    let name = about::name(profile);
    let mut page = Page::new(&format!("AGENTS.md for the source of {name}"));
    page.block([format!("For coding agents that change the source of {name}.")]);
    page.block(about::lines(profile, settings));
    page.section(&format!("What clients rely on in {name}"), relied_on(profile, abilities));
    page.section(&format!("Change in {name} only with a new version"), items(invariants(profile, abilities)));
    page.section(
        &format!("Check {name} before a merge"),
        [format!(
            "Send the calls in {} to your build. Each line says what to expect.",
            code(evaluation::PATH, 40)
        )],
    );
    page.block(about::sign_in(profile));
    let publish = about::publish_body(profile).map(|body| post(&settings.url("/api/publish"), "", &body));
    page.section(
        &format!("If {name} is no longer Live, fix it, then publish it again"),
        fence("sh", publish),
    );
    page.into_file("AGENTS.md")
}

fn relied_on(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let ids = abilities.iter().map(|ability| ability.id.as_str());
    let nouns = format!("{}s", capital(ability::noun(profile)));
    let rows = [
        ("Endpoint", about::endpoint(profile).map(|url| code(&url, 2048))),
        ("Agent card", address(profile.card_url.as_deref()).map(|url| code(&url, 2048))),
        ("Name in `server.json`", profile.server_name.as_deref().map(|name| code(name, 200))),
        ("Version", profile.version.as_deref().map(|version| code(version, 60))),
        ("Pin of the tool set", about::pin(profile).map(|hash| code(hash, 80))),
        (&nouns, (!abilities.is_empty()).then(|| codes(ids, MAX_ROWS))),
    ];
    let rows = rows.into_iter().filter_map(|(what, value)| Some([what.to_owned(), value?]));
    table(["", &format!("As {} shows it", about::name(profile))], rows.collect())
}

fn invariants(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let ids = |matches: fn(&Ability) -> bool| {
        let matching = abilities.iter().filter(|ability| matches(ability));
        codes(matching.map(|ability| ability.id.as_str()), MAX_ROWS)
    };
    let mut rules = Vec::new();
    if about::endpoint(profile).is_some() {
        let name = about::name(profile);
        rules.push(format!("The URL of the endpoint. The evidence of {name} is not valid for another URL."));
    }
    let required = ids(|ability| ability.arguments.iter().any(|argument| argument.required));
    if !required.is_empty() {
        rules.push(format!("Required arguments of {required}. A new required argument breaks each caller."));
    }
    let undeclared = ids(|ability| matches!(ability.effect, Effect::Unknown | Effect::Named(_)));
    if ability::noun(profile) == "tool" && !undeclared.is_empty() {
        rules.push(format!(
            "Annotations. Careful clients ask before each call of a tool that declares no effect: {undeclared}. Declare \
             `readOnlyHint: true` only for tools that change nothing."
        ));
    }
    rules.push(format!("`{}` is its policy. Change it together with what it names.", charter::PATH));
    rules
}
