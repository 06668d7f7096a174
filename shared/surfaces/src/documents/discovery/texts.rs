//! Texts for language models and crawlers: `/llms.txt` (llmstxt.org), `/llms-full.txt` with every operation,
//! `/ai.txt`, `/robots.txt` and `/.well-known/security.txt`.

use std::fmt::Write as _;

use super::limits::{BEYOND, acts};
use super::skills::{SKILLS, steps};
use super::{documents as documents_of, everything, guides, map};
use crate::call::Call;
use crate::documents::{self, Render};
use crate::pages::{self, PAGES};
use crate::prelude::*;
use registry_features::funnel;
use registry_features::listing::operations::MATCH_CAPABILITY;
use registry_features::listing::{ProductEntry, tagline};
use registry_features::operation::toolsets::{LIST_TOOLSETS, SPECIFIED};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REGISTRY};

pub static LLMS: AnyDocument = AnyDocument {
    paths: &["/llms.txt"],
    summary: "What this registry is and what to read next, for language models (llmstxt.org).",
    ..plain_text(|app, _| Box::pin(async { Ok(llms(&app.settings).into()) }))
};

pub static LLMS_FULL: AnyDocument = AnyDocument {
    paths: &["/llms-full.txt"],
    summary: "The full guide in one text: how to list, every operation with its arguments, every document, and the limits.",
    ..plain_text(|app, _| Box::pin(async { Ok(llms_full(&app.settings).into()) }))
};

pub static AI_TEXT: AnyDocument = AnyDocument {
    paths: &["/ai.txt"],
    summary: "A short list of what agents can do here.",
    ..plain_text(|app, _| Box::pin(async { Ok(ai_text(&app.settings).into()) }))
};

/// Everything may be read, searched and quoted, but not used for training (contentsignals.org): names and descriptions are
/// the words of publishers, who agreed to no more.
pub static ROBOTS: AnyDocument = AnyDocument {
    paths: &["/robots.txt"],
    summary: "What crawlers may read, and for what (RFC 9309).",
    ..plain_text(|app, _| Box::pin(async { Ok(robots(&app.settings).into()) }))
};

const fn plain_text(render: Render) -> AnyDocument {
    AnyDocument {
        media_type: "text/plain; charset=utf-8",
        max_age_s: Some(3600),
        ..AnyDocument::fixed::<String>(render)
    }
}

/// The beginning of both texts for language models.
fn introduction(settings: &Settings) -> String {
    let [list, find] = [LIST_YOURSELF.described, MATCH_CAPABILITY.described]
        .map(|operation| Call::template(operation, settings).curl(" "));
    format!(
        "# {}\n\n> {}\n\nPublishing a listing is free. You need no key and no account. Replace names in braces. To list an agent or \
         MCP server, send its URL. A probe follows. The response contains the URL of its \
         status:\n\n```sh\n{list}\n```\n\nTo find a peer for a task:\n\n```sh\n{find}\n```\n\nAll {} \
         operations can be called as MCP tools at `{}`, which lists {} tools; `{LIST_TOOLSETS}` shows the others, except the operator's. \
         You can also request them in plain words over A2A at `{}`. If there is a next step, the response contains it in `next`: a call that is complete, or whose note says what to add.\n\n",
        settings.brand,
        tagline(settings),
        DESCRIPTIONS.len(),
        settings.url(MCP_ENDPOINT),
        SPECIFIED.described().count() + 1,
        settings.url("/api/a2a"),
    )
}

fn llms(settings: &Settings) -> String {
    let mut text = introduction(settings);
    text.push_str("## Start here\n\n");
    add_links(&mut text, settings, guides());
    text.push_str("\n## Skills\n\n");
    for skill in SKILLS.iter() {
        let _ = writeln!(text, "- [{}]({}): {}", skill.name, settings.url(&skill.path()), skill.description);
    }
    text.push_str("\n## Endpoints\n\n");
    for (name, path, what) in [
        (
            "MCP",
            MCP_ENDPOINT,
            "streamable HTTP without sessions. Every operation is a tool; /mcp lists only the most useful ones.",
        ),
        (
            "A2A",
            "/api/a2a",
            "JSON-RPC and HTTP+JSON. Send plain words, or a data part that names an \
            operation.",
        ),
        ("ARD search", ARD_BASE, "Agentic Resource Discovery, to search, explore and browse."),
        (
            "MCP registry API",
            MCP_REGISTRY,
            "the same read API as the official MCP registry. It returns the \
            Live servers.",
        ),
    ] {
        let _ = writeln!(text, "- [{name}]({}): {what}", settings.url(path));
    }
    text.push_str("\n## Pages for people\n\n");
    add_links(&mut text, settings, PAGES.iter().copied());
    text.push_str("\n## Optional\n\n");
    add_links(&mut text, settings, documents_of(settings));
    text
}

