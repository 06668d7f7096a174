//! `/dumps.json` and `/dumps/...`: the dumps of the last days. A part is served at its SHA-256, so caches can keep it for as
//! long as the registry stores it. One answer cannot contain a large dump, so there is no file with the latest dump: its
//! parts are gzip members, and whoever concatenates them has this file.

use super::document::{json, reused_for};
use crate::prelude::*;
use registry_features::federation::dump::{SCHEMA_PATH, schema};
use registry_features::trust::attestation::dump_token;
use registry_model::{DumpPart, LimitedAction};
use registry_store::{DUMP_RETENTION, LoggedDump};

/// Seconds for which the list, with its signature, is reused.
const REUSED_FOR_S: u32 = 300;
const PART_ENDING: &str = ".jsonl.gz";

/// The dumps of the last days.
#[derive(Debug, Serialize, JsonSchema)]
struct DumpList {
    ok: bool,
    /// The SPDX identifier of the license of the next dump. Null if this registry writes no dumps.
    license: Option<String>,
    /// How to read the dumps, or why there are none.
    note: String,
    /// The JSON Schema of a line.
    schema_url: String,
    /// The latest first.
    dumps: Vec<ShownDump>,
    /// A signature of the latest dump: a JWS in compact form (ES256, `dump+jwt`). Null without dumps.
    jws: Option<String>,
    /// The key set that verifies it.
    jwks_uri: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShownDump {
    /// The UTC day.
    day: String,
    /// When it was begun. Each listing is as it was at this time or later.
    begun_at: Moment,
    published_at: Moment,
    /// The SPDX identifier of the license of the data.
    license: String,
    /// The number of listings in all parts.
    listings: u64,
    /// In order: concatenated, they are the dump.
    parts: Vec<ShownPart>,
    /// The SHA-256 of the hashes of the parts, each followed by a line feed.
    sha256: String,
    /// The index of the leaf of the evidence log whose `evidence` is `sha256`. Absent for the minutes until it is in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_index: Option<u64>,
    /// The proof that the evidence log contains the checksum.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof_url: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShownPart {
    #[serde(flatten)]
    part: DumpPart,
    url: String,
}

impl ShownDump {
    fn of(app: &App, LoggedDump { dump, leaf_index }: LoggedDump) -> Self {
        let url = |part: &DumpPart| app.settings.url(&format!("/dumps/{}{PART_ENDING}", part.sha256));
        Self {
            day: dump.day,
            begun_at: dump.begun_at,
            published_at: dump.published_at,
            license: dump.license,
            listings: dump.listings,
            parts: dump.parts.into_iter().map(|part| ShownPart { url: url(&part), part }).collect(),
            sha256: dump.sha256,
            leaf_index,
            proof_url: leaf_index.map(|index| app.settings.url(&format!("/log/proof?index={index}"))),
        }
    }
}

pub static DUMPS: AnyDocument = AnyDocument {
    paths: &["/dumps.json"],
    summary: "The daily dumps of all public listings: license, checksums, and the URLs of their parts (compressed JSON \
        Lines). A signature and the evidence log prove the checksum.",
    max_age_s: Some(REUSED_FOR_S),
    validator: |app, _| reused_for(app, REUSED_FOR_S, &format!("dumps/{}", app.settings.base_url)),
    ..AnyDocument::of::<DumpList>(|app, _| Box::pin(dump_list(app)))
};

async fn dump_list(app: &App) -> Result<Bytes, Problem> {
    let dumps = app.store.dumps().await?;
    let jws = match dumps.first() {
        Some(latest) => Some(dump_token(app, &latest.dump).await?),
        None => None,
    };
    let note = match &app.settings.dump_license {
        None => "This registry writes no dumps: its operator has not set `DUMP_LICENSE`.",
        Some(_) if dumps.is_empty() => {
            "There is no dump now. One is written each day on which lists show a listing."
        }
        Some(_) => {
            "Download the parts of a dump in order and concatenate them: the result is a gzip file of JSON Lines. \
                 The checksum of a dump is the SHA-256 of the hashes of its parts, each followed by a line feed."
        }
    };
    json(&DumpList {
        ok: true,
        license: app.settings.dump_license.clone(),
        note: note.to_owned(),
        schema_url: app.settings.url(SCHEMA_PATH),
        dumps: dumps.into_iter().map(|dump| ShownDump::of(app, dump)).collect(),
        jws,
        jwks_uri: app.settings.url("/.well-known/jwks.json"),
    })
}

/// The path parameter is the SHA-256 of the part, with the ending of a file.
pub static DUMP_PART: AnyDocument = AnyDocument {
    paths: &["/dumps/{part}"],
    summary: "A part of a daily dump by its SHA-256 (`<sha256>.jsonl.gz`): compressed JSON Lines.",
    media_type: "application/gzip",
    max_age_s: Some(DUMP_RETENTION),
    headers: &[("cache-control", "immutable")],
    refusals: &[ErrorKind::NotFound, ErrorKind::RateLimited],
    // The name is the hash of the content, so a caller who has the part costs no read.
    validator: |_, request| Ok(part_hash(&request.path).map(CacheValidator::weak)),
    ..AnyDocument::of::<String>(|app, request| Box::pin(dump_part(app, request)))
};

fn part_hash(path: &str) -> Option<&str> {
    let hash = path.strip_prefix("/dumps/")?.strip_suffix(PART_ENDING)?;
    Some(hash).filter(|hash| hash.len() == 64)
}

async fn dump_part(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let name = request.path.strip_prefix("/dumps/").unwrap_or_default();
    let part = match part_hash(&request.path) {
        Some(hash) => {
            // A part has megabytes: few callers could use up the reads of the table.
            app.count(LimitedAction::Dump, &app.caller_digest(&request.caller).await?, None).await?;
            app.store.dump_part(hash).await?
        }
        None => None,
    };
    part.map(Bytes::from).ok_or_else(|| {
        let detail = format!(
            "No part of a dump has the name `{}`. Dumps are stored for {} days; `/dumps.json` lists them.",
            shorten(name, 80),
            DUMP_RETENTION / 86_400
        );
        Problem::new(Code::NoSuchDump, detail)
    })
}

pub static DUMP_SCHEMA: AnyDocument = AnyDocument {
    paths: &[SCHEMA_PATH],
    summary: "The JSON Schema of each line of a daily dump.",
    media_type: "application/schema+json",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<serde_json::Value>(|_, _| Box::pin(async { json(&schema()) }))
};
