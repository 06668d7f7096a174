//! The four products as trees of files, generated from the data of a listing.
//!
//! The same profile always gives the same bytes, so trees are generated for each request and never stored.
//! This crate may depend on `registry-model` and `registry-formats` only.
//!
//! Start with `tree`: it has the files of each product, and selects those that a demo shows. `profile` is the input.
//! `charter`, `skill`, `improvement`, `routine` and `mesh` render one part each. `text` escapes all texts of listings.

mod ability;
mod about;
mod arguments;
mod calls;
mod charter;
mod descriptions;
mod evaluation;
pub mod export;
mod fixes;
mod goals;
mod improvement;
mod install;
mod lint;
mod mesh;
mod page;
mod prelude;
mod preset;
mod profile;
mod repository;
mod routine;
mod skill;
mod text;
mod tree;
mod words;

pub use goals::{MAX_GOAL_CHARS, chosen as chosen_goals};
pub use install::{Snippet, install};
pub use page::File;
pub use preset::Preset;
pub use profile::{Peer, Profile, Proof, Weakness};
pub use tree::{sample, tree};

#[cfg(test)]
mod tests;
