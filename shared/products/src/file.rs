//! One file of a product.

use schemars::JsonSchema;
use serde::Serialize;

/// A file of a product's tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct File {
    /// Where it stands in the tree, with `/` between folders.
    pub path: String,
    /// Its media type.
    pub media_type: &'static str,
    /// Its text.
    pub content: String,
}
