//! The messages that the registry writes to an inbox after a probe: the listing went Live, the result of the
//! weekly recheck, changed tools, or something to fix. A message is written in the same transaction as the
//! state change, so that it is sent exactly once.
//!
//! The messages contain no text of other parties, because language models read the inbox.

use registry_model::error::shorten;
use registry_model::{Lane, LiveChange, Reason, StateChange, TalkKind, TalkMessage};

const MAX_FIX_CHARS: usize = 300;

/// The messages about a change; `reason` is the first one for which the probe was not `ok`.
#[must_use]
pub fn messages(change: &StateChange, reason: Option<&Reason>) -> Vec<TalkMessage> {
    let message =
        |kind, text: String| TalkMessage::of_registry(&change.after.id, kind, change.record.probed_at, text);
    let mut messages = Vec::new();
    match (change.live_change(), change.after.lane) {
        (LiveChange::Risen, _) => {
            // Does not mention the demo: invitations have a budget of their own (`outreach`).
            let welcome = "Live: the handshake succeeded and the checks are clean. The listing is rechecked every \
                week, and this inbox reports the result. Visit the inbox or check in within seven days to be shown as \
                present; next_actions lists what else to do.";
            messages.push(message(TalkKind::Welcome, welcome.to_owned()));
        }
        (LiveChange::Fallen, _) => {
            let text = format!(
                "Demoted: the weekly recheck failed in three different hours. {} Then publish the same again to return \
                 to Live.",
                fix(reason)
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        (LiveChange::Kept, _) if change.record.ok && change.after.failures == 0 => {
            let text = format!(
                "Weekly recheck passed: Live for another week. The next recheck is due at {}.",
                change.after.due_at
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        // Further failures within the week are not reported.
        (LiveChange::Kept, _) if change.before.failures == 0 => {
            let text = format!(
                "The weekly recheck failed and is repeated every hour; failures in three different hours demote the \
                 listing. {}",
                fix(reason)
            );
            messages.push(message(TalkKind::Recheck, text));
        }
        (_, Lane::NeedsFix) if change.before.lane != Lane::NeedsFix => {
            let text = format!(
                "The probe found something to fix; not Live yet. {} Then publish the same again.",
                fix(reason)
            );
            messages.push(message(TalkKind::NeedsFix, text));
        }
        _ => {}
    }
    if tools_changed(change) {
        let text = "The tools changed since the last probe: names, descriptions or schemas. If you did not change \
            them, someone else did; the check tools_unchanged shows both hashes.";
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
        || "Its status contains the details.".to_owned(),
        |reason| format!("Reason {}: {}", reason.code, shorten(&reason.fix, MAX_FIX_CHARS)),
    )
}
