//! A dump: every listing that the public lists contain, as compressed JSON Lines in parts. A part is named by its
//! SHA-256, so it never changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Moment, sha256_hex};

/// A dump that is complete. It is stored together with the leaf of the evidence log that contains its checksum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dump {
    /// The UTC day.
    pub day: String,
    /// When it was begun. Each listing is as it was at this time or later.
    pub begun_at: Moment,
    pub published_at: Moment,
    /// The SPDX identifier of the license of the data.
    pub license: String,
    /// The number of listings in all parts.
    pub listings: u64,
    /// In order. Together they are the dump: gzip members can be concatenated.
    pub parts: Vec<DumpPart>,
    /// The checksum: the SHA-256 of the hashes of the parts, each followed by a line feed. It is `evidence` of the leaf.
    pub sha256: String,
}

/// A gzip member that contains whole lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DumpPart {
    /// The SHA-256 of its compressed bytes.
    pub sha256: String,
    /// Its compressed size.
    pub bytes: u64,
    pub lines: u64,
}

/// A dump that is not complete yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedDump {
    pub day: String,
    pub begun_at: Moment,
    pub license: String,
    pub parts: Vec<DumpPart>,
    /// After which listing the next part begins; `None` at the start.
    pub after: Option<String>,
}

impl UnfinishedDump {
    /// The complete dump. Its first line is its header.
    pub fn finished(self, published_at: Moment) -> Dump {
        let Self { day, begun_at, license, parts, after: _ } = self;
        let lines: u64 = parts.iter().map(|part| part.lines).sum();
        let sha256 = dump_checksum(&parts);
        Dump { day, begun_at, published_at, license, listings: lines.saturating_sub(1), parts, sha256 }
    }
}

pub fn dump_checksum(parts: &[DumpPart]) -> String {
    sha256_hex(parts.iter().map(|part| format!("{}\n", part.sha256)).collect::<String>())
}
