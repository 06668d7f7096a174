//! All changes that follow from one probe, as one value, so that they are written in one transaction or not
//! at all.

use jiff::SignedDuration;

use super::{Amounts, Assessment, FeedItem, Lane, Listing, ProbeRecord, TalkMessage};

/// The effect of a state change on the Live counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveChange {
    Risen,
    /// It was Live and no longer is.
    Fallen,
    /// It stays Live; its row in the list changes.
    Kept,
    /// It is not Live and was not.
    Unseen,
}

impl LiveChange {
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

/// A listing that was never Live and failed for this long is deleted, so that the table does not fill with dead
/// listings.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

#[derive(Clone, Debug)]
pub struct StateChange {
    pub before: Listing,
    pub after: Listing,
    pub assessment: Assessment,
    pub record: ProbeRecord,
    pub preflight_reject: bool,
    /// It was the weekly recheck of a Live listing, and counts as one.
    pub recheck: bool,
    /// Its proof had expired: it was not shown as Live, whatever its lane.
    pub was_overdue: bool,
    pub news: Option<FeedItem>,
    pub messages: Vec<TalkMessage>,
    /// The values of its trail, where they were read.
    pub trail: Option<Amounts>,
}

impl StateChange {
    #[must_use]
    pub fn live_change(&self) -> LiveChange {
        LiveChange::between(&self.before, &self.after)
    }

    /// Whether to delete the listing: it was never Live and has failed for [`FORGOTTEN_AFTER`].
    #[must_use]
    pub fn is_expired(&self) -> bool {
        let failing = self.after.failing_since.map(|since| self.record.probed_at.duration_since(since));
        failing.is_some_and(|failing| failing >= FORGOTTEN_AFTER)
    }

    /// Whether the search index must add, remove or update the listing.
    #[must_use]
    pub fn needs_indexing(&self) -> bool {
        match self.live_change() {
            LiveChange::Risen | LiveChange::Fallen => true,
            LiveChange::Kept => self.was_overdue || self.before.content_hash != self.after.content_hash,
            LiveChange::Unseen => false,
        }
    }

    /// Whether the listing is shown with this evidence. A Live one whose recheck failed keeps the older evidence until
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.after.probe.as_ref().is_some_and(|probe| probe.at == self.assessment.probed_at)
    }
}
