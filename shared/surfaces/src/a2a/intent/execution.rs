//! Runs an operation and writes the reply from its answer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::a2a::intent::reply::{Outcome, Reply};
use crate::a2a::intent::request::detail_selects_a_part;
use crate::a2a::intent::summary;
use crate::errors;
use registry_app::App;
use registry_features::listing::operations::CHECK_STATUS;
use registry_features::operation::{DETAIL, View, short};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::{AnyOperation, RawArguments};
use registry_model::error::{ErrorKind, Problem};
use registry_model::{Caller, ListingId, Moment};

/// How long the reply to "list me" waits for the first probe. It runs in another function; this only polls the table.
const MAX_PROBE_WAIT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A reply to plain words has about so many bytes, text and data together.
pub(super) const MAX_REPLY: usize = 7600;

pub(super) const SHORTENED: &str =
    " The data is shortened; to get all of it, call the operation by a data part with `detail` (`full`). ";

/// Runs an operation.
///
/// # Errors
/// Only server-side and temporary faults, such as a busy table. An error of the caller is a reply.
pub async fn run(
    app: &App,
    caller: &Caller,
    entry: &'static AnyOperation,
    arguments: Value,
) -> Result<Reply, Problem> {
    let since = app.clock.now();
    let is_short = detail_selects_a_part(entry) && arguments[DETAIL] == "short";
    let mut named = arguments.clone();
    if is_short && let Some(named) = named.as_object_mut() {
        named.remove(DETAIL);
    }
    let data = json!({
        "executed": true, "operation": entry.name, "arguments": named, "result": null, "ok": true,
    });
    let mut reply = match viewed(app, caller, entry, arguments).await {
        Ok((view, result)) => {
            let status = status_after_probe(app, caller, entry.name, &result, since).await?;
            done(entry, &view, result, status, data)
        }
        Err(problem) if errors::status(problem.kind).is_server_error() => return Err(problem),
        Err(problem) => failed(entry, &problem, data),
    };
    if is_short {
        let result = reply.data["result"].take();
        let rest = reply.text_len() + reply.data.to_string().len();
        let (result, cut) = short::fitted(result, MAX_REPLY.saturating_sub(rest));
        reply.data["result"] = result;
        reply.is_shortened = cut && entry.effect.idempotent;
        if cut {
            reply.add(if reply.is_shortened { SHORTENED } else { " The data is shortened. " });
        }
    }
    Ok(reply)
}

/// The whole answer, and the part of it that the caller wants.
async fn viewed(
    app: &App,
    caller: &Caller,
    entry: &AnyOperation,
    mut arguments: Value,
) -> Result<(View, Value), Problem> {
    let mut view = View::Full;
    if let Some(arguments) = arguments.as_object_mut() {
        view = View::of_arguments(entry, arguments)?;
        // An answer without a short form is whole.
        if detail_selects_a_part(entry) {
            arguments.remove(DETAIL);
        }
        entry.check_names(arguments)?;
    }
    Ok((view, entry.run(app.clone(), *caller, RawArguments::Json(arguments)).await?))
}

/// The reply with a result, and with the status of the listing after its first probe.
fn done(entry: &AnyOperation, view: &View, result: Value, status: Option<Value>, mut data: Value) -> Reply {
    let (described, latest) = status.as_ref().map_or((entry, &result), |status| (&CHECK_STATUS, status));
    let (text, next_step) = summary::answer(described, latest);
    let next = latest.get("next").cloned();
    // The owner must sign first.
    let lacks = !entry.effect.read_only && result["challenge"].is_object();
    if lacks {
        data["asks"] = json!("signature");
        (data["executed"], data["ok"]) = (json!(false), json!(false));
    }
    data["result"] = view.of(entry, result);
    if let Some(status) = status {
        // What the result says about the time before the probe is out of date.
        for name in ["lane", "kind"] {
            data["result"][name] = status[name].clone();
        }
        if let Some(result) = data["result"].as_object_mut() {
            result.retain(|name, _| !["status", "message", "poll", "next"].contains(&name.as_str()));
        }
        data["status"] = status;
    }
    if let Some(next) = next {
        data["next"] = next;
    }
    let outcome = match entry.effect.read_only {
        _ if lacks => Outcome::Asked,
        true => Outcome::Read,
        false => Outcome::Done,
    };
    Reply { next_step, ..Reply::new(outcome, text, data) }
}

/// The reply with an error of the caller.
fn failed(entry: &AnyOperation, problem: &Problem, mut data: Value) -> Reply {
    let document = errors::problem_document(problem);
    // An argument that the message did not contain.
    let lacking = problem.field.as_deref().filter(|field| data["arguments"].get(field).is_none());
    let lacking = lacking.filter(|_| problem.kind == ErrorKind::Invalid);
    if let Some(field) = lacking {
        data["asks"] = json!(field);
    }
    let next_step = summary::next_step(&document["next"]).unwrap_or_default();
    let blank = if next_step.is_empty() { "" } else { " " };
    let next = document.get("next").cloned();
    (data["executed"], data["ok"], data["error"]) = (json!(false), json!(false), document);
    if let Some(next) = next {
        data["next"] = next;
    }
    let outcome = match entry.effect.read_only {
        _ if lacking.is_some() => Outcome::Asked,
        true => Outcome::Read,
        false => Outcome::Failed,
    };
    let text = format!("{}{blank}", problem.detail);
    Reply { next_step, ..Reply::new(outcome, text, data) }
}

/// The status of a listing that was probed after `since`; `None` if no probe is due, or if it takes too long.
async fn status_after_probe(
    app: &App,
    caller: &Caller,
    operation: &str,
    answer: &Value,
    since: Moment,
) -> Result<Option<Value>, Problem> {
    if operation != LIST_YOURSELF.name || answer["status"] != "queued" || answer.get("retry_at").is_some() {
        return Ok(None);
    }
    let Some(id) = answer["listing_id"].as_str().and_then(|id| id.parse::<ListingId>().ok()) else {
        return Ok(None);
    };
    for _ in 0..MAX_PROBE_WAIT.as_millis() / POLL_INTERVAL.as_millis() {
        tokio::time::sleep(POLL_INTERVAL).await;
        let listing = app.store.listing(&id).await?;
        if listing.and_then(|listing| listing.proof.probe).is_some_and(|probe| probe.at >= since) {
            let arguments = RawArguments::Json(json!({ "id": id }));
            return CHECK_STATUS.run(app.clone(), *caller, arguments).await.map(Some);
        }
    }
    Ok(None)
}
