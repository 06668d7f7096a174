//! The tiles of the evidence log (C2SP `tlog-tiles`). A full tile contains 256 hashes from one level of the
//! tree, or 256 entries. A tile grows until it is full. The items that it already contains never change.

use std::fmt;

/// Hashes or entries in a full tile.
pub const TILE_WIDTH: u64 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogTile {
    /// Hashes of subtrees of 256 to the power of `level` entries.
    Hashes {
        level: u8,
        index: u64,
    },
    Entries {
        index: u64,
    },
}

impl LogTile {
    /// How many items of this tile a tree of `size` entries fills.
    pub fn width_in(self, size: u64) -> u64 {
        let (level, index) = match self {
            Self::Hashes { level, index } => (level, index),
            Self::Entries { index } => (0, index),
        };
        let items = size.checked_shr(u32::from(level) * 8).unwrap_or(0);
        let before = index.saturating_mul(TILE_WIDTH);
        items.saturating_sub(before).min(TILE_WIDTH)
    }

    /// Its path below the log's prefix, for its first `width` items.
    pub fn path(self, width: u64) -> String {
        if width < TILE_WIDTH { format!("{self}.p/{width}") } else { self.to_string() }
    }

    /// Parses the part of a path after `tile/`: the tile and the requested width. Each number has only one valid form.
    pub fn parse(path: &str) -> Option<(Self, u64)> {
        let (level, rest) = path.split_once('/')?;
        let (rest, width) = match rest.split_once(".p/") {
            Some((rest, width)) => {
                (rest, width.parse().ok().filter(|width| (1..TILE_WIDTH).contains(width))?)
            }
            None => (rest, TILE_WIDTH),
        };
        let digits = |part: &str| -> Option<u64> {
            (part.len() == 3).then(|| part.parse().ok()).flatten().filter(|_| !part.starts_with('+'))
        };
        let mut parts = rest.split('/').rev();
        let mut index = digits(parts.next()?)?;
        let mut factor = 1_u64;
        for part in parts {
            factor = factor.checked_mul(1000)?;
            index = index.checked_add(digits(part.strip_prefix('x')?)?.checked_mul(factor)?)?;
        }
        let tile = match level {
            "entries" => Self::Entries { index },
            level => Self::Hashes { level: level.parse().ok().filter(|level| *level <= 63_u8)?, index },
        };
        (tile.path(width) == format!("tile/{path}")).then_some((tile, width))
    }
}

impl fmt::Display for LogTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = match self {
            Self::Hashes { level, index } => {
                write!(f, "tile/{level}/")?;
                *index
            }
            Self::Entries { index } => {
                f.write_str("tile/entries/")?;
                *index
            }
        };
        let mut parts = vec![format!("{:03}", index % 1000)];
        let mut left = index / 1000;
        while left > 0 {
            parts.push(format!("x{:03}", left % 1000));
            left /= 1000;
        }
        parts.reverse();
        f.write_str(&parts.join("/"))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSegment {
    pub tile: LogTile,
    /// How many items the tile has already.
    pub offset: u64,
    /// The new items, as they are served.
    pub bytes: Vec<u8>,
}

/// The entries of a bundle (C2SP `tlog-tiles`, "Log entries"): each has its length in two bytes before it.
pub fn log_entries(bundle: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bundle;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (entry, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        rest = after;
        Some(entry)
    })
}

#[cfg(test)]
mod tests;
