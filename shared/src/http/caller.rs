//! Reads who asks off a request: the gateway put the address beside it, and nothing else is believed.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::model::{Caller, CallerAddress};

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self { address: parts.extensions.get::<CallerAddress>().map(|address| address.0) })
    }
}
