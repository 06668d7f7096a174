//! Reads the latest dump of another registry (`/dumps.json`) part by part. No line is used before the signed evidence log of that
//! registry proves the checksum of the dump, and the bytes of the part have the hash in the list.

use std::io::Read as _;

use flate2::read::GzDecoder;
use jiff::SignedDuration;
use url::Url;

use crate::federation::imports::candidate::{Candidate, Page};
use crate::federation::imports::client::{Client, SourceError};
use crate::log::check_proof;
use crate::prelude::*;
use registry_model::{DumpPart, LogEntry, LogEvent, dump_checksum, json, sha256_hex};

/// A dump is made once a day. The log also proves older dumps, in which delisted servers are still listed.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(72);
/// A part, uncompressed. Parts of this registry have at most 5,000 listings.
const MAX_PART_BYTES: u64 = 64 << 20;
const MAX_PART_LINES: u64 = 10_000;
/// In a line, which is parsed only while its listing is published: a value takes forty times as many bytes as its text.
const MAX_LINE_VALUES: usize = 20_000;

#[derive(Deserialize)]
struct DumpList {
    dumps: Vec<OfferedDump>,
}

#[derive(Deserialize)]
struct OfferedDump {
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

/// The entries of the part at a cursor, and the cursor of the next part. A cursor is the checksum of the dump and the number of
/// the part; if that dump is no longer offered, the latest dump is read from its beginning.
pub(super) async fn part(
    client: &Client,
    list: &Url,
    log_key: Option<&str>,
    cursor: Option<&str>,
) -> Result<Page, SourceError> {
    let unusable = |why: &str| SourceError::new(list.as_str(), "unusable_dump", format!("the dump {why}"));
    let offered: DumpList = client.read(list.as_str()).await?;
    let begun = cursor.and_then(|cursor| cursor.split_once(' '));
    let begun = begun.and_then(|(sha256, number)| {
        Some((offered.dumps.iter().find(|dump| dump.sha256 == sha256)?, number.parse().ok()?))
    });
    let (dump, number): (&OfferedDump, usize) =
        begun.or_else(|| Some((offered.dumps.first()?, 0))).ok_or_else(|| unusable("does not exist"))?;
    let logged_at = check(client, list, log_key, dump).await?;
    if begun.is_none() && client.clock.now().duration_since(logged_at) > MAX_AGE {
        return Err(unusable("is older than three days; its registry may hide newer ones"));
    }
    let part = dump.parts.get(number).ok_or_else(|| unusable("has no such part"))?;
    let url = sibling(list, &format!("dumps/{}.jsonl.gz", part.sha256));
    let bytes = client.get(&url).await?.body;
    if sha256_hex(&bytes) != part.sha256 {
        return Err(unusable("is damaged: the SHA-256 of a part differs"));
    }
    let mut text = String::new();
    let read = GzDecoder::new(&bytes[..]).take(MAX_PART_BYTES + 1).read_to_string(&mut text);
    if read.is_err()
        || text.len() as u64 > MAX_PART_BYTES
        || part.lines > MAX_PART_LINES
        || text.lines().count() as u64 != part.lines
    {
        return Err(unusable("has a part that is not what the list describes"));
    }
    let candidates = listings(&text).map_err(|error| {
        unusable(&format!("has a line that is not JSON, or has too many values: {error}"))
    })?;
    let next = number + 1;
    let next = (next < dump.parts.len()).then(|| format!("{} {next}", dump.sha256));
    Ok(Page { candidates: Box::new(candidates), next })
}

/// The listings of a part, if all its lines can be read.
fn listings(text: &str) -> Result<impl Iterator<Item = Candidate> + use<>, serde_json::Error> {
    let parse = |line: &str| json::parse_limited(line.as_bytes(), &mut { MAX_LINE_VALUES });
    text.lines().try_for_each(|line| parse(line).map(drop))?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // A line is a listing or the header, never a list that would become many.
    let is_listing = |line: &Value| line.get("listing").is_some();
    let read = lines.into_iter().filter_map(move |line| parse(&line).ok());
    Ok(read.filter(is_listing).map(|line| Candidate::of(&line)))
}

/// Checks that the log contains the checksum of the dump; returns since when.
async fn check(
    client: &Client,
    list: &Url,
    log_key: Option<&str>,
    dump: &OfferedDump,
) -> Result<Moment, SourceError> {
    let unusable = |why: &str| SourceError::new(list.as_str(), "unusable_dump", format!("the dump {why}"));
    if dump_checksum(&dump.parts) != dump.sha256 {
        return Err(unusable("has parts whose hashes do not match the checksum"));
    }
    let Some(index) = dump.leaf_index else {
        return Err(unusable("is not in the evidence log yet; try again in ten minutes"));
    };
    let proof: Proof = client.read(&sibling(list, &format!("log/proof?index={index}"))).await?;
    let key = log_key.unwrap_or(&proof.vkey);
    check_proof(key, &proof.checkpoint, &proof.leaf_text, index, &proof.proof)
        .map_err(|why| unusable(&format!("is not proven: {why}")))?;
    let leaf: Option<LogEntry> = serde_json::from_str(&proof.leaf_text).ok();
    let of_dump =
        |leaf: &LogEntry| leaf.event == LogEvent::Dump && leaf.evidence.as_ref() == Some(&dump.sha256);
    let proven = leaf.filter(of_dump).map(|leaf| leaf.at);
    proven.ok_or_else(|| unusable("has another checksum in the evidence log"))
}

/// A path of the same registry. URLs in the list could lead elsewhere.
fn sibling(list: &Url, path: &str) -> String {
    list.join(path).map_or_else(|_| list.to_string(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_a_part_has_a_limit_and_a_part_has_none() {
        let line = |zeros: usize| {
            let listing =
                json!({ "listing": { "listing_id": "a" }, "url": "https://a.example/", "x": vec![0; zeros] });
            format!("{listing}\n")
        };
        let header = "{\"schema\":\"dump\"}\n";
        let part = header.to_owned() + &line(15_000).repeat(200);
        assert_eq!(listings(&part).unwrap().filter(|candidate| candidate.bodies.len() == 1).count(), 200);
        assert!(listings(&(header.to_owned() + &line(1) + &line(20_000))).is_err());
        assert!(listings("{\"listing\":").is_err());
    }
}
