//! Adds leaves to the tree of the evidence log. From the roots of the subtrees and the new leaves, it
//! calculates the new root and the additions to the tiles. It does no I/O, so that tests can compare trees of
//! every size with the definition of the tree.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tlog_tiles::{Hash, HashReader, stored_hash_index, stored_hashes, sub_tree_index, tree_hash};

use registry_model::error::{During, Problem};
use registry_model::{LogTile, TILE_WIDTH, TileSegment};

/// Levels of the tree in one level of tiles: a tile is 2^8 wide.
const TILE_HEIGHT: usize = 8;

/// Hashes of the tree by `tlog_tiles::stored_hash_index`.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashes(pub(super) BTreeMap<u64, Hash>);

impl HashReader for Hashes {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog_tiles::Error> {
        let known = |index| self.0.get(index).copied();
        indexes.iter().map(known).collect::<Option<_>>().ok_or(tlog_tiles::Error::IndexesNotInTree)
    }
}

#[derive(Debug)]
pub(super) struct Growth {
    pub(super) size: u64,
    pub(super) root: Hash,
    pub(super) edge: Vec<String>,
    pub(super) segments: Vec<TileSegment>,
}

/// Appends leaves to a tree of `size` leaves; `edge` contains the roots of its subtrees.
pub(super) fn grow(size: u64, edge: &[String], leaves: &[&str]) -> Result<Growth, Problem> {
    let edge: Vec<Hash> = edge.iter().map(|hash| read_hash(hash)).collect::<Result<_, _>>()?;
    let indexes = sub_tree_index(0, size, Vec::new());
    if indexes.len() != edge.len() {
        return Err(Problem::fault("the stored hashes of the log's tree do not match the size of the tree"));
    }
    let mut hashes = Hashes(indexes.into_iter().zip(edge).collect());
    let mut segments: BTreeMap<LogTile, TileSegment> = BTreeMap::new();
    let mut append = |tile, at: u64, bytes: &[u8]| {
        let new = || TileSegment { tile, offset: at % TILE_WIDTH, bytes: Vec::new() };
        segments.entry(tile).or_insert_with(new).bytes.extend_from_slice(bytes);
    };
    for (index, leaf) in (size..).zip(leaves) {
        let length = u16::try_from(leaf.len()).map_err(|_| Problem::fault("a leaf is too long"))?;
        let entries = LogTile::Entries { index: index / TILE_WIDTH };
        append(entries, index, &length.to_be_bytes());
        append(entries, index, leaf.as_bytes());
        for (level, hash) in (0_u8..).zip(stored_hashes(index, leaf.as_bytes(), &hashes).map_err(tree_fault)?)
        {
            let at = index >> level;
            hashes.0.insert(stored_hash_index(level, at), hash);
            if usize::from(level).is_multiple_of(TILE_HEIGHT) {
                let tile = LogTile::Hashes { level: level / 8, index: at / TILE_WIDTH };
                append(tile, at, &hash.0);
            }
        }
    }
    let size = size + leaves.len() as u64;
    let root = tree_hash(size, &hashes).map_err(tree_fault)?;
    let edge = hashes.read_hashes(&sub_tree_index(0, size, Vec::new())).map_err(tree_fault)?;
    let edge = edge.into_iter().map(write_hash).collect();
    Ok(Growth { size, root, edge, segments: segments.into_values().collect() })
}

pub(super) fn small_tree(leaves: &[String]) -> Result<Hashes, Problem> {
    let mut hashes = Hashes::default();
    for (index, leaf) in (0..).zip(leaves) {
        let stored = stored_hashes(index, leaf.as_bytes(), &hashes).map_err(tree_fault)?;
        hashes.0.extend((stored_hash_index(0, index)..).zip(stored));
    }
    Ok(hashes)
}

pub(super) fn tree_fault(error: tlog_tiles::Error) -> Problem {
    Problem::fault(During::new("the log's tree", error))
}

pub(super) fn write_hash(hash: Hash) -> String {
    BASE64.encode(hash.0)
}

pub(super) fn read_hash(text: &str) -> Result<Hash, Problem> {
    let bytes = BASE64.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.map(Hash).ok_or_else(|| Problem::fault("a stored hash of the log cannot be read"))
}

#[cfg(test)]
mod tests;
