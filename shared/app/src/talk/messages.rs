//! The messages that the registry writes to an inbox after a probe: the listing went Live, a recheck
//! passed or failed, tools changed, or something needs a fix. A message is written in the same transaction as
//! the state change, so that it is sent exactly once.
//!
//! The messages contain no text of other parties, because language models read the inbox.

use registry_model::error::shorten;
use registry_model::{Lane, LiveChange, Reason, StateChange, TalkKind, TalkMessage};

const MAX_FIX_CHARS: usize = 300;

/// The messages about a change; `reason` is the first reason why the probe was not `ok`.
pub fn messages(change: &StateChange, reason: Option<&Reason>) -> Vec<TalkMessage> {
    let message =
        |kind, text: String| TalkMessage::of_registry(&change.after.id, kind, change.record.probed_at, text);
    let mut messages = Vec::new();
    match (change.live_change(), change.after.lane) {
        (LiveChange::Risen, _) => {
            // Does not mention the demo: invitations have a budget of their own (`outreach`).
            let welcome = "Your listing is Live: the handshake succeeded, and the checks are clean. The \
                registry probes it again, at least every week, and writes the result of each week to this inbox. Read this inbox or \
                check in once in seven days, so that your listing is shown as active in Talk. next_actions \
                lists what else you can do.";
            messages.push(message(TalkKind::Welcome, welcome.to_owned()));
        }
        (LiveChange::Fallen, _) => {
            let why = match change.record.ok {
                true => "your server answers, but a check failed",
                false => "the recheck failed in three different hours",
            };
            let text = format!(
                "Your listing is no longer Live (demoted), because {why}. {} After the fix, publish it again to \
                 become Live again.",
                fix(reason)
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        // Once a week, and after a failure.
        (LiveChange::Kept, _) if change.is_routine() => {}
        (LiveChange::Kept, _) if change.record.ok && change.after.failures == 0 => {
            let text = format!(
                "The recheck passed, so your listing stays Live for another week. The registry usually probes it \
                 again within a day, and at the latest at {}.",
                change.after.due_at
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        // Further failures within the week are not reported.
        (LiveChange::Kept, _) if change.before.failures == 0 => {
            let text = format!(
                "A probe of your Live listing failed. The recheck probes it again every hour. After failures in three \
                 different hours, your listing is no longer Live. {}",
                fix(reason)
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        (_, Lane::NeedsFix) if change.before.lane != Lane::NeedsFix => {
            let text = format!(
                "Your listing is not Live yet, because the probe found something to fix. {} After the fix, \
                 publish it again.",
                fix(reason)
            );
            messages.push(message(TalkKind::NeedsFix, text));
        }
        _ => {}
    }
    if tools_changed(change) {
        let text = "The names, descriptions or schemas of your tools changed since the last probe. If you \
            did not change them, someone else did. The check tools_unchanged shows the hash before and after \
            the change.";
        messages.push(message(TalkKind::Drift, text.to_owned()));
    }
    messages
}

/// Whether tools that clients may already know have changed.
fn tools_changed(change: &StateChange) -> bool {
    let differ = change.assessment.checks.iter().any(|check| check.id == "tools_unchanged" && !check.ok);
    differ && change.before.last_ok_at.is_some()
}

fn fix(reason: Option<&Reason>) -> String {
    reason.map_or_else(
        || "The status of the listing contains the details.".to_owned(),
        |reason| format!("Reason {}: {}", reason.code, shorten(&reason.fix, MAX_FIX_CHARS)),
    )
}
