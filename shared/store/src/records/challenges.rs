//! What proves a right only once. A challenge is a text that an owner signs to prove who they are: it is valid for one
//! action, stored when it is issued, and deleted when it is used. A token of a GitHub workflow is stored when it is used; the
//! account that first proved the names of a login owns them.

use crate::prelude::*;

pub(super) const CHALLENGE: KeyPattern = KeyPattern::new("CHALLENGE#", "CHALLENGE");
/// A used token of a workflow; the id is a digest.
pub(super) const WORKFLOW_TOKEN: KeyPattern = KeyPattern::new("CHALLENGE#TOKEN#", "CHALLENGE");
/// The account to which the names of a GitHub login belong.
pub(super) const GITHUB_OWNER: KeyPattern = KeyPattern::new("GITHUB#", "OWNER");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Identifies it; cannot be guessed.
    pub nonce: String,
    /// The text to be signed, which names the act.
    pub text: String,
    pub expires_at: Moment,
}

impl Store {
    pub async fn keep_challenge(&self, challenge: &Challenge, act: Act<'_>, now: Moment) -> Result<()> {
        self.count_allowed(act, now).await?;
        let item = CHALLENGE.of(&challenge.nonce).with([
            ("text", s(&challenge.text)),
            ("expires_at", ms(challenge.expires_at)),
            ttl(challenge.expires_at, 60),
        ]);
        match self.put_new(item).await? {
            true => Ok(()),
            false => Err(StoreError::Busy("the nonce of a challenge exists already".into())),
        }
    }

    /// A challenge that is neither used nor expired.
    pub async fn challenge(&self, nonce: &str, now: Moment) -> Result<Option<Challenge>> {
        Ok(self.read(&CHALLENGE.of(nonce)).await?.and_then(|item| {
            let expires_at = moment(&item, "expires_at").filter(|expires_at| *expires_at > now)?;
            Some(Challenge { nonce: nonce.to_owned(), text: text(&item, "text").to_owned(), expires_at })
        }))
    }

    /// Uses a challenge; false where it was used already, or has expired.
    pub async fn spend_challenge(&self, nonce: &str, now: Moment) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.delete_if(CHALLENGE.of(nonce), Expression::default().if_is("expires_at", ">", ms(now)));
        self.commit(transaction).await
    }

    /// Uses a token; false if it was used already. `id` is a digest.
    pub async fn spend_workflow_token(&self, id: &str, expires_at: Moment) -> Result<bool> {
        self.put_new(WORKFLOW_TOKEN.of(id).with([ttl(expires_at, 60)])).await
    }

    /// The number of the account to which the names of this login belong.
    pub async fn github_owner(&self, login: &str) -> Result<Option<u64>> {
        let item = self.read(&GITHUB_OWNER.of(login.to_ascii_lowercase())).await?;
        Ok(item.map(|item| unsigned(&item, "owner_id")))
    }

    /// Binds the names of a login to an account, unless they are bound. Returns the account to which they are bound.
    pub async fn bind_github_owner(&self, login: &str, owner_id: u64) -> Result<Option<u64>> {
        let owner = GITHUB_OWNER.of(login.to_ascii_lowercase()).with([("owner_id", n(owner_id))]);
        self.put_new(owner).await?;
        self.github_owner(login).await
    }
}
