//! `/list/{id}/liveness.jws`: a signed proof that a listing is Live. An agent can put this URL into its card.

use bytes::Bytes;

use super::document::{Document, DocumentRequest, NoQuery, Validity};
use registry_app::App;
use registry_domain::trust::liveness_token;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;

/// Seconds for which a token is reused, so that many readers cost one signature.
const REUSED_FOR_S: u32 = 60;

/// The path parameter is the id of the listing.
#[derive(Debug)]
pub(super) struct LivenessToken;

impl Document for LivenessToken {
    const PATHS: &'static [&'static str] = &["/list/{id}/liveness.jws"];
    const SUMMARY: &'static str = "A signed proof that a listing is Live: a JWS in compact form (ES256, `liveness+jwt`) over \
        its id, its endpoint, its last proof and its place in the evidence log. `/.well-known/jwks.json` has the key.";
    const MEDIA_TYPE: &'static str = "application/jose";
    const MAX_AGE_S: Option<u32> = Some(REUSED_FOR_S);
    const REFUSALS: &'static [u16] = &[404, 409];
    type Query = NoQuery;
    type Answer = String;

    fn cache_validator(app: &App, request: &DocumentRequest<NoQuery>) -> Validity {
        let span = app.clock.now().as_second().div_euclid(REUSED_FOR_S.into());
        Ok(Some(CacheValidator::weak(&format!("{}/{span}", request.path))))
    }

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let id = request.path.trim_end_matches("/liveness.jws").rsplit('/').next().unwrap_or_default();
        Ok(liveness_token::liveness_token(app, id).await?.into())
    }
}
