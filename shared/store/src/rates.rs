//! Rate limits are counted in the table, because no instance of a function sees all requests. They apply by caller, by
//! target and for all callers together; while the table does not answer, nothing is allowed.

use super::attributes::n;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::{Outcome, Transaction};
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

/// A refused action: whose allowance is used up.
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
        let detail = format!("Hourly rate limit for {of} exceeded; retry after {wait} s.");
        Self::too_many(detail, wait).with("allowance", scope.as_str())
    }
}

/// The counters within a transaction, with the position of the first: a refused write at another position is not theirs.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    first: usize,
    scopes: Vec<Scope>,
    wait: u32,
}

impl Counted {
    /// Whose allowance is used up, if one of the refused writes is a counter.
    pub(super) fn used_up(&self, refused: &[usize]) -> Option<UsedUp> {
        let scope = |position: &usize| self.scopes.get(position.checked_sub(self.first)?).copied();
        refused.iter().find_map(scope).map(|scope| UsedUp { scope, wait: self.wait })
    }
}

impl Store {
    /// Counts one action; `None` if it is allowed.
    ///
    /// # Errors
    /// The table did not answer; the action is then not allowed.
    pub async fn count_action(&self, act: Allowance<'_>, now: Moment) -> Result<Option<UsedUp>, StoreError> {
        let mut transaction = Transaction::default();
        let counted = self.allow(&mut transaction, &act, now)?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => None,
            Outcome::Refused(positions) => counted.used_up(&positions),
        })
    }

    /// Counts one action as a part of a transaction, which is refused if an allowance is used up.
    pub(super) fn allow(
        &self,
        transaction: &mut Transaction,
        act: &Allowance<'_>,
        now: Moment,
    ) -> Result<Counted, StoreError> {
        let hour = now.as_second() / 3600;
        let mut limits = vec![
            (Scope::Caller, "caller", act.caller, act.rate.caller),
            (Scope::Everybody, "everybody", "all", act.rate.everybody),
        ];
        if let (Some(target), Some(kind)) = (act.target, act.action.limit().target) {
            limits.push((Scope::Target(kind), "host", target, act.rate.target));
        }
        let wait = u32::try_from((hour + 1) * 3600 - now.as_second()).unwrap_or(3600).max(1);
        let first = transaction.len();
        for (_, scope, who, cap) in &limits {
            let key = keys::rate(act.action.key(), scope, who, hour);
            let one = Expression::default().add("used", 1).set("ttl", n((hour + 2) * 3600)).only_if(
                "attribute_not_exists(#used) OR #used < :cap",
                [("#used", "used")],
                [(":cap", n(cap))],
            );
            self.update(transaction, &key, &one)?;
        }
        Ok(Counted { first, scopes: limits.into_iter().map(|(scope, ..)| scope).collect(), wait })
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Scope, UsedUp};

    #[test]
    fn refused_writes_around_the_counters_are_ignored() {
        let counted = Counted { first: 2, scopes: vec![Scope::Caller, Scope::Everybody], wait: 60 };
        assert_eq!(counted.used_up(&[0, 3]), Some(UsedUp { scope: Scope::Everybody, wait: 60 }));
        assert_eq!(counted.used_up(&[2, 3]), Some(UsedUp { scope: Scope::Caller, wait: 60 }));
        assert_eq!(counted.used_up(&[1, 4]), None);
    }
}
