//! `/log`: the log of evidence as C2SP `tlog-tiles` serves logs, its signed checkpoint and its tiles, and a page that
//! says what it is and by which key it is verified.

use bytes::Bytes;
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::document::{Document, DocumentRequest, NoQuery, json as written};
use registry_app::App;
use registry_domain::evidence_log::entries;
use registry_model::error::{Problem, shorten};
use registry_model::{LogTile, LogTree, Moment};

const HASH_SIZE: usize = 32;

const YEAR_S: u32 = 31_536_000;

/// What the log is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AboutLog {
    ok: bool,
    /// The specifications that it follows.
    specifications: [&'static str; 4],
    /// Its name, which its checkpoints begin with.
    origin: String,
    /// Its public key, as clients of signed notes read it.
    vkey: String,
    tree_size: u64,
    /// Base64.
    root_hash: String,
    signed_at: Moment,
    /// What clients of tiled logs take as its address.
    prefix: String,
    checkpoint_url: String,
    /// `{level}` from 0, `{tile}` in groups of three digits such as `x001/234`; `.p/{width}` follows where it is not full.
    tile_url: String,
    entries_url: String,
    /// The proof of one leaf.
    proof_url: String,
    /// What the leaves tell.
    leaves: &'static str,
}

impl Document for AboutLog {
    const PATHS: &'static [&'static str] = &["/log"];
    const SUMMARY: &'static str = "What the log of evidence is, and by which key it is verified.";
    const MAX_AGE_S: Option<u32> = Some(30);
    const REFUSALS: &'static [u16] = &[404];
    type Query = NoQuery;
    type Answer = Self;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let LogTree { origin, vkey, size, root, at, .. } = tree(app).await?;
        let url = |path: &str| app.settings.url(path);
        written(&AboutLog {
            ok: true,
            specifications: [
                "https://c2sp.org/tlog-tiles",
                "https://c2sp.org/tlog-checkpoint",
                "https://c2sp.org/signed-note",
                "https://c2sp.org/tlog-proof",
            ],
            origin,
            vkey,
            tree_size: size,
            root_hash: root,
            signed_at: at,
            prefix: url("/log"),
            checkpoint_url: url(Checkpoint::PATHS[0]),
            tile_url: url("/log/tile/{level}/{tile}"),
            entries_url: url("/log/tile/entries/{tile}"),
            proof_url: url("/log/proof?listing_id={listing_id}&at={day}"),
            leaves: "Each entry is canonical JSON (RFC 8785): `event` (live, confirmed, ended, demoted, withdrawn \
                or attested) of a `listing_id` `at` a time, with the `outcome` of the handshake, SHA-256 of \
                the stored `evidence` and of the `endpoint` that was asked, and the code of the `reason`.",
        })
    }
}

#[derive(Debug)]
pub(super) struct Checkpoint;

impl Document for Checkpoint {
    const PATHS: &'static [&'static str] = &["/log/checkpoint"];
    const SUMMARY: &'static str = "The signed checkpoint of the log of evidence (C2SP tlog-checkpoint).";
    const MEDIA_TYPE: &'static str = "text/plain; charset=utf-8";
    const REFUSALS: &'static [u16] = &[404];
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(tree(app).await?.checkpoint.into())
    }
}

#[derive(Debug)]
pub(super) struct Tiles;

impl Document for Tiles {
    const PATHS: &'static [&'static str] = &["/log/tile/{*tile}"];
    const SUMMARY: &'static str = "A tile of the log of evidence (C2SP tlog-tiles).";
    const MEDIA_TYPE: &'static str = "application/octet-stream";
    const MAX_AGE_S: Option<u32> = Some(YEAR_S);
    const HEADERS: &'static [(&'static str, &'static str)] = &[("cache-control", "immutable")];
    const REFUSALS: &'static [u16] = &[404];
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let path = request.path.strip_prefix("/log/tile/").unwrap_or_default();
        let asked = LogTile::parse(path).ok_or_else(|| no_such_tile(path))?;
        let (tile, width) = asked;
        // The tree first: what it holds is in the tiles.
        let size = tree(app).await?.size;
        if tile.width_in(size) < width {
            return Err(no_such_tile(path));
        }
        let held = app.store.log_tile(tile).await?;
        let items = usize::try_from(width).unwrap_or(usize::MAX);
        let length = match tile {
            LogTile::Hashes { .. } => items.saturating_mul(HASH_SIZE),
            LogTile::Entries { .. } => entries(&held).take(items).map(|entry| 2 + entry.len()).sum(),
        };
        let served = Bytes::from(held);
        if served.len() < length {
            return Err(Problem::fault("a tile of the log is incomplete"));
        }
        Ok(served.slice(..length))
    }
}

async fn tree(app: &App) -> Result<LogTree, Problem> {
    app.store.log_tree().await?.ok_or_else(|| {
        let detail =
            "The log of evidence is made when this registry first probes; ask again in some minutes.";
        Problem::new(StatusCode::NOT_FOUND, "no_log_yet", detail)
    })
}

fn no_such_tile(path: &str) -> Problem {
    let detail = format!("The tree has no tile `{}`, or not yet.", shorten(path, 80));
    let next = json!({
        "action": "read_checkpoint", "method": "GET", "url": "/log/checkpoint",
        "note": "The size in the checkpoint tells which tiles there are.",
    });
    Problem::new(StatusCode::NOT_FOUND, "no_such_tile", detail).with_next(next)
}
