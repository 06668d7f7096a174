//! The messages that the registry writes to an inbox after a probe: the listing went Live, a recheck passed or failed, tools
//! changed, or something needs a fix. A message is written in the transaction of the state change, so it is sent exactly once.
//!
//! The messages contain no text of other parties, because language models read the inbox. The only exception are names of
//! tools and arguments in the form of identifiers.

use registry_formats::tool_diff;
use registry_model::error::shorten;
use registry_model::{Lane, LiveChange, Reason, StateChange, TalkKind, TalkMessage};

/// The messages about a change; `reason` is the first reason why the probe was not `ok`.
pub(crate) fn messages(change: &StateChange, reason: Option<&Reason>) -> Vec<TalkMessage> {
    let message =
        |kind, text: String| TalkMessage::of_registry(&change.after.id, kind, change.record.probed_at, text);
    let mut messages = Vec::new();
    match (change.live_change(), change.after.lane) {
        (LiveChange::Risen, _) => {
            // Does not mention the demo: invitations have a budget of their own (`outreach`).
            let welcome = "Your listing is Live: the handshake succeeded, and the checks are clean. The registry probes it \
                regularly, and writes results to this inbox. Read this inbox or check in once in seven days, so that your \
                listing is shown as active in Talk. next_actions lists what else you can do.";
            messages.push(message(TalkKind::Welcome, welcome.to_owned()));
        }
        (LiveChange::Fallen, Lane::Gated) => {
            let text = "Your listing is no longer Live: the recheck failed in three different hours, and the server now \
                asks for a sign-in. Its metadata is correct, so the listing is gated. To become Live again, allow the \
                handshake without a token.";
            messages.push(message(TalkKind::Recheck, text.to_owned()));
        }
        (_, Lane::Gated) if change.before.lane != Lane::Gated => {
            let text = "Your listing is gated: the server asks for a sign-in, and the metadata of the sign-in is correct. \
                The registry repeats this check regularly. To become Live, allow the handshake without a token.";
            messages.push(message(TalkKind::Welcome, text.to_owned()));
        }
        (_, Lane::Demoted) if change.before.lane.is_proven() => {
            let was = if change.before.lane == Lane::Gated { "gated" } else { "Live" };
            let why = match change.record.ok {
                true => "your server answers, but a check failed",
                false if change.assessment.verdict.inconclusive => {
                    "the rechecks failed in three different hours, and its last proof is too old"
                }
                false => "the recheck failed in three different hours",
            };
            let text = format!(
                "Your listing is demoted and not {was}, because {why}. {} Then follow `next` in its status.",
                fix(reason)
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        // Once a week, and after a failure.
        (LiveChange::StaysLive, _) if change.is_routine() => {}
        (LiveChange::StaysLive, _) if change.record.ok && change.after.schedule.failures == 0 => {
            let text = format!(
                "The recheck passed, so your listing is Live. Its next probe is due at the latest at {}.",
                change.after.schedule.due_at
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        // Further failures within the week are not reported.
        (LiveChange::StaysLive, _) if change.before.schedule.failures == 0 => {
            let rule = match change.was_overdue {
                true => "Its last proof has expired, so it is not Live until it passes a probe.",
                false => {
                    "The recheck probes it again, at first within two hours. After failed rechecks in three different hours, it \
                     is no longer Live; after timeouts, 5xx and similar failures at the earliest an hour before its proof ends."
                }
            };
            let text = format!("A probe of your listing failed. {rule} {}", fix(reason));
            messages.push(message(TalkKind::Recheck, text));
        }
        (_, Lane::NeedsFix) if change.before.lane != Lane::NeedsFix => {
            let fix = fix(reason);
            let text = format!(
                "Your listing is not Live, because the probe found something to fix. {fix} Then follow `next` in its status."
            );
            messages.push(message(TalkKind::NeedsFix, text));
        }
        _ => {}
    }
    if tools_changed(change) {
        let details = change.assessment.changed.as_ref().map(|changed| tool_diff::in_words(&changed.details));
        let details = details.filter(|words| !words.is_empty());
        let details = details.map(|words| format!(" {words} The operation listing_tools shows the details."));
        let text = format!(
            "Your tools changed since an earlier probe. If you did not change them, someone else did.{}",
            details.unwrap_or_default()
        );
        messages.push(message(TalkKind::Drift, text));
    }
    messages
}

/// Whether tools that clients may already know have changed. A change is reported once; without stored tools, each probe
/// that finds another hash reports it.
fn tools_changed(change: &StateChange) -> bool {
    let differ = match &change.before.proof.stored_tools {
        Some(_) => change.after.proof.stored_tools != change.before.proof.stored_tools,
        None => change.assessment.checks.iter().any(|check| check.id == "tools_unchanged" && !check.ok),
    };
    differ && change.before.proof.last_ok_at.is_some()
}

fn fix(reason: Option<&Reason>) -> String {
    reason.map_or_else(
        || "The status of the listing contains the details.".to_owned(),
        |reason| format!("Reason {}: {}", reason.code, shorten(&reason.fix, 600)),
    )
}
