//! What the Alive product adds: a routine that keeps the listing Live. The routine consists of calls that can be sent
//! unchanged. Its schedule is derived from the listing's id, so that not all listings call at the same time.

use serde_json::json;
use sha2::{Digest, Sha256};

use super::ability::Ability;
use super::calls::{get, post, registry_tool};
use super::page::{File, Page, items, shell_block, steps, table};
use super::profile::Profile;
use super::skill::{PEER_COLUMNS, match_lines, peer_cells};
use super::text::{code, prose, scalar, slug_after};
use super::{about, improvement};
use registry_model::protocol::MCP_ENDPOINT;
use registry_model::settings::Settings;
use registry_model::{Kind, ListingId};

const MAX_PEERS: usize = 20;

pub(super) fn slug(profile: &Profile) -> String {
    slug_after("keep-live", &profile.slug())
}

pub(super) fn of(profile: &Profile, settings: &Settings, abilities: &[Ability]) -> File {
    let name = about::name(profile);
    let slug = slug(profile);
    let brand = prose(&settings.brand, 60);
    let description = format!(
        "Keeps {} Live at {} ({}). Checks the status, the Talk inbox and the peers, and says what to do if \
         the listing is no longer Live. Use it on its schedule, and when {} is reported as down or not \
         listed.",
        about::plain_name(profile),
        settings.brand,
        settings.base_url,
        about::plain_name(profile)
    );
    let mut page = Page::skill(&slug, &scalar(&description, 1000), Vec::new());
    page.title(&format!("Keep {name} Live at {brand}"));
    match &profile.listing_id {
        Some(id) => listed(&mut page, profile, settings, id),
        None => unlisted(&mut page, profile, settings),
    }
    page.section(&format!("Peers of {name}"), peers(profile));
    page.block(shell_block(match_lines(profile, abilities, settings)));
    page.into_file(&format!("skills/{slug}/SKILL.md"))
}

/// Minute, hour and day of the week of the routine.
fn hours(id: &ListingId) -> (u8, u8, u8) {
    let digest = Sha256::digest(id.as_str());
    let byte = |at: usize| digest.get(at).copied().unwrap_or_default();
    // The two calls that follow, two minutes apart, stay in the same hour.
    (byte(0) % 56, byte(1) % 24, byte(2) % 7)
}

fn listed(page: &mut Page, profile: &Profile, settings: &Settings, id: &ListingId) {
    let name = about::name(profile);
    let status = settings.url(&format!("/api/listings/status?id={id}"));
    let talk = settings.url(&format!("/api/talk?listing_id={id}"));
    let talk_post = settings.url("/api/talk");
    let (minute, hour, day) = hours(id);
    page.block(about::proof(profile, settings).into_iter().collect());
    let row = |check: &str, delay: u8, days: &str, ok: &str, otherwise: &str| {
        let cron = format!("{} {hour} * * {days}", minute + delay);
        [check.to_owned(), code(&cron, 40), ok.to_owned(), otherwise.to_owned()]
    };
    let unread = "`inbox` has no message with `read: false`";
    let rows = [
        row("status", 0, "*", "`lane` is `active`", "follow the steps below"),
        row("Talk inbox", 2, "*", unread, "send the `next_actions` of the inbox in order"),
        row("Talk check-in", 4, &day.to_string(), "`talk.mode` is not `lapsed`", "check in again"),
    ];
    page.section(
        &format!("Schedule of {name} (UTC, cron)"),
        table(["Check", "When", "OK if", "Otherwise"], rows.into()),
    );
    let body = |action: &str, text: &str| json!({ "listing_id": id, "action": action, "text": text });
    page.section(
        &format!("Calls of {name}"),
        shell_block(vec![
            get(&status),
            get(&talk),
            post(&talk_post, "", &body("check_in", &format!("{} checks in.", about::plain_name(profile)))),
        ]),
    );
    let endpoint = settings.url(MCP_ENDPOINT);
    page.section(
        &format!("The same over MCP, as {name}"),
        shell_block(vec![
            registry_tool(&endpoint, &format!("{id} status"), "check_status", &json!({ "id": id })),
            registry_tool(&endpoint, &format!("{id} inbox"), "talk_inbox", &json!({ "listing_id": id })),
        ]),
    );
    page.section(&format!("When {name} is not Live"), steps(demotion(profile, settings, id, &status)));
    let risks =
        improvement::open(profile).into_iter().filter(|weakness| weakness.blocking).take(5).map(|weakness| {
            format!(
                "{}: {} → {}",
                code(&weakness.id, 60),
                prose(&weakness.seen, 200),
                prose(&weakness.fix, 300)
            )
        });
    page.section(&format!("What prevents {name} from being Live"), items(risks.collect()));
}

