//! A search request and its result. Apart from the service, because every endpoint that searches shares these types.

use std::sync::Arc;

use super::Text;
use registry_model::{Category, Kind, Listing};

#[derive(Clone, Debug)]
pub struct Query {
    /// Empty for all listings, the newest first.
    pub text: Text,
    pub kind: Option<Kind>,
    pub category: Option<Category>,
    pub skip: usize,
    pub limit: usize,
}

#[derive(Clone, Debug)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub total: usize,
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
    pub seats_claimed: u32,
}

#[derive(Clone, Debug)]
pub struct Hit {
    pub listing: Arc<Listing>,
    /// From 0 to 100; falls from hit to hit.
    pub score: u8,
    pub words: Vec<String>,
    pub other_words: Vec<String>,
    pub abilities: Vec<String>,
    pub boosts: Vec<String>,
}
