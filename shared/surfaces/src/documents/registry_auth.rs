//! `/.well-known/mcp-registry-auth`: the key by which whoever holds it proves to the official MCP registry that names
//! of this domain are theirs (official registry, `auth/http.go`).

use bytes::Bytes;

use super::document::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_domain::trust::message_key::message_key;
use registry_model::error::Problem;

#[derive(Debug)]
pub(super) struct RegistryAuth;

impl Document for RegistryAuth {
    const PATHS: &'static [&'static str] = &["/.well-known/mcp-registry-auth"];
    const SUMMARY: &'static str = "The key that proves names of this domain to the official MCP registry.";
    const MEDIA_TYPE: &'static str = "text/plain; charset=utf-8";
    const MAX_AGE_S: Option<u32> = Some(600);
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(message_key(app).await?.domain_key().record().unwrap_or_default().into())
    }
}
