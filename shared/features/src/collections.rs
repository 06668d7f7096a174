pub mod list_collections;
pub mod publish_collection;
pub mod rules;
