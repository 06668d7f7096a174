//! Makes inclusion proofs from the public tiles of the evidence log. Each proof is checked before it is
//! returned. If the tiles do not match the signed root, the result is an internal error.

use std::cell::RefCell;

use futures::future::try_join_all;
use signed_note::{Note, StandardVerifier, Verifier, VerifierList};
use tlog_tiles::{Checkpoint, Hash, HashReader, Tile, check_record, prove_record, prove_tree, record_hash};

use super::published::published_with;
use super::tree::{Hashes, read_hash, tree_fault, write_hash};
use crate::prelude::*;
use registry_model::{LogEntry, LogTile, LogTree, TILE_WIDTH, log_entries};

/// The height of a tile (C2SP `tlog-tiles`: 256 hashes wide).
const TILE_HEIGHT: u8 = 8;

#[derive(Clone, Debug)]
pub struct Inclusion {
    /// The leaf as it is in the tree.
    pub leaf: String,
    /// Base64.
    pub leaf_hash: String,
    pub index: u64,
    pub tree: LogTree,
    /// The audit path, base64, the leaf's sibling first.
    pub proof: Vec<String>,
}

impl Inclusion {
    /// The leaf at an index; `None` beyond the end of the tree.
    pub async fn at(app: &App, index: u64) -> Result<Option<Self>, Problem> {
        let Some(tree) = published_with(app, index).await? else { return Ok(None) };
        let leaf = leaf(app, index).await?;
        let required = required_hashes(|reader| prove_record(tree.size, index, reader));
        let hashes = hashes(app, required, tree.size).await?;
        let proof = prove_record(tree.size, index, &hashes).map_err(tree_fault)?;
        let leaf_hash = record_hash(leaf.as_bytes());
        check_record(&proof, tree.size, read_hash(&tree.root)?, index, leaf_hash).map_err(tree_fault)?;
        let proof = proof.into_iter().map(write_hash).collect();
        Ok(Some(Self { leaf, leaf_hash: write_hash(leaf_hash), index, tree, proof }))
    }

    /// The decision in the leaf.
    pub fn entry(&self) -> Result<LogEntry, Problem> {
        parse_entry(&self.leaf)
    }
}

/// The entry at an index; `None` beyond the end of the tree.
pub async fn entry(app: &App, index: u64) -> Result<Option<LogEntry>, Problem> {
    if app.store.log_tree().await?.is_none_or(|tree| index >= tree.size) {
        return Ok(None);
    }
    parse_entry(&leaf(app, index).await?).map(Some)
}

fn parse_entry(leaf: &str) -> Result<LogEntry, Problem> {
    serde_json::from_str(leaf).map_err(Problem::fault)
}

/// Checks the proof that a log contains a leaf: `vkey` is the verifier key of the log, `proof` the audit path (base64). It
/// needs no registry, so a client can check what another registry sends.
///
/// # Errors
/// Why the proof is not valid.
pub fn check_proof(
    vkey: &str,
    checkpoint: &str,
    leaf: &str,
    index: u64,
    proof: &[String],
) -> Result<(), String> {
    let key: Box<dyn Verifier> =
        Box::new(StandardVerifier::new(vkey).map_err(|_| "the key of the log is invalid")?);
    let note = Note::from_bytes(checkpoint.as_bytes()).map_err(|_| "the checkpoint is not a signed note")?;
    note.verify(&VerifierList::new(vec![key]))
        .map_err(|_| "the key of the log did not sign the checkpoint")?;
    let checkpoint = Checkpoint::from_bytes(note.text()).map_err(|_| "the checkpoint cannot be read")?;
    let path: Result<_, _> = proof.iter().map(|hash| Hash::parse_hash(hash)).collect();
    let path = path.map_err(|_| "a hash of the proof cannot be read")?;
    let leaf = record_hash(leaf.as_bytes());
    check_record(&path, checkpoint.size(), *checkpoint.hash(), index, leaf)
        .map_err(|_| "the log does not contain the leaf".to_owned())
}

#[derive(Default)]
struct HashRecorder(RefCell<Vec<u64>>);

impl HashReader for HashRecorder {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog_tiles::Error> {
        self.0.borrow_mut().extend_from_slice(indexes);
        Ok(vec![Hash([0; 32]); indexes.len()])
    }
}

fn required_hashes<T>(prove: impl Fn(&HashRecorder) -> Result<T, tlog_tiles::Error>) -> Vec<u64> {
    let recorder = HashRecorder::default();
    // The result is meaningless, because all hashes are zero; only the requests matter.
    let _ = prove(&recorder);
    recorder.0.into_inner()
}

/// Proves that a tree of `size` leaves contains the tree of its first `old` leaves (RFC 6962 §2.1.2).
pub(super) async fn consistency(app: &App, size: u64, old: u64) -> Result<Vec<String>, Problem> {
    if old == 0 || old >= size {
        return Ok(Vec::new());
    }
    let required = required_hashes(|reader| prove_tree(size, old, reader));
    let hashes = hashes(app, required, size).await?;
    let proof = prove_tree(size, old, &hashes).map_err(tree_fault)?;
    Ok(proof.into_iter().map(write_hash).collect())
}

async fn hashes(app: &App, indexes: Vec<u64>, size: u64) -> Result<Hashes, Problem> {
    let tile_of = |index: u64| Tile::from_index(TILE_HEIGHT, index).parent(0, size);
    let mut tiles: Vec<Tile> = indexes.iter().filter_map(|index| tile_of(*index)).collect();
    tiles.sort_unstable_by_key(|tile| (tile.level(), tile.level_index()));
    tiles.dedup();
    let read = tiles
        .iter()
        .map(|tile| app.store.log_tile(LogTile::Hashes { level: tile.level(), index: tile.level_index() }));
    let contents = try_join_all(read).await?;
    let hash = |index: u64| {
        let (tile, bytes) =
            tiles.iter().zip(&contents).find(|(tile, _)| tile_of(index).as_ref() == Some(*tile))?;
        Some((index, tile.hash_at_index(bytes, index).ok()?))
    };
    let hashes: Option<_> = indexes.into_iter().map(hash).collect();
    hashes.map(Hashes).ok_or_else(|| Problem::fault("a tile of the log is incomplete"))
}

async fn leaf(app: &App, index: u64) -> Result<String, Problem> {
    let (tile, offset) = (LogTile::Entries { index: index / TILE_WIDTH }, index % TILE_WIDTH);
    let segment = app.store.log_tile_segment(tile, offset).await?;
    let entry = segment.and_then(|(first, bytes)| {
        log_entries(&bytes).nth(usize::try_from(offset.checked_sub(first)?).ok()?).map(<[u8]>::to_vec)
    });
    let text = entry.and_then(|entry| String::from_utf8(entry).ok());
    text.ok_or_else(|| Problem::fault("an entry of the log cannot be read"))
}
