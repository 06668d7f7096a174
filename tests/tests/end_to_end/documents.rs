//! The documents that the registry serves, a file for each.

mod active_list;
mod ai_catalog;
