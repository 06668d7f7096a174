//! Reads the latest dump of another registry (`/dumps.json`). Nothing is sent before the signed evidence log of that registry
//! proves the checksum of the dump, and no line of a part before the hash of the part is checked.

use std::collections::VecDeque;
use std::io::Read as _;

use flate2::read::GzDecoder;
use http::StatusCode;
use registry::evidence_log::check_proof;
use registry::model::{DumpPart, LogEntry, LogEvent, dump_checksum, sha256_hex};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::batch::{Batch, SourceError};
use crate::mirror::job::Job;
use crate::mirror::progress::Progress;
use crate::mirror::retrying_client::RetryingClient;
use crate::mirror::sanitize::{MAX_NAME, sanitize};
use crate::mirror::server_entry::ServerEntry;
use crate::mirror::state::Position;

/// A part, uncompressed. Parts of this registry have at most 5,000 listings.
const MAX_PART_BYTES: u64 = 512 << 20;

#[derive(Debug)]
pub(in crate::mirror) struct Dump {
    retrying_client: RetryingClient,
    /// The URL of `/dumps.json`.
    list: Url,
    log_key: Option<String>,
    include_deprecated: bool,
    /// The checksum of the dump that an earlier run began; empty for the latest.
    sha256: String,
    /// Lines that were handled.
    handled: u64,
    progress: Progress,
    /// The parts that are left, each with the number of its first line; `None` before the dump is chosen.
    parts: Option<VecDeque<(u64, DumpPart)>>,
    total: Option<u64>,
}

#[derive(Deserialize)]
struct DumpList {
    dumps: Vec<OfferedDump>,
}

#[derive(Deserialize)]
struct OfferedDump {
    day: String,
    license: String,
    listings: u64,
    parts: Vec<DumpPart>,
    sha256: String,
    leaf_index: Option<u64>,
}

/// What `/log/proof` returns.
#[derive(Deserialize)]
struct Proof {
    leaf_text: String,
    proof: Vec<String>,
    checkpoint: String,
    vkey: String,
}

impl Dump {
    /// Starts at the beginning of the latest dump, or at the position of an earlier run.
    pub(in crate::mirror) fn new(
        retrying_client: RetryingClient,
        job: &Job,
        list: &Url,
        sha256: String,
        handled: u64,
        progress: Progress,
    ) -> Self {
        let (list, log_key, include_deprecated) = (list.clone(), job.log_key.clone(), job.include_deprecated);
        let (parts, total) = (None, None);
        Self { retrying_client, list, log_key, include_deprecated, sha256, handled, progress, parts, total }
    }

    pub(super) async fn next(&mut self) -> Result<Option<Batch>, SourceError> {
        if self.parts.is_none() {
            self.choose().await?;
        }
        while let Some((first, part)) = self.parts.as_mut().and_then(VecDeque::pop_front) {
            let skipped = self.handled.saturating_sub(first);
            if skipped < part.lines {
                let entries = self.entries(first, &part).await?;
                let entries =
                    entries.into_iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)).collect();
                let before = Position::Dump { sha256: self.sha256.clone(), handled: first + skipped };
                self.handled = first + part.lines;
                return Ok(Some(Batch { entries, before, after: None }));
            }
        }
        Ok(None)
    }

    pub(super) const fn total(&self) -> Option<u64> {
        self.total
    }

    /// Chooses the dump, and checks that the log contains its checksum.
    async fn choose(&mut self) -> Result<(), SourceError> {
        let list: DumpList = self.json(&self.list.clone()).await?;
        let is_wanted = |dump: &OfferedDump| self.sha256.is_empty() || dump.sha256 == self.sha256;
        let Some(dump) = list.dumps.into_iter().find(is_wanted) else {
            return Err(self.unusable(match self.sha256.as_str() {
                "" => "it contains no dump",
                _ => "the dump that the state file began is no longer offered; remove the state file to begin with the latest",
            }));
        };
        if dump_checksum(&dump.parts) != dump.sha256 {
            return Err(self.unusable("the hashes of the parts do not match the checksum of the dump"));
        }
        let Some(index) = dump.leaf_index else {
            return Err(self.unusable(
                "the checksum of the dump is not in the evidence log yet; try again in ten minutes",
            ));
        };
        let proof: Proof = self.json(&self.sibling(&format!("log/proof?index={index}"))).await?;
        let key = self.log_key.as_ref().unwrap_or(&proof.vkey);
        check_proof(key, &proof.checkpoint, &proof.leaf_text, index, &proof.proof)
            .map_err(|why| self.unusable(&why))?;
        let leaf: Option<LogEntry> = serde_json::from_str(&proof.leaf_text).ok();
        if !leaf
            .is_some_and(|leaf| leaf.event == LogEvent::Dump && leaf.evidence.as_ref() == Some(&dump.sha256))
        {
            return Err(self.unusable("the leaf in the evidence log has another checksum"));
        }
        let [day, license, key] = [&dump.day, &dump.license, key].map(|text| sanitize(text, MAX_NAME));
        self.progress.note(&format!(
            "dump of {day}: {} listings, license {license}; leaf {index} of the log with the key {key}",
            dump.listings
        ));
        let mut first = 0;
        let mut parts = VecDeque::new();
        for part in dump.parts {
            let lines = part.lines;
            parts.push_back((first, part));
            first += lines;
        }
        (self.parts, self.total, self.sha256) = (Some(parts), Some(first), dump.sha256);
        Ok(())
    }

    /// The entries of a part. Its bytes must have the hash in the list.
    async fn entries(&self, first: u64, part: &DumpPart) -> Result<Vec<ServerEntry>, SourceError> {
        let bytes = self.get(&self.sibling(&format!("dumps/{}.jsonl.gz", part.sha256))).await?;
        let damaged = |why: &str| self.unusable(&format!("the part {} {why}", part.sha256));
        if sha256_hex(&bytes) != part.sha256 {
            return Err(damaged("is damaged: its SHA-256 differs"));
        }
        let mut text = String::new();
        let read = GzDecoder::new(&bytes[..]).take(MAX_PART_BYTES + 1).read_to_string(&mut text);
        if read.is_err() || text.len() as u64 > MAX_PART_BYTES || text.lines().count() as u64 != part.lines {
            return Err(damaged("is not what the list describes"));
        }
        let entry = |(number, line): (u64, &str)| {
            let place = format!("line {} of the dump", number + 1);
            match serde_json::from_str::<Value>(line) {
                Ok(value) => ServerEntry::read(value, place, self.include_deprecated),
                Err(error) => ServerEntry::invalid(place, "not_json", format!("Invalid JSON ({error}).")),
            }
        };
        Ok((first..).zip(text.lines()).map(entry).collect())
    }

    async fn json<T: DeserializeOwned>(&self, url: &Url) -> Result<T, SourceError> {
        let body = self.get(url).await?;
        serde_json::from_slice(&body)
            .map_err(|error| self.unusable(&format!("{url} is not readable ({error})")))
    }

    async fn get(&self, url: &Url) -> Result<Vec<u8>, SourceError> {
        let answer = self.retrying_client.send(|client| client.get(url.clone())).await?;
        match answer.status {
            StatusCode::OK => Ok(answer.body),
            status => Err(self.unusable(&format!("{url} answers {status}"))),
        }
    }

    /// A path of the same registry. URLs in the list could lead elsewhere.
    fn sibling(&self, path: &str) -> Url {
        self.list.join(path).unwrap_or_else(|_| self.list.clone())
    }

    fn unusable(&self, why: &str) -> SourceError {
        SourceError::Dump { url: self.list.clone(), why: why.to_owned() }
    }
}
