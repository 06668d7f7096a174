//! Limits for the parts of a peer's document that the registry stores. If a text is too long, its end is cut.
//! If a list is too long, its last items are left out.

pub const LONGEST_NAME: usize = 120;
pub const LONGEST_DESCRIPTION: usize = 1000;
/// Skills or tools read from a document.
pub const MAX_SKILLS: usize = 100;
pub const MOST_TOOLS: usize = 200;
pub const MOST_TAGS: usize = 20;
/// Characters of a version or tag.
pub const MAX_WORD_CHARS: usize = 60;
