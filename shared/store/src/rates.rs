//! Rate limits, stored in the table because no instance of a function sees all requests. They apply by caller, by target
//! host and in total; if the table fails, nothing is allowed.

use super::attributes::n;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::{Outcome, Refused, Transaction, WriteId};
use registry_model::Moment;
use registry_model::error::Problem;

/// One act of a caller that counts against rate limits.
#[derive(Clone, Copy, Debug)]
pub struct Allowance<'a> {
    /// The kind of act, such as `publish`.
    pub act: &'a str,
    /// An address, or `unknown`.
    pub caller: &'a str,
    /// The target host, where the act causes load on a third party.
    pub host: Option<&'a str>,
    /// The limits per hour.
    pub rate: registry_model::settings::Rate,
}

/// An exceeded rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsedUp {
    /// `caller`, `everybody` or `host`.
    pub whose: &'static str,
    /// Seconds until the act is allowed again.
    pub wait: u32,
}

impl UsedUp {
    /// The error for the caller; `target` is what acts of this kind address: a host or a listing.
    #[must_use]
    pub fn refusal(self, target: &'static str) -> Problem {
        let (whose, scope) = match self.whose {
            "host" => (target, format!("for this {target}")),
            "everybody" => (self.whose, "for all callers together".to_owned()),
            _ => (self.whose, "for your address".to_owned()),
        };
        let wait = self.wait;
        let detail = format!("Hourly rate limit exceeded {scope}; retry after {wait} s.");
        Problem::too_many(detail, wait).with("allowance", whose)
    }
}

impl From<UsedUp> for Problem {
    fn from(used_up: UsedUp) -> Self {
        used_up.refusal("host")
    }
}

/// The writes of a transaction that count an act, to distinguish their refusal from that of other writes.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    limits: Vec<(WriteId, &'static str)>,
    wait: u32,
}

impl Counted {
    /// The first limit that is exceeded, where one of the refused writes counts the act.
    pub(super) fn used_up(&self, refused: &Refused) -> Option<UsedUp> {
        let exceeded = self.limits.iter().find(|(write, _)| refused.includes(*write));
        exceeded.map(|(_, whose)| UsedUp { whose, wait: self.wait })
    }
}

/// Counts one act in a transaction, which is refused where a limit is exceeded. Without an allowance there is no limit.
pub(super) fn count(transaction: &mut Transaction, act: Option<Allowance<'_>>, now: Moment) -> Counted {
    let hour = now.as_second() / 3600;
    let wait = u32::try_from((hour + 1) * 3600 - now.as_second()).unwrap_or(3600).max(1);
    let Some(act) = act else { return Counted { limits: Vec::new(), wait } };
    let host = act.host.map(|host| ("host", host, act.rate.host));
    let limits = [("caller", act.caller, act.rate.caller), ("everybody", "all", act.rate.everybody)];
    let limits = limits.into_iter().chain(host).map(|(whose, who, cap)| {
        let change = Expression::default().add("used", 1).set("ttl", n((hour + 2) * 3600)).only_if(
            "attribute_not_exists(#used) OR #used < :cap",
            [("#used", "used")],
            [(":cap", n(cap))],
        );
        (transaction.update(keys::rate(act.act, whose, who, hour), change), whose)
    });
    Counted { limits: limits.collect(), wait }
}

impl Store {
    /// Counts one act; `None` if it is allowed, otherwise the exceeded limit.
    pub async fn count_act(&self, act: Allowance<'_>, now: Moment) -> Result<Option<UsedUp>, StoreError> {
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
    fn refusals_of_other_writes_exceed_no_limit() {
        let mut transaction = Transaction::default();
        let other = transaction.put(Key::new("P", "S").item());
        let rate = registry_model::settings::Rate { caller: 1, everybody: 1, host: 1 };
        let act = Allowance { act: "publish", caller: "192.0.2.1", host: None, rate };
        let now = "2026-11-20T12:59:00Z".parse().unwrap();
        let counted = count(&mut transaction, Some(act), now);
        let [(caller, _), (everybody, _)] = counted.limits[..] else { panic!("two limits") };
        let used_up = |refused: &[WriteId]| counted.used_up(&Refused(refused.to_vec()));
        assert_eq!(used_up(&[other, everybody]), Some(UsedUp { whose: "everybody", wait: 60 }));
        assert_eq!(used_up(&[caller, everybody]), Some(UsedUp { whose: "caller", wait: 60 }));
        assert_eq!(used_up(&[other]), None);
    }
}
