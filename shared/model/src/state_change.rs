//! All changes that one probe causes, as one value. They are written in one transaction: either all of them or none.

use jiff::SignedDuration;

use super::{Amounts, Assessment, FeedItem, Lane, Listing, Moment, ProbeRecord, TalkMessage};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveChange {
    Risen,
    /// The listing was Live and no longer is.
    Fallen,
    /// The listing stays Live; its row in the list changes.
    StaysLive,
    /// The listing is not Live and was not Live before.
    NotLive,
}

impl LiveChange {
    pub fn between(before: &Listing, after: &Listing) -> Self {
        match (before.lane == Lane::Active, after.lane == Lane::Active) {
            (false, true) => Self::Risen,
            (true, false) => Self::Fallen,
            (true, true) => Self::StaysLive,
            (false, false) => Self::NotLive,
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
    /// The listing was Live before the probe. Unless the probe is routine, it is counted as a recheck.
    pub recheck: bool,
    /// The proof had expired before the probe: the listing was not shown as Live or gated, whatever its lane.
    pub was_overdue: bool,
    pub news: Vec<FeedItem>,
    pub messages: Vec<TalkMessage>,
    /// The values of the listing's trail, if they were read.
    pub trail: Option<Amounts>,
    /// The listing that only claims the name that this one proved.
    pub yielding: Option<Listing>,
}

impl StateChange {
    pub fn live_change(&self) -> LiveChange {
        LiveChange::between(&self.before, &self.after)
    }

    /// Whether a Live listing only answered once more in a week in which it answered before. Such a probe only renews the
    /// proof.
    pub fn is_routine(&self) -> bool {
        self.live_change() == LiveChange::StaysLive
            && self.before.schedule.failures == 0
            && self.after.schedule.failures == 0
            && self.before.proof.last_ok_at.is_some_and(|last| self.is_same_week(last))
    }

    pub fn is_same_week(&self, earlier: Moment) -> bool {
        earlier.iso_week() == self.record.probed_at.iso_week()
    }

    /// Whether to delete the listing: it was never Live and has failed for [`FORGOTTEN_AFTER`], and nobody has requested a
    /// probe since.
    pub fn is_expired(&self) -> bool {
        let failing = self.after.schedule.failing_since.filter(|_| !self.after.was_proven());
        let failing = failing.map(|since| since.max(self.after.schedule.probe_requested_at.unwrap_or(since)));
        let failing = failing.map(|since| self.record.probed_at.duration_since(since));
        failing.is_some_and(|failing| failing >= FORGOTTEN_AFTER)
    }

    /// Whether the search index must add, remove or update the listing.
    pub fn needs_indexing(&self) -> bool {
        let is_indexed = |listing: &Listing| listing.lane.is_proven() || listing.lane == Lane::Package;
        match (is_indexed(&self.before), is_indexed(&self.after)) {
            (true, true) => {
                let of =
                    |listing: &Listing| (listing.lane, listing.access(), listing.texts.content_hash.clone());
                self.was_overdue || of(&self.before) != of(&self.after)
            }
            (was, is) => was != is,
        }
    }

    /// Whether this probe proved the sign-in of a listing that is gated now.
    pub fn proves_sign_in(&self) -> bool {
        self.after.lane == Lane::Gated && self.after.proof.sign_in_at == Some(self.record.probed_at)
    }

    /// Whether the listing is shown with this evidence. If the recheck of a Live listing failed, the listing keeps its
    /// older evidence until the failure is confirmed.
    pub fn is_shown(&self) -> bool {
        self.after.proof.probe.as_ref().is_some_and(|probe| probe.at == self.assessment.probed_at)
    }
}
