//! Collections: named selections of servers, which clients read as registries of their own.

pub mod list_collections;
pub mod publish_collection;
pub mod rules;
