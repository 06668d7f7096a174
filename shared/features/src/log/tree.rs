//! Adds leaves to the tree of the evidence log. From the roots of the subtrees and the new leaves, it
//! calculates the new root and the additions to the tiles. It does no I/O, so that tests can compare trees of
//! every size with the definition of the tree.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tlog_tiles::{Hash, HashReader, stored_hash_index, stored_hashes, sub_tree_index, tree_hash};

use registry_model::error::Problem;
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

#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
pub(super) fn tree_fault(error: tlog_tiles::Error) -> Problem {
    Problem::fault(format!("the log's tree: {error}"))
}

pub(super) fn write_hash(hash: Hash) -> String {
    BASE64.encode(hash.0)
}

pub(super) fn read_hash(text: &str) -> Result<Hash, Problem> {
    let bytes = BASE64.decode(text).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.map(Hash).ok_or_else(|| Problem::fault("a stored hash of the log cannot be read"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};
    use tlog_tiles::{check_record, check_tree, prove_record, prove_tree, record_hash};

    use super::*;

    /// The tree hash as RFC 6962 §2.1 defines it.
    fn definition(leaves: &[String]) -> [u8; 32] {
        match leaves {
            [] => Sha256::digest([]).into(),
            [leaf] => Sha256::digest([&[0], leaf.as_bytes()].concat()).into(),
            _ => {
                let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
                let (left, right) = (definition(left), definition(right));
                Sha256::digest([&[1], left.as_slice(), right.as_slice()].concat()).into()
            }
        }
    }

    #[derive(Default)]
    struct Log {
        leaves: Vec<String>,
        edge: Vec<String>,
        roots: BTreeMap<u64, Hash>,
        tiles: BTreeMap<LogTile, (u64, Vec<u8>)>,
    }

    impl Log {
        fn append(&mut self, count: usize) {
            let size = self.leaves.len();
            let new: Vec<String> = (size..size + count).map(|n| format!("leaf {n}")).collect();
            let texts: Vec<&str> = new.iter().map(String::as_str).collect();
            let growth = grow(size as u64, &self.edge, &texts).unwrap();
            for TileSegment { tile, offset, bytes } in growth.segments {
                let (width, served) = self.tiles.entry(tile).or_default();
                assert_eq!(*width, offset, "{tile} grows at its right edge");
                served.extend_from_slice(&bytes);
                *width = tile.width_in(growth.size);
            }
            self.leaves.extend(new);
            self.edge = growth.edge;
            self.roots.insert(growth.size, growth.root);
        }

        /// Every hash of the tree, from the tiles alone.
        fn served(&self) -> Hashes {
            let mut hashes = Hashes::default();
            for (tile, (_, bytes)) in &self.tiles {
                let LogTile::Hashes { level, index } = tile else { continue };
                let mut row: Vec<Hash> =
                    bytes.chunks(32).map(|bytes| Hash(bytes.try_into().unwrap())).collect();
                let mut at = index * TILE_WIDTH;
                for height in level * 8..level * 8 + 8 {
                    for (place, hash) in (at..).zip(&row) {
                        hashes.0.insert(stored_hash_index(height, place), *hash);
                    }
                    row = row.chunks_exact(2).map(|pair| tlog_tiles::node_hash(pair[0], pair[1])).collect();
                    at /= 2;
                }
            }
            hashes
        }
    }

    #[test]
    fn tiles_match_the_specification() {
        let mut log = Log::default();
        for _ in 0..26 {
            log.append(10);
        }
        let widths: Vec<(String, u64)> =
            log.tiles.iter().map(|(tile, (width, _))| (tile.to_string(), *width)).collect();
        let expected = [
            ("tile/0/000", 256),
            ("tile/0/001", 4),
            ("tile/1/000", 1),
            ("tile/entries/000", 256),
            ("tile/entries/001", 4),
        ];
        assert_eq!(widths, expected.map(|(path, width)| (path.to_owned(), width)));
        let first = &log.tiles[&LogTile::Hashes { level: 1, index: 0 }].1;
        assert_eq!(first.as_slice(), definition(&log.leaves[..256]));
        assert_eq!(&log.tiles[&LogTile::Entries { index: 1 }].1[..10], b"\0\x08leaf 256");
        assert!(grow(2, &[], &["x"]).is_err(), "an edge that does not fit");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn every_leaf_and_every_earlier_tree_can_be_proven(
            batches in prop::collection::vec(prop_oneof![6 => 1..40_usize, 1 => 100..300_usize], 1..12),
        ) {
            let mut log = Log::default();
            batches.into_iter().for_each(|count| log.append(count));
            let hashes = log.served();
            let (&size, &root) = log.roots.last_key_value().unwrap();
            prop_assert_eq!(root.0, definition(&log.leaves));
            for (&earlier, &its_root) in &log.roots {
                prop_assert_eq!(its_root.0, definition(&log.leaves[..usize::try_from(earlier).unwrap()]));
                let proof = prove_tree(size, earlier, &hashes).unwrap();
                prop_assert!(check_tree(&proof, size, root, earlier, its_root).is_ok());
            }
            for (index, leaf) in (0..).zip(&log.leaves) {
                let proof = prove_record(size, index, &hashes).unwrap();
                let hash = record_hash(leaf.as_bytes());
                prop_assert!(check_record(&proof, size, root, index, hash).is_ok());
                prop_assert!(check_record(&proof, size, root, index, record_hash(b"another")).is_err());
            }
        }
    }
}
