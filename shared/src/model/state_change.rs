//! What one assessed probe changes, as one value, so that it is written as one transaction or not at all.

use super::{Assessment, FeedItem, Lane, Listing, ProbeRecord};

/// What a state change does to the Live counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveChange {
    /// It went Live.
    Risen,
    /// It was Live and no longer is.
    Fallen,
    /// It stays Live; what the list shows of it is new.
    Kept,
    /// It is not Live and was not.
    Unseen,
}

/// Everything that one assessed probe changes.
#[derive(Clone, Debug)]
pub struct StateChange {
    /// The listing as it was claimed.
    pub before: Listing,
    /// The listing as it is now.
    pub after: Listing,
    /// What the probe came to.
    pub assessment: Assessment,
    /// The record for the statistics.
    pub record: ProbeRecord,
    /// It ended at the preflight.
    pub preflight_reject: bool,
    /// It was the weekly recheck of a Live listing, and counts as one.
    pub recheck: bool,
    /// Its proof had run out: it was not shown as Live, whatever its lane.
    pub was_overdue: bool,
    /// The news, where there is any.
    pub news: Option<FeedItem>,
}

impl StateChange {
    /// What this does to the Live counters.
    #[must_use]
    pub fn live_change(&self) -> LiveChange {
        match (self.before.lane == Lane::Active, self.after.lane == Lane::Active) {
            (false, true) => LiveChange::Risen,
            (true, false) => LiveChange::Fallen,
            (true, true) => LiveChange::Kept,
            (false, false) => LiveChange::Unseen,
        }
    }

    /// Whether search must take the listing in, or out, or read it anew.
    #[must_use]
    pub fn is_searched_anew(&self) -> bool {
        match self.live_change() {
            LiveChange::Risen | LiveChange::Fallen => true,
            LiveChange::Kept => self.was_overdue || self.before.content_hash != self.after.content_hash,
            LiveChange::Unseen => false,
        }
    }

    /// Whether the listing now stands by this evidence. A Live one whose recheck failed stands by the older
    /// evidence until the failure is confirmed.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.after.probe.as_ref().is_some_and(|probe| probe.at == self.assessment.probed_at)
    }
}
