//! `/openapi.json`: the description of this API for machines (OpenAPI 3.1.0), derived from the catalogue of operations and
//! the tables of documents, so that it cannot drift from them. Only the protocols of others are described by hand.

mod components;
mod description;
mod documents;
mod families;
mod naming;
mod operations;
mod parameters;
mod responses;

#[cfg(test)]
mod tests;

pub use description::OPENAPI;
