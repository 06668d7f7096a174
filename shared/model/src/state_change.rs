//! What one assessed probe changes, as one value, so that it is written as one transaction or not at all.

use jiff::SignedDuration;

use super::{Amounts, Assessment, FeedItem, Lane, Listing, ProbeRecord, TalkMessage};

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

impl LiveChange {
    /// What turning one state of a listing into another does to them.
    #[must_use]
    pub fn between(before: &Listing, after: &Listing) -> Self {
        match (before.lane == Lane::Active, after.lane == Lane::Active) {
            (false, true) => Self::Risen,
            (true, false) => Self::Fallen,
            (true, true) => Self::Kept,
            (false, false) => Self::Unseen,
        }
    }
}

/// What was never Live and has failed for so long is deleted, so that the table does not fill with what nobody mends.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

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
    /// What its inbox is told.
    pub messages: Vec<TalkMessage>,
    /// The values of its trail, where they were read.
    pub trail: Option<Amounts>,
}

impl StateChange {
    /// What this does to the Live counters.
    #[must_use]
    pub fn live_change(&self) -> LiveChange {
        LiveChange::between(&self.before, &self.after)
    }

    /// Whether the listing is to be forgotten: it was never Live and has failed for [`FORGOTTEN_AFTER`].
    #[must_use]
    pub fn is_expired(&self) -> bool {
        let failing = self.after.failing_since.map(|since| self.record.probed_at.duration_since(since));
        failing.is_some_and(|failing| failing >= FORGOTTEN_AFTER)
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
