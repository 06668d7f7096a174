//! The entries that a source returns at once, with the positions before and after them. The positions come with the
//! entries so that the caller can save its progress without knowing the kind of source.

use crate::mirror::position::Position;
use crate::mirror::server_entry::ServerEntry;

#[derive(Debug)]
pub(in crate::mirror) struct Batch {
    /// The entries, in the source's order.
    pub(in crate::mirror) entries: Vec<ServerEntry>,
    /// The position before them.
    pub(in crate::mirror) before: Position,
    /// The position after them, where advancing over each entry does not result in it.
    pub(in crate::mirror) after: Option<Position>,
}
