//! The four products as trees of files, made from what the registry knows of a listing. Pure: the same profile gives the
//! same bytes, so that a tree can be made anew whenever it is asked for, and nothing of it is stored.

mod ability;
mod about;
mod calls;
mod charter;
mod clients;
mod descriptions;
mod evaluation;
pub mod export;
mod file;
mod fixes;
mod goals;
mod improvement;
mod install;
mod lint;
mod mesh;
mod page;
mod preset;
mod profile;
mod routine;
mod skill;
mod text;
mod tree;
mod words;

pub use file::File;
pub use goals::goals_of;
pub use install::{Snippet, install};
pub use preset::{InvalidPreset, Preset};
pub use profile::{Peer, Profile, Proof, Weakness};
pub use tree::{sample, tree};

#[cfg(test)]
mod tests;