/// As items of a list. A path with a parameter is named, not linked.
fn add_links(text: &mut String, settings: &Settings, documents: impl Iterator<Item = &'static AnyDocument>) {
    for document in documents {
        let (path, summary) = (document.path(), document.summary);
        let _ = if path.contains('{') {
            writeln!(text, "- `{path}`: {summary}")
        } else {
            writeln!(text, "- [{path}]({}): {summary}", settings.url(&path))
        };
    }
}

fn llms_full(settings: &Settings) -> String {
    let mut text = introduction(settings);
    text.push_str("## List yourself, step by step\n\n");
    for (number, step) in (1..).zip(steps(settings)) {
        let _ =
            writeln!(text, "{number}. {}: {}\n\n   ```sh\n   {}\n   ```\n", step.name, step.note, step.curl);
    }
    text.push_str("## Stages of a listing\n\n");
    for stage in funnel::stages(settings) {
        let _ = writeln!(text, "- {}: {}", stage.label, stage.agent_action);
    }
    text.push_str("\n## Products\n\n");
    for ProductEntry { name, sku, price, description, .. } in ProductEntry::all() {
        let _ = writeln!(text, "- {name} (`{}`, {price}): {description}", sku.as_str());
    }
    text.push_str(
        "\n## Operations\n\nEach operation is an MCP tool. To call it over A2A, send `{\"operation\": …, \
         \"arguments\": …}` in a data part. `match_capability` (its best hits) and `sense_traces` (of one listing) add to \
         the trails of listings, see `stigmergy`; `score` stores a report, and can make a Live listing due.\n",
    );
    for operation in DESCRIPTIONS {
        add_operation(&mut text, operation, settings);
    }
    text.push_str("\n## Skills\n\n");
    for skill in SKILLS.iter() {
        let _ = writeln!(text, "- [{}]({})", skill.title, settings.url(&skill.path()));
    }
    text.push_str("\n## Documents and pages\n\n");
    add_links(&mut text, settings, everything(settings));
    text.push_str("\n## Errors\n\n");
    text.push_str(ERRORS);
    text.push_str(&limits(settings));
    text
}

const ERRORS: &str = "Most errors of A2A, ARD and the MCP registry API have the form of their standards. Most others are \
    problem documents (RFC 9457, `application/problem+json`): `status`, `code` (stable) and `detail` (what is wrong). They \
    contain `field` if an argument is invalid, and `next` if there is a next step. 400: the request cannot be parsed; 401: \
    a token is missing or wrong; 402: not paid; 404: not found; 405: see the Allow header; 409: not possible in the current \
    state; 422: an argument is invalid; 429 and 503: wait `retry_after_s` seconds, then send the same request again. Over \
    MCP, the problem is the structured content of a result with `isError`, or the data of a JSON-RPC error. Over A2A, it \
    is `error` in the data of a task that failed or needs input, or of the message that answers a read.\n";

fn add_operation(text: &mut String, operation: &Description, settings: &Settings) {
    let call = Call::template(operation, settings);
    let _ = writeln!(text, "\n### {}\n\n{}: {}\n", operation.name, operation.title, operation.description);
    if !operation.aliases.is_empty() {
        let _ = writeln!(text, "- Aliases: {}", operation.aliases.join(", "));
    }
    let is_read = operation.effect.read_only && !operation.routes.iter().any(|route| route.acts);
    let _ = writeln!(text, "- Changes something: {}", if is_read { "no" } else { "yes" });
    let _ = writeln!(text, "- In words: \"{}\"", call.words);
    let body = call.body.map(|body| format!(" with `{body}`")).unwrap_or_default();
    let _ = writeln!(text, "- Request: `{} {}`{body}", call.method, call.url);
    let arguments = map::arguments(operation);
    if arguments.is_empty() {
        text.push_str("- Arguments: none\n");
    }
    for argument in arguments {
        let required = if argument.required { ", required" } else { "" };
        let description = argument.description.as_deref().unwrap_or("(not described)").replace('\n', " ");
        let _ = writeln!(text, "- `{}`{required}: {description}", argument.name);
    }
}

