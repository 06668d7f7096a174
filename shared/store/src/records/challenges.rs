//! Challenges: texts that an owner signs to prove who they are. A challenge is valid for one action and only
//! once. It is stored when it is issued, and deleted when it is used.

use super::rates::Allowance;
use crate::table::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Identifies it; cannot be guessed.
    pub nonce: String,
    /// The text to be signed, which names the act.
    pub text: String,
    pub expires_at: Moment,
}

impl Store {
    pub async fn keep_challenge(
        &self,
        challenge: &Challenge,
        act: Option<Allowance<'_>>,
        now: Moment,
    ) -> Result<()> {
        self.count_allowed(act, now).await?;
        let item = keys::CHALLENGE.of(&challenge.nonce).with([
            ("text", s(&challenge.text)),
            ("expires_at", n(challenge.expires_at.as_millisecond())),
            ttl(challenge.expires_at, 60),
        ]);
        match self.put_new(item).await? {
            true => Ok(()),
            false => Err(StoreError::Busy("the nonce of a challenge exists already".to_owned())),
        }
    }

    /// A challenge that is neither used nor expired.
    pub async fn challenge(&self, nonce: &str, now: Moment) -> Result<Option<Challenge>> {
        let item = self.read(&keys::CHALLENGE.of(nonce), Consistency::Strong).await?;
        Ok(item.and_then(|item| {
            let expires_at = moment(&item, "expires_at").filter(|expires_at| *expires_at > now)?;
            Some(Challenge { nonce: nonce.to_owned(), text: text(&item, "text").to_owned(), expires_at })
        }))
    }

    /// Uses a challenge; false where it was used already, or has expired.
    pub async fn spend_challenge(&self, nonce: &str, now: Moment) -> Result<bool> {
        let mut transaction = Transaction::default();
        let unused = Expression::default().if_is("expires_at", ">", n(now.as_millisecond()));
        transaction.delete_if(keys::CHALLENGE.of(nonce), unused);
        Ok(self.transact(transaction).await?.is_written())
    }
}
