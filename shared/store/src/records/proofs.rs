//! What proves a right of an owner. A challenge is a text that an owner signs to prove who they are: it is valid for one
//! action, stored when it is issued, and deleted when it is used. A token of a GitHub workflow is stored when it is used; the
//! account that first proved the names of a login owns them. The keys that are bound to the domain of a listing are its
//! identities.

use serde_json::Value;

use super::counters::live_counter;
use crate::prelude::*;
use registry_model::Identity;

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
            false => Err(StoreError::busy("the nonce of a challenge exists already")),
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

pub(super) const IDENTITIES: Record<Vec<Value>> = Record::new(LISTING.prefix, "IDENTITIES", "identities");

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identities {
    pub all: Vec<Identity>,
    /// How often they were written.
    revision: i64,
}

impl Store {
    pub async fn identities(&self, id: &ListingId) -> Result<Identities> {
        let Some(item) = self.read(&IDENTITIES.of(id)).await? else { return Ok(Identities::default()) };
        // Earlier versions also bound keys by methods that no longer exist; those do not count.
        let stored = IDENTITIES.read(&item)?.into_iter();
        let all = stored.filter_map(|identity| serde_json::from_value(identity).ok()).collect();
        Ok(Identities { all, revision: number(&item, "revision") })
    }

    /// Replaces the identities of a listing, shows the domain of the last one with the listing, and counts the listing if
    /// it had no identity. False if other identities were written after these were read.
    pub async fn keep_identities(
        &self,
        listing: &Listing,
        before: &Identities,
        after: &[Identity],
    ) -> Result<bool> {
        let change = Expression::default().set(IDENTITIES.attribute, to_blob(after)?);
        let change = change.set("revision", n(before.revision + 1));
        let change = match before.revision {
            0 => change.if_absent(),
            revision => change.if_equal("revision", n(revision)),
        };
        let id = &listing.id;
        let mut transaction = Transaction::updating(IDENTITIES.of(id), change);
        let mut counts = Expression::default().add("identities", before.revision == 0);
        if let Some(newest) = after.last() {
            let shown = Expression::default().set("proven_domain", s(newest.proven_domain.as_str()));
            transaction.update(LISTING.of(id), shown.if_exists());
            // The rows of the active list show it.
            counts = counts.add("version", 1);
        }
        transaction.update(live_counter(id), counts);
        self.commit(transaction).await
    }
}