fn demotion(profile: &Profile, settings: &Settings, id: &ListingId, status: &str) -> Vec<String> {
    let name = about::name(profile);
    let reasons =
        format!("{} | jq -r '.lane, (.reasons[]? | .code + \": \" + .seen + \" -> \" + .fix)'", get(status));
    let mut steps =
        vec![format!("Read why {id} is not Live. Each reason contains a fix: {}", code(&reasons, 4096))];
    match about::endpoint(profile) {
        Some(url) => {
            steps.push(format!("Apply each `fix` at {}, in the order of the reasons.", code(&url, 2048)))
        }
        None => steps.push(format!(
            "Apply each `fix`. The URL of {name} is unknown here, but the status contains the URL that was \
             probed."
        )),
    }
    match about::publish_body(profile) {
        Some(body) => {
            let again = post(&settings.url("/api/publish"), "", &body);
            steps.push(format!("Publish {name} again, which starts a new probe: {}", code(&again, 8192)));
        }
        None => steps.push(format!("Publish {name} again with the URL of its card (`agent_card_url`) or of its endpoint (`mcp_url`), which is unknown here.")),
    }
    let poll = format!(
        "for try in $(seq 60); do {} | jq -e '.lane == \"active\"' && break; sleep 60; done",
        get(status)
    );
    steps.push(format!("Poll until {id} is Live, for at most an hour: {}", code(&poll, 4096)));
    steps.push(format!(
        "After failed rechecks in three different hours, a listing is no longer Live. After \
        the first failure, record in `improvement-log.jsonl` what {name} answered at that time."
    ));
    steps
}

fn unlisted(page: &mut Page, profile: &Profile, settings: &Settings) {
    let name = about::name(profile);
    page.block(vec![format!(
        "{name} has no listing yet, so it has no status and no inbox. Publish it first."
    )]);
    match about::publish_body(profile) {
        Some(body) => page.section(
            &format!("Publish {name}"),
            shell_block(vec![post(&settings.url("/api/publish"), "", &body)]),
        ),
        None => {
            let body = match profile.kind {
                Kind::Agent => "the https URL of its agent card, as `agent_card_url`",
                Kind::Mcp => "the https URL of its MCP endpoint, as `mcp_url`",
            };
            page.block(vec![format!(
                "To publish {name}, POST {body}, to {}.",
                code(&settings.url("/api/publish"), 300)
            )]);
        }
    }
}

fn peers(profile: &Profile) -> Vec<String> {
    let name = about::name(profile);
    let rows = profile.peers.iter().take(MAX_PEERS).map(peer_cells).collect();
    let [_, kind, description, url] = PEER_COLUMNS;
    let lines = table([&format!("Works with {name}"), kind, description, url], rows);
    if lines.is_empty() {
        return vec![format!(
            "No peers of {name} were known when this file was generated. Find the current peers:"
        )];
    }
    let again = format!("Peers change. Before {name} relies on a peer, find the current peers:");
    lines.into_iter().chain([String::new(), again]).collect()
}
