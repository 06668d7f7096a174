//! What somebody looks for, and what was found: the types that every door of search shares.

use super::Text;
use crate::model::{Category, Kind, Listing};

/// What somebody looks for.
#[derive(Clone, Debug)]
pub struct Query {
    /// In their words; empty for whatever is there, the newest first.
    pub text: Text,
    /// Only agents, or only MCP servers.
    pub kind: Option<Kind>,
    /// Only what is filed there.
    pub category: Option<Category>,
    /// So many of the best are left out: they stood on earlier pages.
    pub skip: usize,
    /// At most so many hits.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The hits of this page, the best first.
    pub hits: Vec<Hit>,
    /// How many there are on all pages.
    pub total: usize,
    /// How many listings were searched.
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
}

/// A Live listing that answers to the words.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The listing, as the table holds it now.
    pub listing: Listing,
    /// How well it answers, 0 to 100; falls from hit to hit.
    pub score: u8,
    /// Which of the words it bears, or of those by which catalogues call what is asked for.
    pub words: Vec<String>,
    /// Which of the words it answers in others.
    pub other_words: Vec<String>,
    /// Its skills or tools that bear one of the words.
    pub abilities: Vec<String>,
    /// What moved it among its equals, such as `fresh probe`.
    pub boosts: Vec<String>,
}
