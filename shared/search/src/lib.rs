//! Search of Live listings by plain words, and lists of Live listings by name.
//!
//! Each process keeps the whole index in memory, or a light index if a search backend finds the candidates. Hits are
//! read from the table before they are returned, so that they are up to date. This crate may depend on `registry-model`,
//! `registry-formats`, `registry-fetch` (for its TLS configuration) and `registry-store` only.
//!
//! Start with `service`: it runs a search from the query to the hits. `parsed_query` and `engine` decide the order.
//! `index` is the inverted index. `build` and `bucket` store the index, and
//! `index_cache` keeps it up to date in memory. `backend` and `chroma` search with a server of the operator.

pub mod backend;
pub mod browse;
pub mod bucket;
mod build;
mod chroma;
mod damage;
pub mod embedding;
pub mod engine;
pub mod entry;
mod facets;
pub mod filtered;
pub mod index;
mod index_cache;
mod parsed_query;
mod query;
mod service;
mod word_lists;
mod words;

pub use backend::Backend;
pub use build::{BuildReport, CHANGE_SEEN_AFTER_S};
pub use entry::{AbilityNames, IndexedText};
pub use query::{Found, Hit, MAX_QUERY_CHARS, Query, Text};
pub use service::Searcher;
pub use words::{is_stop_word, stem};
