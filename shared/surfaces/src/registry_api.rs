//! The read API of the official MCP registry over what is Live here, for clients and aggregators of that registry
//! (its OpenAPI of 2025-12-01). A server that does not answer is not listed, and each has the one version that answers.

mod cursor;
mod evidence;
mod extensions;
mod falls;
mod malformed;
mod namespace;
mod pages;
mod query;
mod server;
mod servers;

pub use cursor::Cursor;
pub use evidence::ServerEvidence;
pub use extensions::{Facets, Health, Matches, facets, health, search};
pub use namespace::Namespace;
pub use pages::rendered_list;
pub use query::ServerQuery;
pub use server::{ServerDetail, ServerResponse};
pub use servers::{Metadata, ServerList, alive, version, versions};
