//! `/llms-full.txt`: the whole registry in one text for a language model: the steps, every operation with its
//! arguments, every document, and the limits.

use std::fmt::Write as _;

use bytes::Bytes;

use super::arguments;
use super::call::Call;
use super::contents::{LLMS_FULL, everything};
use super::limits::acts;
use super::llms;
use super::skills::{self, SKILLS};
use super::steps::steps;
use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_domain::funnel;
use registry_domain::views::ProductEntry;
use registry_model::error::Problem;
use registry_model::settings::Settings;
use registry_operations::{DESCRIPTIONS, Description};

/// The text.
#[derive(Debug)]
pub(super) struct LlmsFull;

impl Document for LlmsFull {
    const PATHS: &'static [&'static str] = LLMS_FULL.paths;
    const SUMMARY: &'static str = LLMS_FULL.summary;
    const MEDIA_TYPE: &'static str = LLMS_FULL.media_type;
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(text(&app.settings).into())
    }
}

fn text(settings: &Settings) -> String {
    let mut text = llms::head(settings);
    text.push_str("## List yourself, step by step\n\n");
    for (index, step) in steps(settings).iter().enumerate() {
        let _ = writeln!(
            text,
            "{}. {}: {}\n\n   ```sh\n   {}\n   ```\n",
            index + 1,
            step.name,
            step.note,
            step.curl
        );
    }
    text.push_str("## Stages of a listing\n\n");
    for stage in funnel::stages(settings) {
        let _ = writeln!(text, "- {}: {}", stage.label, stage.agent_action);
    }
    text.push_str("\n## Products\n\n");
    for product in ProductEntry::all() {
        let _ = writeln!(
            text,
            "- {} (`{}`, {}): {}",
            product.name,
            product.sku.as_str(),
            product.price,
            product.description
        );
    }
    text.push_str("\n## Operations\n\nBy MCP each is a tool, by A2A `{\"operation\": …, \"arguments\": …}` in a data part.\n");
    for operation in DESCRIPTIONS {
        text.push_str(&of_operation(operation, settings));
    }
    text.push_str("\n## Skills\n\n");
    for skill in &SKILLS {
        let _ = writeln!(text, "- [{}]({})", skill.title, settings.url(&skills::path(skill)));
    }
    text.push_str("\n## Documents and pages\n\n");
    llms::add(&mut text, settings, everything());
    text.push_str("\n## Errors\n\n");
    text.push_str(ERRORS);
    text.push_str(&limits(settings));
    text
}

const ERRORS: &str = "Every refusal is a problem document (RFC 9457, `application/problem+json`): `status`, `code` (stable), \
    `detail` (what was wrong), `field` where one is at fault, and `next` where something can be done. 400: not readable; \
    401: a token is missing or wrong; 402: not paid; 404: not known; 405: the Allow header says what is taken; 409: not \
    now, in the state that things are in; 422: an argument cannot be taken; 429 and 503: wait `retry_after_s`, then send \
    the same again. By MCP it is the structured content of a result with `isError`, by A2A the data of a failed task.\n";

fn of_operation(operation: &Description, settings: &Settings) -> String {
    let call = Call::of(operation, settings);
    let mut text = format!("\n### {}\n\n{}: {}\n\n", operation.name, operation.title, operation.description);
    if !operation.aliases.is_empty() {
        let _ = writeln!(text, "- Also called: {}", operation.aliases.join(", "));
    }
    let _ = writeln!(text, "- Changes something: {}", if operation.effect.read_only { "no" } else { "yes" });
    let _ = writeln!(text, "- In words: \"{}\"", call.words);
    match &call.body {
        None => {
            let _ = writeln!(text, "- Request: `{} {}`", call.method, call.url);
        }
        Some(body) => {
            let _ = writeln!(text, "- Request: `{} {}` with `{body}`", call.method, call.url);
        }
    }
    let known = arguments::of(operation);
    if known.is_empty() {
        text.push_str("- Arguments: none\n");
    }
    for argument in known {
        let required = if argument.required { ", required" } else { "" };
        let said = argument.description.as_deref().unwrap_or("(not described)").replace('\n', " ");
        let _ = writeln!(text, "- `{}`{required}: {said}", argument.name);
    }
    text
}

fn limits(settings: &Settings) -> String {
    let Settings { probe_tick_seconds, probe_window_cap, probe_hourly_cap, probe_daily_budget, .. } =
        settings;
    let mut text = format!(
        "\n## Limits\n\n- Probes: at most one of a listing in {probe_tick_seconds} seconds; in all {probe_window_cap} in two \
         minutes, {probe_hourly_cap} in an hour, {probe_daily_budget} in a day.\n\
         - A listing is Live for {} days after its last good handshake, and is asked again before they end.\n\
         - Talk: {} days of grace after going Live.\n\
         - Founding seats: {}. Payments open after feedback from {} agents and {} MCP servers.\n",
        settings.recheck_days,
        settings.talk_grace_days,
        settings.founding_seats,
        settings.payments_open_after,
        settings.payments_open_after,
    );
    if let Some(rate) = settings.caller_rate {
        let _ = writeln!(
            text,
            "- Requests of one address: {} a second, {} at once after a pause.",
            rate.per_second, rate.at_once
        );
    }
    if settings.rate_limits {
        for act in acts(settings) {
            let target =
                act.per_target.map(|most| format!(", {most} at one host or listing")).unwrap_or_default();
            let _ = writeln!(
                text,
                "- To {}: {} an hour by one caller{target}, {} by everybody.",
                act.act, act.per_caller, act.everybody
            );
        }
    }
    text
}
