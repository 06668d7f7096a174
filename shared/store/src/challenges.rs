//! Challenges that owners are to sign, each good for one act and once: it is kept when it is asked for, and taken away when
//! it is used.

use super::attributes::{n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use registry_model::Moment;

/// A challenge as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// What tells it from others; nobody can guess it.
    pub nonce: String,
    /// The text that is to be signed, which names the act.
    pub text: String,
    /// Until when it may be used.
    pub expires_at: Moment,
}

impl Store {
    /// Keeps a new challenge; or says whose allowance is used up.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_challenge(
        &self,
        challenge: &Challenge,
        act: Option<&Allowance<'_>>,
        now: Moment,
    ) -> Result<Option<UsedUp>, StoreError> {
        let mut transaction = Transaction::default();
        let mut item = keys::challenge(&challenge.nonce).item();
        item.insert("text".to_owned(), s(&challenge.text));
        item.insert("expires_at".to_owned(), n(challenge.expires_at.as_millisecond()));
        item.insert("ttl".to_owned(), n(challenge.expires_at.as_second() + 60));
        self.put(&mut transaction, item, Some("attribute_not_exists(pk)"))?;
        let allowed = act.map(|act| self.allow(&mut transaction, act, now)).transpose()?;
        match self.transact(transaction).await? {
            Outcome::Written => Ok(None),
            Outcome::Refused(positions) => match allowed.and_then(|act| act.used_up(&positions)) {
                Some(used_up) => Ok(Some(used_up)),
                None => Err(StoreError::Busy("a challenge was drawn twice".to_owned())),
            },
        }
    }

    /// A challenge that was neither used nor has expired.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn challenge(&self, nonce: &str, now: Moment) -> Result<Option<Challenge>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::challenge(nonce).item()))
            .consistent_read(true)
            .send()
            .await?;
        Ok(answer.item.and_then(|item| {
            let expires_at = Moment::from_millisecond(number(&item, "expires_at"))?;
            let text = text(&item, "text").to_owned();
            (expires_at > now).then(|| Challenge { nonce: nonce.to_owned(), text, expires_at })
        }))
    }

    /// Uses a challenge up; false where another was quicker, or it has expired.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn spend_challenge(&self, nonce: &str, now: Moment) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let unused = Expression::default().only_if(
            "attribute_exists(pk) AND #expires > :now",
            [("#expires", "expires_at")],
            [(":now", n(now.as_millisecond()))],
        );
        self.delete(&mut transaction, &keys::challenge(nonce), Some(&unused))?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}
