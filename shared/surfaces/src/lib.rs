//! Everything that clients of the registry see: REST, A2A tasks, ARD, the API of the official MCP registry, documents,
//! pages and the OpenAPI description. This crate depends on `registry-features` and the layers below. Only the
//! functions depend on this crate. Each function lists the operations and documents that it serves.
//!
//! Start with [`rest`], which turns operations and documents into routes. A document is a value of the type
//! `documents::AnyDocument`. The modules `documents`, `documents::discovery` and `pages` each contain a table of
//! their documents. Some protocols cannot be expressed as operations and documents. They have modules of
//! their own: [`a2a`], [`mcp`], [`ard`] and [`registry_api`]. The module `errors` maps problems to the errors of each.

pub mod a2a;
pub mod ard;
mod call;
pub mod documents;
mod errors;
mod json_rpc;
pub mod mcp;
pub mod openapi;
pub mod pages;
mod prelude;
pub mod registry_api;
pub mod rest;
