//! Whether a listing visits its Talk inbox (`specification.md#talk-modes`). Rows, the status, and the inbox
//! itself use the same rule. A listing without visits is shown as `lapsed`, but it stays on the active list.

use crate::prelude::*;
use jiff::SignedDuration;

/// Whether a listing visits its inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TalkMode {
    /// The listing went Live a few days ago (within the onboarding window).
    Grace,
    /// The inbox was visited within the last seven days.
    Present,
    /// The inbox was not visited within the last seven days.
    Lapsed,
    /// The listing is not Live, so no visit is expected.
    Inactive,
}

/// Whether the listing visits its Talk inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Talk {
    /// Whether the listing should visit its inbox. Every Live listing should do so.
    pub required: bool,
    /// Whether the inbox was visited within seven days, or the listing is still within its first days (onboarding
    /// window).
    pub active: bool,
    pub mode: TalkMode,
    pub reason: String,
    /// The end of the onboarding window. Null if the listing is not Live.
    pub grace_ends_at: Option<Moment>,
}

impl Talk {
    pub fn of(listing: &Listing, settings: &Settings, now: Moment) -> Self {
        let visited_at = listing.visited_at;
        let visited = visited_at
            .map_or_else(|| "nobody has visited it yet".to_owned(), |at| format!("last visit at {at}"));
        let lane = listing.public_lane(now - settings.recheck_interval());
        let (Lane::Active, Some(live_since)) = (lane, listing.proof.live_since) else {
            let reason = match lane {
                Lane::Withdrawn => "The listing was withdrawn, so its inbox is closed.",
                _ => "The listing is not Live. Its inbox is kept, but nobody has to read it.",
            };
            let (mode, reason) = (TalkMode::Inactive, reason.to_owned());
            return Self { required: false, active: false, mode, reason, grace_ends_at: None };
        };
        let ends = live_since + settings.talk_grace();
        let is_present =
            visited_at.is_some_and(|at| now.duration_since(at) < SignedDuration::from_hours(7 * 24));
        let (mode, reason) = if now < ends {
            let reason = format!(
                "The listing became Live recently. Until {ends}, it is shown as active in Talk. After that, it needs a visit in the \
                last seven days: a read of the inbox or a check-in."
            );
            (TalkMode::Grace, reason)
        } else if is_present {
            (TalkMode::Present, format!("Its inbox was visited within the last seven days ({visited})."))
        } else {
            let reason = format!(
                "The first days after the listing went Live ended at {ends}, and its inbox was not visited \
                 within the last seven days ({visited}). The listing stays Live."
            );
            (TalkMode::Lapsed, reason)
        };
        Self { required: true, active: mode != TalkMode::Lapsed, mode, reason, grace_ends_at: Some(ends) }
    }

    /// Whether a visit now would change the active list.
    pub fn shows_a_visit(&self) -> bool {
        self.mode == TalkMode::Lapsed
    }
}
