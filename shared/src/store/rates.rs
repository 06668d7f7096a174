//! Rate limits in the table rather than in memory, because no instance of a function sees all requests. They hold by
//! caller, by target host and in total; where the table does not answer, nothing is allowed.

use super::attributes::n;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::{Outcome, Transaction};
use crate::model::Moment;

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
    pub rate: crate::settings::Rate,
}

impl Store {
    /// Counts one act; `None` if it is allowed, else whose allowance is used up and the seconds until the next.
    ///
    /// # Errors
    /// The table is busy or refused; the act is then not allowed.
    pub async fn count_act(
        &self,
        act: Allowance<'_>,
        now: Moment,
    ) -> Result<Option<(&'static str, u32)>, StoreError> {
        let hour = now.as_second() / 3600;
        let mut counted: Vec<(&'static str, &str, u32)> =
            vec![("caller", act.caller, act.rate.caller), ("everybody", "all", act.rate.everybody)];
        if let Some(host) = act.host {
            counted.push(("host", host, act.rate.host));
        }
        let mut transaction = Transaction::default();
        for (whose, who, cap) in &counted {
            let key = keys::rate(act.act, whose, who, hour);
            let one = Expression::default().add("used", 1).set("ttl", n((hour + 2) * 3600)).only_if(
                "attribute_not_exists(#used) OR #used < :cap",
                [("#used", "used")],
                [(":cap", n(cap))],
            );
            self.update(&mut transaction, &key, &one)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => None,
            Outcome::Refused(positions) => {
                let whose =
                    positions.first().and_then(|at| counted.get(*at)).map_or("caller", |(whose, ..)| whose);
                let wait = u32::try_from((hour + 1) * 3600 - now.as_second()).unwrap_or(3600);
                Some((whose, wait.max(1)))
            }
        })
    }
}
