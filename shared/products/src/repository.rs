//! `AGENTS.md`: rules for coding agents that work on the source of the listing. It contains what is known from outside:
//! what is published, how to check it, and what clients rely on.

use serde_json::json;

use super::ability::{self, Ability, Effect};
use super::calls::post;
use super::page::{File, Page, fence, items, shell_block, table};
use super::profile::Profile;
use super::text::{address, capital, code, codes};
use super::{about, charter, evaluation};
use registry_model::Kind;
use registry_model::settings::Settings;

const MAX_NAMES: usize = 40;

pub(super) fn of(
    profile: &Profile,
    settings: &Settings,
    abilities: &[Ability],
    other_files: Vec<String>,
) -> File {
    let name = about::name(profile);
    let mut page = Page::default();
    page.title(&format!("AGENTS.md for the source of {name}"));
    page.block(vec![format!(
        "For coding agents that change the source of {name}. It was made only from what is public about {name}. Add the commands that install, start and test it."
    )]);
    page.block(about::lines(profile, settings));
    page.section(&format!("What clients rely on in {name}"), relied_on(profile, abilities));
    page.section(&format!("Where the published texts of {name} come from"), items(origins(profile)));
    page.section(&format!("Check {name} before a merge"), checks(profile, settings));
    page.section(&format!("Change in {name} only with a new version"), items(invariants(profile, abilities)));
    page.section(&format!("After a deployment of {name}"), deployment(profile, settings));
    page.section("Other files", items(other_files));
    page.into_file("AGENTS.md")
}

fn relied_on(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row =
        |what: &str, value: Option<String>| rows.extend(value.map(|value| [what.to_owned(), value]));
    row("Endpoint", about::endpoint(profile).map(|url| code(&url, 2048)));
    row("Agent card", address(profile.card_url.as_deref()).map(|url| code(&url, 2048)));
    row("Name in `server.json`", profile.server_name.as_deref().map(|name| code(name, 200)));
    row("Version", profile.version.as_deref().map(|version| code(version, 60)));
    row("Pin of the tool set", about::pin(profile).map(|hash| code(hash, 80)));
    let ids = abilities.iter().map(|ability| ability.id.as_str());
    let nouns = format!("{}s", capital(ability::noun(profile)));
    row(&nouns, (!abilities.is_empty()).then(|| codes(ids, MAX_NAMES)));
    table(["", &format!("As {} shows it", about::name(profile))], rows)
}

fn origins(profile: &Profile) -> Vec<String> {
    let name = about::name(profile);
    match profile.kind {
        Kind::Agent => vec![
            format!(
                "Keep the agent card of {name} in one place in the repository: a file, or code that builds it. Change it there, \
                 and never in a copy that is served."
            ),
            format!("Remove or add a skill in the card of {name} and the code that serves it in one commit."),
        ],
        Kind::Mcp => vec![
            format!(
                "Clients read names, descriptions, input schemas and annotations of {name} from `tools/list`. Change them \
                 where the source registers each tool."
            ),
            format!(
                "`server.json` describes {name} to registries. It does not contain the tools. Its `version` changes with \
                 each release."
            ),
        ],
    }
}

fn checks(profile: &Profile, settings: &Settings) -> Vec<String> {
    let document = match profile.kind {
        Kind::Agent => "agent-card.json",
        Kind::Mcp => "server.json",
    };
    let mut lines =
        shell_block(vec![format!("EVALUATION_URL='<URL of your build>' {}", evaluation::COMMAND)]);
    lines.push(String::new());
    lines.push(format!(
        "It sends the requests in `evaluation.jsonl` to the build that you test. Without `EVALUATION_URL`, it calls {}.",
        about::endpoint(profile).map_or_else(|| "nothing".to_owned(), |url| code(&url, 2048))
    ));
    lines.extend(about::token_line(profile).into_iter().flat_map(|line| [String::new(), line]));
    let source = settings.source_url.as_deref().and_then(|url| url.strip_prefix("https://github.com/"));
    if let Some(repository) = source {
        lines.push(String::new());
        lines.push(format!(
            "This step of GitHub Actions checks the {} of your repository without a network. It fails if the registry would \
             not list {}.",
            code(document, 40),
            about::name(profile)
        ));
        lines.push(String::new());
        lines.extend(fence(
            "yaml",
            vec![
                format!(
                    "- uses: {}/.github/actions/registry-check@main",
                    repository.trim_end_matches(['/', '.'])
                ),
                format!("  with: {}", json!({ "target": document, "file": document, "offline": "true" })),
            ],
        ));
    }
    lines
}

fn invariants(profile: &Profile, abilities: &[Ability]) -> Vec<String> {
    let name = about::name(profile);
    let noun = ability::noun(profile);
    let mut rules = vec![format!(
        "The URL of the endpoint. Another URL is another listing, without the evidence of {name}."
    )];
    if !abilities.is_empty() {
        rules.push(match noun {
            "skill" => format!("The ids of its skills. Clients may choose {name} by them."),
            _ => format!("The names of its tools. Clients and prompts call the tools of {name} by them."),
        });
    }
    let required: Vec<&str> = abilities
        .iter()
        .filter(|ability| ability.arguments.iter().any(|argument| argument.required))
        .map(|ability| ability.id.as_str())
        .collect();
    if !required.is_empty() {
        rules.push(format!(
            "Required arguments of {}. A new required argument breaks each caller.",
            codes(required, MAX_NAMES)
        ));
    }
    if profile.kind == Kind::Mcp {
        let undeclared: Vec<&str> = abilities
            .iter()
            .filter(|ability| matches!(ability.effect(), Effect::Unknown | Effect::Named(_)))
            .map(|ability| ability.id.as_str())
            .collect();
        if !undeclared.is_empty() {
            rules.push(format!(
                "Annotations. Careful clients ask before each call of a tool that declares no effect: {}. Declare \
                 `readOnlyHint: true` only for tools that change nothing.",
                codes(undeclared, MAX_NAMES)
            ));
        }
        if about::pin(profile).is_some() {
            rules.push(format!(
                "Any part of a tool definition of {name}: clients that pin the tool set are warned. Say in the release \
                 notes what changed."
            ));
        }
    }
    rules.push(format!(
        "`{}` is the policy of {name}. Change it together with the tools or skills that it names.",
        charter::PATH
    ));
    rules
}

fn deployment(profile: &Profile, settings: &Settings) -> Vec<String> {
    let name = about::name(profile);
    let Some(body) = about::publish_body(profile) else {
        return vec![format!("Publish the URL of {name}; it is not known here.")];
    };
    let mut calls = vec![post(&settings.url("/api/publish"), "", &body)];
    if let (Some(id), Some(hash)) = (&profile.listing_id, about::pin(profile)) {
        let pins = json!({ "pins": [{ "listing_id": id, "hash": hash }] });
        calls.push(post(&settings.url("/api/pins/check"), "", &pins));
    }
    let pin = if calls.len() > 1 {
        " The second call checks whether its tools are still those of the pin."
    } else {
        ""
    };
    let mut lines = vec![format!(
        "The first call publishes {name} again. This starts a probe, unless one succeeded in the last {} hours.{pin}",
        settings.fresh_ok_hours
    )];
    lines.push(String::new());
    lines.extend(shell_block(calls));
    lines
}
