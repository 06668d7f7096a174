//! The classes of the due queue, each a partition of the index by due time. Apart from the requests on the queue,
//! because an item of a listing names its class when it is written.

/// What a listing is due for. The first four are the contract's selection order, whose fifth, a fresh `ok`, is a
/// listing whose due time lies ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DueClass {
    /// Never probed.
    NeverProbed,
    /// Active, and its weekly recheck is due.
    WeeklyDue,
    /// Waits for another try after an inconclusive probe.
    CoolDown,
    /// Answered `partial`, `fail` or `skip`, or was demoted: looked at again now and then.
    PartialOrStale,
    /// Active, but its last probe failed: the weekly recheck probes it hourly until that is confirmed. Not part of
    /// `WeeklyDue`, because a tick that claimed it first would postpone the confirmation again and again.
    Confirming,
}

impl DueClass {
    /// The classes of a tick, in the order in which they are served.
    pub const OF_A_TICK: [Self; 4] =
        [Self::NeverProbed, Self::WeeklyDue, Self::CoolDown, Self::PartialOrStale];
    /// The classes of the weekly recheck, in the order in which they are served.
    pub const OF_A_RECHECK: [Self; 2] = [Self::Confirming, Self::WeeklyDue];

    pub(super) const fn partition(self) -> &'static str {
        match self {
            Self::NeverProbed => "DUE#0",
            Self::WeeklyDue => "DUE#1",
            Self::CoolDown => "DUE#2",
            Self::PartialOrStale => "DUE#3",
            Self::Confirming => "DUE#CONFIRM",
        }
    }
}
