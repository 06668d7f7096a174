//! Rate limits in the table rather than in memory, because no instance of a function sees all requests. They hold by
//! caller, by target host and in total; where the table does not answer, nothing is allowed.

use super::attributes::n;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::{Outcome, Transaction};
use registry_model::Moment;
use registry_model::error::Problem;

/// One limited act of a caller.
#[derive(Clone, Copy, Debug)]
pub struct Allowance<'a> {
    /// The kind of act, such as `publish`.
    pub act: &'a str,
    /// An address, or `unknown`.
    pub caller: &'a str,
    /// The target host, where the act causes load on a third party.
    pub host: Option<&'a str>,
    /// How many an hour.
    pub rate: registry_model::settings::Rate,
}

/// A refused act: whose allowance is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    /// `caller`, `everybody` or `host`.
    pub whose: &'static str,
    /// Seconds until it may be done again.
    pub wait: u32,
}

impl UsedUp {
    /// What is said to a caller; `target` is what acts of this sort are aimed at: a host or a listing.
    #[must_use]
    pub fn refusal(self, target: &'static str) -> Problem {
        let (whose, of) = match self.whose {
            "host" => (target, format!("for this {target}")),
            "everybody" => (self.whose, "for everybody together".to_owned()),
            _ => (self.whose, "from your address".to_owned()),
        };
        let wait = self.wait;
        let detail = format!("Too many requests of this sort {of} within the hour. Try again in {wait} s.");
        Problem::too_many(detail, wait).with("allowance", whose)
    }
}

impl From<UsedUp> for Problem {
    fn from(used_up: UsedUp) -> Self {
        used_up.refusal("host")
    }
}

/// The counting of an act within a transaction: where it stands, so that a refusal can be told from that of the writes
/// around it.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    first: usize,
    whose: Vec<&'static str>,
    wait: u32,
}

impl Counted {
    /// Whose allowance is used up, where one of the refused positions is of this counting.
    pub(super) fn used_up(&self, refused: &[usize]) -> Option<UsedUp> {
        let whose = |position: &usize| self.whose.get(position.checked_sub(self.first)?).copied();
        refused.iter().find_map(whose).map(|whose| UsedUp { whose, wait: self.wait })
    }
}

impl Store {
    /// Counts one act; `None` if it is allowed, else whose allowance is used up.
    ///
    /// # Errors
    /// The table is busy or refused; the act is then not allowed.
    pub async fn count_act(&self, act: Allowance<'_>, now: Moment) -> Result<Option<UsedUp>, StoreError> {
        let mut transaction = Transaction::default();
        let counted = self.allow(&mut transaction, &act, now)?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => None,
            Outcome::Refused(positions) => counted.used_up(&positions),
        })
    }

    /// Counts one act as a part of a transaction, which is refused where an allowance is used up.
    pub(super) fn allow(
        &self,
        transaction: &mut Transaction,
        act: &Allowance<'_>,
        now: Moment,
    ) -> Result<Counted, StoreError> {
        let hour = now.as_second() / 3600;
        let mut limits: Vec<(&'static str, &str, u32)> =
            vec![("caller", act.caller, act.rate.caller), ("everybody", "all", act.rate.everybody)];
        if let Some(host) = act.host {
            limits.push(("host", host, act.rate.host));
        }
        let wait = u32::try_from((hour + 1) * 3600 - now.as_second()).unwrap_or(3600).max(1);
        let first = transaction.len();
        for (whose, who, cap) in &limits {
            let key = keys::rate(act.act, whose, who, hour);
            let one = Expression::default().add("used", 1).set("ttl", n((hour + 2) * 3600)).only_if(
                "attribute_not_exists(#used) OR #used < :cap",
                [("#used", "used")],
                [(":cap", n(cap))],
            );
            self.update(transaction, &key, &one)?;
        }
        Ok(Counted { first, whose: limits.into_iter().map(|(whose, ..)| whose).collect(), wait })
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, UsedUp};

    #[test]
    fn a_refusal_elsewhere_in_the_transaction_is_none_of_the_counting() {
        let counted = Counted { first: 2, whose: vec!["caller", "everybody"], wait: 60 };
        assert_eq!(counted.used_up(&[0, 3]), Some(UsedUp { whose: "everybody", wait: 60 }));
        assert_eq!(counted.used_up(&[2, 3]), Some(UsedUp { whose: "caller", wait: 60 }));
        assert_eq!(counted.used_up(&[1, 4]), None);
    }
}
