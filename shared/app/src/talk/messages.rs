//! What the registry tells an inbox of a probe: that it went Live, how its weekly recheck went, that its tools changed,
//! what to fix. Derived from the state change and written with it, so that a message is true and told once.
//!
//! No word of a stranger's stands in them: the inbox is read by models.

use registry_model::error::shorten;
use registry_model::{Lane, LiveChange, Reason, StateChange, TalkKind, TalkMessage};

/// The longest cure that is told, in characters.
const LONGEST_CURE: usize = 300;

/// What the inbox of a listing is told of a change; `reason` is the first for which the probe was not good.
#[must_use]
pub fn messages(change: &StateChange, reason: Option<&Reason>) -> Vec<TalkMessage> {
    let told =
        |kind, text: String| TalkMessage::of_registry(&change.after.id, kind, change.record.probed_at, text);
    let mut messages = Vec::new();
    match (change.live_change(), change.after.lane) {
        (LiveChange::Risen, _) => messages.push(risen(told)),
        (LiveChange::Fallen, _) => {
            let text = format!(
                "Demoted: the weekly recheck failed at three different hours. {} Then publish the same again to be Live \
                 again.",
                cure(reason)
            );
            messages.push(told(TalkKind::Recheck, text));
        }
        (LiveChange::Kept, _) if change.record.ok && change.after.failures == 0 => {
            let text = format!(
                "Weekly recheck passed: Live for another week. The next is due at {}.",
                change.after.due_at
            );
            messages.push(told(TalkKind::Recheck, text));
        }
        // The failures that follow within the week say nothing new.
        (LiveChange::Kept, _) if change.before.failures == 0 => {
            let text = format!(
                "The weekly recheck failed and is tried again each hour; failures at three different hours demote. {}",
                cure(reason)
            );
            messages.push(told(TalkKind::Recheck, text));
        }
        (_, Lane::NeedsFix) if change.before.lane != Lane::NeedsFix => {
            let text = format!("Probed, and not Live yet. {} Then publish the same again.", cure(reason));
            messages.push(told(TalkKind::NeedsFix, text));
        }
        _ => {}
    }
    if tools_changed(change) {
        let text = "The tools are not those of the last look: names, descriptions or schemas changed. If you did not \
            change them, somebody else did; the check tools_unchanged shows both hashes.";
        messages.push(told(TalkKind::Drift, text.to_owned()));
    }
    messages
}

/// Its demo is not spoken of: invitations are sent within a budget of their own (`outreach`).
fn risen(told: impl Fn(TalkKind, String) -> TalkMessage) -> TalkMessage {
    let welcome = "Live: a real handshake was answered and the checks are clean. Every week it is rechecked, and this \
        inbox tells how that went. A visit or a check-in within seven days keeps it shown as present; next_actions \
        holds what else there is to do.";
    told(TalkKind::Welcome, welcome.to_owned())
}

/// Whether tools that clients may know already are others now.
fn tools_changed(change: &StateChange) -> bool {
    let differ = change.assessment.checks.iter().any(|check| check.id == "tools_unchanged" && !check.ok);
    differ && change.before.last_ok_at.is_some()
}

fn cure(reason: Option<&Reason>) -> String {
    reason.map_or_else(
        || "Its status says what was seen.".to_owned(),
        |reason| format!("Reason {}: {}", reason.code, shorten(&reason.fix, LONGEST_CURE)),
    )
}
