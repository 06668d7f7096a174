//! A search request and its result. Apart from the service, because every endpoint that searches shares these types.

use std::sync::Arc;

use super::Text;
use registry_model::{Category, Kind, Listing};

/// A search request.
#[derive(Clone, Debug)]
pub struct Query {
    /// Empty for all listings, the newest first.
    pub text: Text,
    /// Only agents, or only MCP servers.
    pub kind: Option<Kind>,
    /// Only this category.
    pub category: Option<Category>,
    /// The hits left out, which were on earlier pages.
    pub skip: usize,
    /// The most hits of a page.
    pub limit: usize,
}

/// A page of hits.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best first.
    pub hits: Vec<Hit>,
    /// How many there are on all pages.
    pub total: usize,
    /// How many listings were searched.
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
    /// Founding seats taken, which whoever shows a hit may show with it.
    pub seats_claimed: u32,
}

/// A Live listing that matches.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The listing, as the table holds it now.
    pub listing: Arc<Listing>,
    /// From 0 to 100; falls from hit to hit.
    pub score: u8,
    /// The words of the query, or of its matched phrases, that it contains.
    pub words: Vec<String>,
    /// The words of the query that it matches by other words.
    pub other_words: Vec<String>,
    /// Its skills or tools whose names contain one of the words.
    pub abilities: Vec<String>,
    /// Evidence that raised it among equal hits, in words.
    pub boosts: Vec<String>,
}
