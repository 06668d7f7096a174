//! The four products as trees of files, made from what the registry knows of a listing. Pure: the same profile gives the
//! same bytes, so that a tree can be made anew whenever it is asked for, and nothing of it is stored.

pub mod export;
mod file;
mod preset;
mod profile;
mod tree;

pub use file::File;
pub use preset::{InvalidPreset, Preset};
pub use profile::{Peer, Profile, Proof, Weakness};
pub use tree::{sample, tree};
