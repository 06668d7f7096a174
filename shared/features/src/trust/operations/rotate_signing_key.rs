//! Adds a signing key. The new key is published at once, and the registry signs with it one hour later. The
//! previous key stays published until everything that it signed has expired.

use crate::operation::operator_token;
use crate::prelude::*;
use crate::trust::keys;

pub struct RotateSigningKey;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The id of the key in the key set.
    kid: String,
    /// The time when the registry starts to sign with the key.
    signs_from: Moment,
    jwks_uri: String,
}

impl Operation for RotateSigningKey {
    const NAME: &'static str = "rotate_signing_key";
    const TITLE: &'static str = "Rotate the signing key";
    const DESCRIPTION: &'static str = "Adds a new signing key. One hour later, the registry starts to sign \
        statements and cards with this key. Only for the operator (bearer token). The previous key stays \
        published until everything that it signed has expired. Returns the key id, and the time when signing \
        with the new key starts.";
    const PHRASES: &'static [&'static str] = &["rotate the signing key", "add a new signing key"];
    const EFFECT: Effect = Effect { destructive: true, ..Effect::WRITES };
    const SUMMARY: &'static [&'static str] = &["The new key {kid} signs from {signs_from}."];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Unauthenticated, ErrorKind::Forbidden];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let (kid, signs_from) = keys::rotate(app).await?;
        let jwks_uri = app.settings.url("/.well-known/jwks.json");
        Ok(Answer { kid, signs_from, jwks_uri })
    }
}
