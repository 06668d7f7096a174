//! The only table of hourly rate limits. Settings, operations, and documents read it.

string_enum! {
    /// An action that is limited by the hour, because it causes load on others or writes to the table. Its word is part of
    /// the keys of the table's counters.
    pub enum LimitedAction {
        Publish = "publish",
        Score = "score",
        Trace = "trace",
        Talk = "talk",
        Demo = "demo",
        Feedback = "feedback",
        /// The reward of a feedback is issued again for its key.
        Reissue = "reissue",
        Checkout = "checkout",
        Outcome = "outcome",
        Session = "session",
        SessionStep = "session_step",
        Task = "task",
        Attestation = "attest",
        OptOut = "opt-out",
        Report = "report",
        /// The files of a product are made or compared, or many pins are checked.
        Product = "product",
        /// A signature checked with the keys of a domain.
        OwnerProof = "owner",
        /// A part of a dump is downloaded.
        Dump = "dump",
        /// A challenge to sign. It is counted separately, with the limits of `OwnerProof`.
        OwnerChallenge = "owner-challenge",
    }
}

string_enum! {
    /// The kind of target of an action, if the requests to one target are limited, too.
    pub enum LimitedTarget {
        Host = "host",
        Listing = "listing",
    }
}

/// Actions an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub caller: u32,
    /// By all callers at one target together; equals `caller` if targets have no limit of their own.
    pub target: u32,
    /// By all callers together, before the limits of callers become smaller.
    pub everybody: u32,
}

impl Rate {
    /// This percentage of the limits, at least one action.
    #[must_use]
    pub fn multiplied(self, percent: u32) -> Self {
        let part = |most: u32| {
            let part = (u64::from(most) * u64::from(percent) / 100).max(1);
            u32::try_from(part).unwrap_or(u32::MAX)
        };
        Self { caller: part(self.caller), target: part(self.target), everybody: part(self.everybody) }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    pub action: LimitedAction,
    pub target: Option<LimitedTarget>,
    pub default: Rate,
    /// The counted action as an infinitive, because documents show "to ...: 60 per hour".
    pub meaning: &'static str,
}

/// All limits, in the order in which documents list them.
pub const RATE_LIMITS: [RateLimit; 18] = {
    use LimitedAction as A;
    use LimitedTarget::{Host, Listing};
    [
        aimed(A::Publish, Host, [60, 60, 3000], "publish a listing"),
        aimed(A::Score, Host, [60, 30, 2000], "score a URL"),
        aimed(
            A::Trace,
            Listing,
            [120, 240, 6000],
            "leave a trace, endorse a listing, or report that two listings were used together",
        ),
        aimed(A::Talk, Listing, [60, 120, 3000], "write to a Talk inbox"),
        plain(A::Demo, [60, 3000], "take a demo (each product of a listing counts once)"),
        plain(A::Feedback, [60, 3000], "give feedback"),
        aimed(A::Reissue, Listing, [10, 30, 1000], "get the reward of a feedback again"),
        plain(A::Checkout, [20, 1000], "start a purchase or repeat the request"),
        plain(A::Outcome, [60, 3000], "report an outcome (how the use of a listing went)"),
        plain(A::Session, [60, 3000], "open an interop session"),
        plain(A::SessionStep, [600, 30_000], "add a step to an interop session"),
        plain(A::Task, [120, 6000], "send an A2A message that creates or continues a task"),
        plain(A::Attestation, [120, 6000], "get a signed attestation"),
        plain(A::OptOut, [60, 3000], "opt out of invitations"),
        aimed(A::Report, Listing, [20, 60, 1000], "report a listing to the operator"),
        plain(A::Product, [600, 30_000], "make or compare product files, or check pins of over 10 servers"),
        aimed(A::OwnerProof, Host, [20, 120, 2000], "prove that you own a listing or a domain"),
        plain(A::Dump, [120, 3000], "download a part of a dump"),
    ]
};

const fn plain(action: LimitedAction, [caller, everybody]: [u32; 2], meaning: &'static str) -> RateLimit {
    let default = Rate { caller, target: caller, everybody };
    RateLimit { action, target: None, default, meaning }
}

const fn aimed(
    action: LimitedAction,
    target: LimitedTarget,
    [caller, at_target, everybody]: [u32; 3],
    meaning: &'static str,
) -> RateLimit {
    let default = Rate { caller, target: at_target, everybody };
    RateLimit { action, target: Some(target), default, meaning }
}

impl LimitedAction {
    pub fn limit(self) -> &'static RateLimit {
        let row = if self == Self::OwnerChallenge { Self::OwnerProof } else { self };
        &RATE_LIMITS[row as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limit_table_has_the_order_of_the_actions() {
        for limit in RATE_LIMITS {
            assert_eq!(limit.action.limit().action, limit.action);
        }
        assert_eq!(LimitedAction::OwnerChallenge.limit().action, LimitedAction::OwnerProof);
    }
}
