//! Search over Live listings by plain words, and browsing them by name. Every function keeps the same index in memory;
//! hits are read from the table before they are shown, so that none is older than the table.

pub mod browse;
pub mod bucket;
mod build;
mod damage;
pub mod embedding;
pub mod engine;
pub mod entry;
mod evidence;
pub mod filtered;
pub mod index;
mod index_cache;
mod kind_hint;
mod name_hashes;
mod names;
mod parsed_query;
mod phrasebook;
mod query;
mod rank;
mod service;
mod spelling;
mod stop_words;
mod synonyms;
mod text;
mod words;

pub use build::BuildReport;
pub use entry::IndexedText;
pub use query::{Found, Hit, Query};
pub use service::Searcher;
pub use text::Text;
