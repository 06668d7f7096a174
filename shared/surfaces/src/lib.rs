//! What clients of the registry see: REST, A2A tasks, ARD, the API of the official MCP registry, documents,
//! pages and the OpenAPI description. It depends on `registry-operations` and the layers below. Only the
//! functions depend on this crate: each function lists the operations and documents that it serves.
//!
//! Start with [`http::rest`], which turns operations and documents into routes. A document is a type that
//! implements `documents::Document`; the modules `documents`, `discovery` and `pages` each contain a table of
//! their documents. Protocols that do not fit into operations and documents have modules of their own:
//! [`a2a`], [`ard`] and [`registry_api`].

pub mod a2a;
pub mod ard;
mod call;
pub mod discovery;
pub mod documents;
pub mod http;
pub mod openapi;
pub mod pages;
pub mod registry_api;
