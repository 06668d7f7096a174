//! Agent cards and server descriptions of other people, as found in public repositories.

mod parsed;
mod published;
