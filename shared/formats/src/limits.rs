//! How much of a stranger's document is kept: what is longer is cut, what is more is left out.

/// The longest name taken over, in characters.
pub const LONGEST_NAME: usize = 120;
/// The longest description taken over, in characters.
pub const LONGEST_DESCRIPTION: usize = 1000;
/// The most skills (or tools) taken over.
pub const MOST_SKILLS: usize = 100;
/// The most tools that are kept for a listing.
pub const MOST_TOOLS: usize = 200;
/// The most tags of one skill taken over.
pub const MOST_TAGS: usize = 20;
/// The longest version or tag taken over, in characters.
pub const LONGEST_WORD: usize = 60;
/// The longest URL taken, in bytes: the fetcher takes no longer one either.
pub const LONGEST_URL: usize = 2048;
