//! Reads the caller of a request. The address comes only from the extension that the gateway sets: a header could be
//! written by the caller.

use std::convert::Infallible;

use axum_core::extract::FromRequestParts;
use http::header;
use http::request::Parts;

use crate::{BearerDigest, Caller, CallerAddress};

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let address = parts.extensions.get::<CallerAddress>().map(|address| address.0);
        let authorization = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        Ok(Self { address, bearer: authorization.and_then(bearer).map(BearerDigest::of) })
    }
}

/// The token of a header of the scheme `Bearer`, whose name is read in any case (RFC 9110 §11.1).
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
