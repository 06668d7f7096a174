//! GitHub accounts that proved their names with tokens of workflows: which account first proved the names of a login, and
//! which tokens were used.

use crate::table::prelude::*;

impl Store {
    /// Uses a token; false if it was used already. `id` is a digest.
    pub async fn spend_workflow_token(&self, id: &str, expires_at: Moment) -> Result<bool> {
        self.put_new(keys::WORKFLOW_TOKEN.of(id).with([ttl(expires_at, 60)])).await
    }

    /// The number of the account to which the names of this login belong.
    pub async fn github_owner(&self, login: &str) -> Result<Option<u64>> {
        let item = self.read(&keys::github_owner(login), Consistency::Strong).await?;
        Ok(item.map(|item| count(&item, "owner_id")))
    }

    /// Binds the names of a login to an account, unless they are bound. Returns the account to which they are bound.
    pub async fn bind_github_owner(&self, login: &str, owner_id: u64) -> Result<Option<u64>> {
        self.put_new(keys::github_owner(login).with([("owner_id", n(owner_id))])).await?;
        self.github_owner(login).await
    }
}
