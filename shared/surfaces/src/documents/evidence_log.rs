//! `/log`: the evidence log in the format of C2SP `tlog-tiles`. The paths return the signed checkpoint, the
//! tiles, and a document about the log with its public key.

use super::document::json as json_bytes;
use crate::prelude::*;
use registry_features::log::{self, Published};
use registry_model::{Lane, LogTile, LogTree, NextStep, SecondKey, WitnessState, log_entries};

const HASH_SIZE: usize = 32;

const YEAR_S: u32 = 31_536_000;

#[derive(Debug, Serialize, JsonSchema)]
struct AboutLog {
    ok: bool,
    specifications: [&'static str; 6],
    /// The name of the log; its checkpoints begin with it.
    origin: String,
    /// The public key, in the form of signed notes.
    vkey: String,
    /// The second key that signs checkpoints, during a change of keys: the next or the previous key.
    #[serde(skip_serializing_if = "Option::is_none")]
    second_key: Option<SecondKey>,
    /// The witnesses that cosign checkpoints, with their last answers.
    witnesses: Vec<WitnessState>,
    tree_size: u64,
    /// The root hash, base64.
    root_hash: String,
    signed_at: Moment,
    /// The URL prefix for clients of tiled logs.
    prefix: String,
    checkpoint_url: String,
    /// `{level}` starts at 0; `{tile}` is written in groups of three digits, such as `x001/234`; a partial tile ends with `.p/{width}`.
    tile_url: String,
    entries_url: String,
    /// The URL of the inclusion proof of one entry.
    proof_url: String,
    /// The URL of the evidence that an entry commits to.
    evidence_url: String,
    /// The URL of a tool set, or of the definition of a tool, by its hash.
    tools_url: String,
    /// What the entries contain.
    leaves: &'static str,
}

pub static ABOUT_LOG: AnyDocument = AnyDocument {
    paths: &["/log"],
    summary: "A description of the evidence log, with the key that verifies it.",
    max_age_s: Some(30),
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<AboutLog>(|app, _| Box::pin(about(app)))
};

async fn about(app: &App) -> Result<Bytes, Problem> {
    let Published { tree, witnesses } = published(app).await?;
    let LogTree { origin, vkey, size, root, at, second_key, .. } = tree;
    let url = |path: &str| app.settings.url(path);
    json_bytes(&AboutLog {
        ok: true,
        specifications: [
            "https://c2sp.org/tlog-tiles",
            "https://c2sp.org/tlog-checkpoint",
            "https://c2sp.org/signed-note",
            "https://c2sp.org/tlog-proof",
            "https://c2sp.org/tlog-cosignature",
            "https://c2sp.org/tlog-witness",
        ],
        origin,
        vkey,
        second_key,
        witnesses,
        tree_size: size,
        root_hash: root,
        signed_at: at,
        prefix: url("/log"),
        checkpoint_url: url(LOG_CHECKPOINT.paths[0]),
        tile_url: url("/log/tile/{level}/{tile}"),
        entries_url: url("/log/tile/entries/{tile}"),
        proof_url: url("/log/proof?listing_id={listing_id}&at={day}"),
        evidence_url: url("/log/evidence/{index}"),
        tools_url: url("/tools/{hash}"),
        leaves: "Each entry is canonical JSON (RFC 8785). It contains the `listing_id`, the `event` \
                (live, confirmed, gated, ended, demoted, withdrawn or restored) and its time `at`. `live`, `confirmed` and `gated` \
                count for `recheck_days` (/api/catalog), unless a later entry ends them. It also contains the `outcome` of the handshake and the code of the `reason`. \
                `evidence` and `endpoint` are SHA-256 hashes of the stored evidence and of the probed \
                endpoint; the evidence is at `evidence_url` for at most 400 days, unless a withdrawal ended it. `tools` is the hash of the tool set \
                that the probe of an MCP server saw; the set and its tools are at `tools_url`. Three events belong to no listing: `attestations` contains the Merkle root of \
                the attestations of an hour, `next_key` the next key of the log, and `dump` the checksum of a daily dump.",
    })
}

pub static LOG_CHECKPOINT: AnyDocument = AnyDocument {
    paths: &["/log/checkpoint"],
    summary: "The signed checkpoint of the evidence log (C2SP tlog-checkpoint).",
    media_type: "text/plain; charset=utf-8",
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<String>(|app, _| Box::pin(async { Ok(published(app).await?.tree.checkpoint.into()) }))
};

pub static LOG_TILES: AnyDocument = AnyDocument {
    paths: &["/log/tile/{*tile}"],
    summary: "A tile of the evidence log (C2SP tlog-tiles).",
    media_type: "application/octet-stream",
    max_age_s: Some(YEAR_S),
    headers: &[("cache-control", "immutable")],
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<String>(|app, request| Box::pin(tile(app, request)))
};

async fn tile(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let path = request.path.strip_prefix("/log/tile/").unwrap_or_default();
    let (tile, width) = LogTile::parse(path).ok_or_else(|| no_such_tile(&app.settings, path))?;
    // The tree first: its entries are certainly in the tiles.
    let size = app.store.log_tree().await?.ok_or_else(no_log_yet)?.size;
    if tile.width_in(size) < width {
        return Err(no_such_tile(&app.settings, path));
    }
    let bytes = app.store.log_tile(tile).await?;
    let items = usize::try_from(width).unwrap_or(usize::MAX);
    let length = match tile {
        LogTile::Hashes { .. } => items.saturating_mul(HASH_SIZE),
        LogTile::Entries { .. } => log_entries(&bytes).take(items).map(|entry| 2 + entry.len()).sum(),
    };
    let served = Bytes::from(bytes);
    if served.len() < length {
        return Err(Problem::fault("a tile of the log is incomplete"));
    }
    Ok(served.slice(..length))
}

/// The path parameter is the index of a leaf. The evidence is a record of one probe, in the form of the version that
/// wrote it.
pub static LOG_EVIDENCE: AnyDocument = AnyDocument {
    paths: &["/log/evidence/{index}"],
    summary: "The evidence of a decision in the evidence log: the bytes whose SHA-256 is `evidence` in the leaf with \
        this index.",
    max_age_s: Some(300),
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<serde_json::Map<String, serde_json::Value>>(|app, request| {
        Box::pin(evidence(app, request))
    })
};

async fn evidence(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let index = request.path.rsplit('/').next().unwrap_or_default();
    let index: u64 = index.parse().map_err(|_| no_evidence("The index of a leaf is a number."))?;
    let entry = log::entry(app, index).await?;
    let entry = entry.ok_or_else(|| no_evidence("The evidence log has no such leaf yet."))?;
    let (Some(id), Some(hash)) = (&entry.listing_id, &entry.evidence) else {
        return Err(no_evidence(
            "This leaf commits to no evidence of a probe. The root of attestations is proven with \
                 /log/proof?listing_id=...&attestation_id=..., and the checksum of a dump is in /dumps.json.",
        ));
    };
    let listing = app.store.listing(id).await?;
    let is_shown = listing.is_some_and(|listing| listing.lane != Lane::Withdrawn);
    let evidence = if is_shown { app.store.leaf_evidence(id, hash).await? } else { None };
    evidence.map(Bytes::from).ok_or_else(|| {
        no_evidence(
            "The evidence of this leaf is not available: it is stored for 400 days, and not shown after the listing \
                 was withdrawn. Earlier versions stored only the evidence of the last probe.",
        )
    })
}

fn no_evidence(detail: &str) -> Problem {
    Problem::new(Code::NoEvidence, detail)
}

async fn published(app: &App) -> Result<Published, Problem> {
    log::published(app).await?.ok_or_else(no_log_yet)
}

fn no_log_yet() -> Problem {
    let detail = "There is no evidence log yet: it starts with its first entry.";
    Problem::new(Code::NoLogYet, detail)
}

fn no_such_tile(settings: &Settings, path: &str) -> Problem {
    let detail = format!("No such tile (yet): `{}`.", shorten(path, 80));
    let next = NextStep::open(
        "read_checkpoint",
        settings.url("/log/checkpoint"),
        "The tree size in the checkpoint determines which tiles exist.",
    );
    Problem::new(Code::NoSuchTile, detail).with_next(next)
}
