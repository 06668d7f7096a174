//! Counts requests for the rate limits. The counts are in the table, because no instance of a function sees
//! all requests. There are limits for each caller, for each target, and for all callers together. While the
//! table does not answer, every limited request is refused.

use super::attributes::n;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::{Outcome, Refused, Transaction, WriteId};
use registry_model::error::Problem;
use registry_model::{LimitedAction, LimitedTarget, Moment, Rate};

/// One limited action of a caller; `App::allowance` makes it.
#[derive(Clone, Copy, Debug)]
pub struct Allowance<'a> {
    pub action: LimitedAction,
    /// An address, or `unknown`.
    pub caller: &'a str,
    /// The host or listing that the action is aimed at.
    pub target: Option<&'a str>,
    pub rate: Rate,
}

/// A refused action, with the limit that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    pub scope: Scope,
    /// Seconds until it is allowed again.
    pub wait: u32,
}

/// Whose actions are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Caller,
    Target(LimitedTarget),
    Everybody,
}

impl Scope {
    /// The value of `allowance` in the refusal.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Target(target) => target.as_str(),
            Self::Everybody => "everybody",
        }
    }
}

impl From<UsedUp> for Problem {
    fn from(UsedUp { scope, wait }: UsedUp) -> Self {
        let of = match scope {
            Scope::Caller => "your address".to_owned(),
            Scope::Target(target) => format!("this {}", target.as_str()),
            Scope::Everybody => "all callers together".to_owned(),
        };
        let detail = format!(
            "The hourly rate limit for {of} is exceeded. Send the request again after \
            {wait} s."
        );
        Self::too_many(detail, wait).with("allowance", scope.as_str())
    }
}

/// The writes of a transaction that count an action, to distinguish their refusal from that of other writes.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    limits: Vec<(WriteId, Scope)>,
    wait: u32,
}

impl Counted {
    /// The first limit that is exceeded, if one of the refused writes counts the action.
    pub(super) fn used_up(&self, refused: &Refused) -> Option<UsedUp> {
        let exceeded = self.limits.iter().find(|(write, _)| refused.includes(*write));
        exceeded.map(|(_, scope)| UsedUp { scope: *scope, wait: self.wait })
    }
}

/// Counts one action in a transaction. The transaction is refused if a limit is exceeded. Without an allowance there is
/// no limit.
pub(super) fn count(transaction: &mut Transaction, act: Option<Allowance<'_>>, now: Moment) -> Counted {
    let hour = now.as_second() / 3600;
    let wait = u32::try_from((hour + 1) * 3600 - now.as_second()).unwrap_or(3600).max(1);
    let Some(act) = act else { return Counted { limits: Vec::new(), wait } };
    let at_target = act.target.zip(act.action.limit().target);
    let at_target = at_target.map(|(target, kind)| (Scope::Target(kind), "host", target, act.rate.target));
    let limits = [
        (Scope::Caller, "caller", act.caller, act.rate.caller),
        (Scope::Everybody, "everybody", "all", act.rate.everybody),
    ];
    let limits = limits.into_iter().chain(at_target).map(|(scope, word, who, cap)| {
        let change = Expression::default().add("used", 1).set("ttl", n((hour + 2) * 3600)).only_if(
            "attribute_not_exists(#used) OR #used < :cap",
            [("#used", "used")],
            [(":cap", n(cap))],
        );
        (transaction.update(keys::rate(act.action.key(), word, who, hour), change), scope)
    });
    Counted { limits: limits.collect(), wait }
}

impl Store {
    /// Counts one action; `None` if it is allowed, otherwise the exceeded limit.
    pub async fn count_action(&self, act: Allowance<'_>, now: Moment) -> Result<Option<UsedUp>, StoreError> {
        let mut transaction = Transaction::default();
        let counted = count(&mut transaction, Some(act), now);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => None,
            Outcome::Refused(refused) => counted.used_up(&refused),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Key;

    #[test]
    fn failed_condition_of_another_write_does_not_count_as_exceeded_limit() {
        let mut transaction = Transaction::default();
        let other = transaction.put(Key::new("P", "S").item());
        let rate = Rate { caller: 1, everybody: 1, target: 1 };
        let act = Allowance { action: LimitedAction::Publish, caller: "192.0.2.1", target: None, rate };
        let now = "2026-11-20T12:59:00Z".parse().unwrap();
        let counted = count(&mut transaction, Some(act), now);
        let [(caller, _), (everybody, _)] = counted.limits[..] else { panic!("two limits") };
        let used_up = |refused: &[WriteId]| counted.used_up(&Refused(refused.to_vec()));
        assert_eq!(used_up(&[other, everybody]), Some(UsedUp { scope: Scope::Everybody, wait: 60 }));
        assert_eq!(used_up(&[caller, everybody]), Some(UsedUp { scope: Scope::Caller, wait: 60 }));
        assert_eq!(used_up(&[other]), None);
    }
}
