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
pub use registry_domain::views::Namespace;
pub use servers::{Metadata, ServerList, alive, rendered_list, version, versions};
