//! Revoking an access token for good: one that was obtained by abuse, or resold. An owner whose token leaked needs no
//! operator: sending the feedback with `reissue` replaces it. No line in the feed: a token is nobody else's business.

use super::outcome::Outcome;
use crate::App;
use registry_model::TokenDigest;
use registry_model::error::Problem;

pub(super) async fn revoke(app: &App, token: &TokenDigest) -> Result<Outcome, Problem> {
    let revoked = app.store.revoke_grant(token).await?;
    let note = if revoked {
        "Revoked: the token opens nothing any longer."
    } else {
        "No such token opens anything."
    };
    Ok(Outcome::of_one(revoked, 0, note))
}
