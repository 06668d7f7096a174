//! The read API of the official MCP registry (its OpenAPI of 2025-12-01) for Live servers. A server that does
//! not answer is not listed. The list contains the latest version of each server.

mod collection;
mod extensions;
mod query;
mod routes;
mod servers;

pub(crate) use extensions::{Facets, Health, Matches};
pub use query::Cursor;
pub(crate) use query::{LIST_PARAMETERS, schema as query_schema};
pub(crate) use servers::ServerList;

pub use routes::routes;
