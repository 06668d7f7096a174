//! `/.well-known/jwks.json`: the public keys by which what this registry signs is verified (RFC 7517).

use bytes::Bytes;
use serde_json::{Map, Value};

use super::document::{Document, DocumentRequest, NoQuery, json};
use registry_app::App;
use registry_domain::trust::keys;
use registry_model::error::Problem;

#[derive(Debug)]
pub(super) struct KeySet;

impl Document for KeySet {
    const PATHS: &'static [&'static str] = &["/.well-known/jwks.json"];
    const SUMMARY: &'static str = "The public keys by which attestations and cards are verified (RFC 7517).";
    const MAX_AGE_S: Option<u32> = Some(600);
    type Query = NoQuery;
    type Answer = Map<String, Value>;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&keys::published(app).await?)
    }
}