fn limits(settings: &Settings) -> String {
    let Settings { probe_tick_seconds, probe_window_cap, probe_hourly_cap, probe_daily_budget, .. } =
        settings;
    let Settings { founding_seats, payments_open_after, .. } = settings;
    let (recheck, grace) = (settings.recheck_in_words(), counted(settings.talk_grace_days, "day"));
    let mut text = format!(
        "\n## Limits\n\n\
         - Probes of one listing: at most one in {probe_tick_seconds} seconds, unless one is requested. Without the weekly \
         rechecks: at most {probe_window_cap} in two minutes, {probe_hourly_cap} in an hour, {probe_daily_budget} in a day.\n\
         - A listing stays Live for at most {recheck} after its last successful handshake. It is probed \
         again before this time ends.\n\
         - Talk inbox: a new Live listing has {grace} to read its inbox for the first time. It \
         stays Live in any case.\n\
         - Founding seats (free full products): {founding_seats}. Payments open when {payments_open_after} \
         agents and {payments_open_after} MCP servers have sent feedback in their own words and the operator allows them.\n",
    );
    let requests = match settings.caller_rate {
        Some(rate) => format!("{} per second, or {} at once after a pause", rate.per_second, rate.at_once),
        None => "no limit per second".to_owned(),
    };
    let _ = writeln!(text, "- Requests from one address: {requests}.");
    if settings.rate_limits {
        for act in acts(settings) {
            let target =
                act.per_target.map(|all| format!(", {all} per host, domain or listing")).unwrap_or_default();
            let _ = writeln!(
                text,
                "- To {}: {} per hour and caller{target}, {} for all callers together.",
                act.act, act.per_caller, act.everybody
            );
        }
        let _ = writeln!(text, "- {BEYOND}");
    }
    text
}

fn ai_text(settings: &Settings) -> String {
    let mut text = format!(
        "# ai.txt: {}\n\npurpose: {}\ncontact: {} (A2A, plain words)\nauthentication: none\n\n\
         ## What agents can do\n\n",
        settings.brand,
        tagline(settings),
        settings.url("/api/a2a"),
    );
    for (number, step) in (1..).zip(steps(settings)) {
        let body = step.body.as_ref().map(|body| format!(" {body}")).unwrap_or_default();
        let _ = writeln!(text, "{number}. {}: {} {}{body}", step.name, step.method, step.url);
    }
    let _ = writeln!(
        text,
        "\nReplace names in braces with your own values. {} explains each step.\n\n## Machine indexes\n",
        settings.url(&LLMS_FULL.path())
    );
    for document in guides().filter(|document| !document.path().contains('{')) {
        let _ = writeln!(text, "- {}: {}", settings.url(&document.path()), document.summary);
    }
    text
}

fn robots(settings: &Settings) -> String {
    let mut text =
        "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n\n".to_owned();
    for path in documents::AI_CATALOG.paths.iter().chain(documents::LINKED_CATALOG.paths) {
        let _ = writeln!(text, "Agentmap: {}", settings.url(path));
    }
    for path in pages::SITEMAP.paths {
        let _ = writeln!(text, "\nSitemap: {}", settings.url(path));
    }
    text
}

/// The document expires after this time. RFC 9116 recommends less than a year.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 180);

/// Where to report a vulnerability (RFC 9116).
pub static SECURITY_TXT: AnyDocument = AnyDocument {
    paths: &["/.well-known/security.txt"],
    summary: "Where to report a vulnerability (RFC 9116), if the operator has set a contact.",
    media_type: "text/plain; charset=utf-8",
    max_age_s: Some(3600),
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<String>(|app, _| Box::pin(async { security_txt(app) }))
};

fn security_txt(app: &App) -> Result<Bytes, Problem> {
    let Some(contact) = &app.settings.operator_contact else {
        let detail = "The operator of this registry has set no contact.";
        return Err(Problem::new(Code::NoContact, detail));
    };
    // The same text all day, so that its entity tag stays the same.
    let days = app.clock.now().as_second().div_euclid(86_400) * 86_400;
    let expires = Moment::from_second(days).unwrap_or(app.clock.now()) + LIFETIME;
    let canonical = app.settings.url(SECURITY_TXT.paths[0]);
    let policy = app.settings.url("/terms");
    Ok(format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\nCanonical: {canonical}\nPolicy: \
             {policy}\n"
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_settings::Mode;

    /// The form of llmstxt.org: one H1, a quotation, then only H2 with lists of links below.
    #[test]
    fn llms_txt_has_the_prescribed_form() {
        let text = llms(&Settings::from_env(Mode::Public, |_| None).unwrap());
        let sections: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(sections, ["Start here", "Skills", "Endpoints", "Pages for people", "Optional"]);
        assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 6);
        assert!(text.starts_with("# Agent and MCP Registry\n\n> "));
        let lists = text.split_once("## Start here").unwrap().1;
        for line in lists.lines().filter(|line| !line.is_empty() && !line.starts_with("## ")) {
            assert!(line.starts_with("- [") || line.starts_with("- `/"), "{line}");
            assert!(line.contains(": "), "{line}");
        }
    }
}
