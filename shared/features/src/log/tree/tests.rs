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
            let mut row: Vec<Hash> = bytes.chunks(32).map(|bytes| Hash(bytes.try_into().unwrap())).collect();
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
