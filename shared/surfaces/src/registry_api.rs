//! The read API of the official MCP registry (its OpenAPI of 2025-12-01) for Live servers. A server that does
//! not answer is not listed. The list contains the latest version of each server.

mod collection;
mod cursor;
mod extensions;
mod query;
mod servers;

pub use collection::Selection;
pub use cursor::Cursor;
pub use extensions::{Facets, Health, Matches, facets, health, search};
pub use query::ServerQuery;
pub(crate) use query::{LIST_PARAMETERS, schema as query_schema};
pub use registry_domain::views::Namespace;
pub use servers::{Metadata, ServerList, alive, rendered_list, version, versions};

use schemars::JsonSchema;
use serde::Serialize;

/// An error of the official registry API. `error` is what the official OpenAPI documents, the rest is what the official
/// service really sends.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegistryApiError")]
pub struct ErrorBody {
    pub title: &'static str,
    pub status: u16,
    pub detail: String,
    pub error: String,
    pub errors: Vec<FieldError>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FieldError {
    pub message: String,
    pub location: String,
}
