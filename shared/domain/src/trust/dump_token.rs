//! A signed statement about the latest dump: a token (JWS in compact form, ES256) that anybody can verify with the key set
//! of the registry. Like a proof that a listing is Live, it is made when it is read; it is not stored.

use super::attestation::sign_token;
use super::keys;
use crate::prelude::*;
use registry_model::Dump;

/// RFC 8725 §3.11: no other token can pass for this one.
const TYPE: &str = "dump+jwt";

/// The token of a dump, by one read of the key.
pub async fn dump_token(app: &App, dump: &Dump) -> Result<String, Problem> {
    let payload = json!({
        "iss": app.settings.base_url,
        "iat": app.clock.now().as_second(),
        "dump": { "day": dump.day, "sha256": dump.sha256, "listings": dump.listings, "license": dump.license },
    });
    sign_token(app, &keys::signing(app).await?, TYPE, &payload).await
}
