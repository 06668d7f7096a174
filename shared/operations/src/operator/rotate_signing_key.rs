//! The operator adds a signing key. It is published at once and signs an hour later; the one before stays published until
//! all that it signed has expired.

use crate::operator_token;
use crate::prelude::*;
use registry_domain::trust::keys;

pub struct RotateSigningKey;

/// The new key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// Its id in the key set.
    kid: String,
    /// From when it signs.
    signs_from: Moment,
    /// Where the keys are published.
    jwks_uri: String,
}

impl Operation for RotateSigningKey {
    const NAME: &'static str = "rotate_signing_key";
    const TITLE: &'static str = "Rotate the signing key";
    const DESCRIPTION: &'static str = "For the operator of the registry only (bearer token): adds a key that signs \
        statements and cards from an hour later on. The key before stays published until what it signed has expired.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] = &["rotate the signing key", "add a new signing key"];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["rotate_signing_key"] }];
    const REFUSALS: &'static [u16] = &[401, 403];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let (kid, signs_from) = keys::rotate(app).await?;
        let jwks_uri = app.settings.url("/.well-known/jwks.json");
        Ok(Answer { ok: true, version: registry_domain::trust::VERSION, kid, signs_from, jwks_uri })
    }
}
