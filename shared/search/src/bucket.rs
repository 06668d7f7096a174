//! A bucket: the stored entries whose ids have the same hash prefix. An update of one listing rewrites only
//! one bucket, however many listings there are. A bucket that becomes too big is split in two.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::embedding::Embedding;
use super::entry::{IndexEntry, IndexedListing};
use registry_model::error::Source;
use registry_model::{Access, Availability, HashPrefix, ListingId};
use registry_store::StoreError;

/// A bucket with more entries is split, so that updates stay small.
const MAX_ENTRIES: usize = 128;

/// A bucket with more bytes is split. A write of it in a transaction costs two units for each KB, and so at most a tenth of
/// the units that a partition key has in a second.
const MAX_BYTES: usize = 48 * 1024;

/// The format that [`Bucket::write`] writes; each change needs a new number. [`Bucket::read`] also reads the one before.
///
/// A stored bucket begins with this byte. After it come a digest over the byte and the packed entries, then these entries.
/// This frame must never change, so that older code recognizes a newer format.
const FORMAT: u8 = 2;

/// The oldest format that [`Bucket::read`] reads. Its entries have embeddings of another model, see [`Embedding::is_outdated`].
const OLDEST: u8 = 1;

const DIGEST_BYTES: usize = 8;

/// The entries of one bucket, which share a dictionary because they share most of their words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    pub dictionary: Vec<String>,
    pub entries: Vec<BucketEntry>,
}

/// An entry, its words as positions in the dictionary of its bucket. The order of fields is part of [`FORMAT`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketEntry {
    pub listing: IndexedListing,
    pub stems: Vec<(u32, u16)>,
    pub words: Vec<u32>,
    pub embedding: Embedding,
}

/// The positions of the entries that are not open, each with whether it is Live and its access. Stored after the bucket.
type OtherAvailabilities = Vec<(u32, bool, Access)>;

#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("cannot read a bucket of the index")]
    Damaged(#[source] Source),
    /// Undamaged, so it must not be repaired or overwritten.
    #[error("a newer version of the registry wrote a bucket of the index, in format {0}")]
    Newer(u8),
}

impl From<Unreadable> for StoreError {
    fn from(error: Unreadable) -> Self {
        Self::Fault(error.into())
    }
}

fn damaged(source: impl Into<Source>) -> Unreadable {
    Unreadable::Damaged(source.into())
}

impl Bucket {
    /// Whether an entry has no words, because a search backend has them.
    pub(super) fn is_light(&self) -> bool {
        self.entries.iter().any(|entry| entry.embedding.is_elsewhere())
    }

    pub fn of(mut entries: Vec<IndexEntry>) -> Self {
        entries.sort_by(|a, b| a.listing.id.as_str().cmp(b.listing.id.as_str()));
        let mut dictionary = Dictionary::default();
        let entries = entries.into_iter().map(|entry| BucketEntry {
            stems: entry.stems.into_iter().map(|(stem, weight)| (dictionary.number(stem), weight)).collect(),
            words: entry.words.into_iter().map(|word| dictionary.number(word)).collect(),
            listing: entry.listing,
            embedding: entry.embedding,
        });
        let entries = entries.collect();
        Self { dictionary: dictionary.words, entries }
    }

    /// Adds, replaces and removes entries. Returns the encoded buckets: more than one if it became too big.
    pub fn changed(
        &self,
        prefix: HashPrefix,
        upserted: Vec<IndexEntry>,
        removed: &[ListingId],
    ) -> Result<Vec<(HashPrefix, Vec<u8>)>, Unreadable> {
        let ids = upserted.iter().map(|entry| &entry.listing.id).chain(removed);
        let replaced: HashSet<&str> = ids.map(ListingId::as_str).collect();
        let stays = |entry: &&BucketEntry| !replaced.contains(entry.listing.id.as_str());
        let mut entries: Vec<IndexEntry> =
            self.entries.iter().filter(stays).map(|entry| self.unpacked(entry)).collect();
        drop(replaced);
        entries.extend(upserted);
        split(prefix, entries)
    }

    fn other_availabilities(&self) -> OtherAvailabilities {
        let entries = (0..).zip(&self.entries).map(|(place, entry)| (place, entry.listing.shown));
        let others = entries.filter(|(_, shown)| *shown != Availability::OPEN);
        others.map(|(place, shown)| (place, shown.is_live, shown.access)).collect()
    }

    fn unpacked(&self, entry: &BucketEntry) -> IndexEntry {
        let word = |place: &u32| self.dictionary.get(*place as usize).cloned().unwrap_or_default();
        IndexEntry {
            listing: entry.listing.clone(),
            stems: entry.stems.iter().map(|(place, weight)| (word(place), *weight)).collect(),
            words: entry.words.iter().map(word).collect(),
            embedding: entry.embedding.clone(),
        }
    }

    pub fn write(&self) -> Result<Vec<u8>, Unreadable> {
        let plain = postcard::to_allocvec(&(self, self.other_availabilities()));
        let plain = plain.map_err(damaged)?;
        Ok(framed(FORMAT, &lz4_flex::compress_prepend_size(&plain)))
    }

    /// Reads the output of [`Bucket::write`]. Checks the digest, because a bucket with changed bytes may still parse.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let (format, packed) = unframed(bytes).ok_or_else(|| damaged("its digest does not match"))?;
        if format > FORMAT {
            return Err(Unreadable::Newer(format));
        }
        if format < OLDEST {
            return Err(damaged("its format is too old"));
        }
        let (size, _) = lz4_flex::block::uncompressed_size(packed).map_err(damaged)?;
        // A damaged header must not make a process allocate all memory. No valid bucket unpacks to more than this.
        if size > 32 * 1024 * 1024 {
            return Err(damaged("it is too large"));
        }
        let plain = lz4_flex::decompress_size_prepended(packed).map_err(damaged)?;
        let (mut bucket, rest): (Self, &[u8]) = postcard::take_from_bytes(&plain).map_err(damaged)?;
        let others: OtherAvailabilities = postcard::from_bytes(rest).map_err(damaged)?;
        for (place, is_live, access) in others {
            let entry = bucket.entries.get_mut(place as usize);
            let entry = entry.ok_or_else(|| damaged("an entry is missing"))?;
            entry.listing.shown = Availability { is_live, access };
        }
        let places = bucket.dictionary.len();
        let sound = bucket.entries.iter().all(|entry| {
            let stems = entry.stems.iter().map(|(place, _)| place);
            stems.chain(&entry.words).all(|place| (*place as usize) < places)
        });
        if sound { Ok(bucket) } else { Err(damaged("a word is missing in its dictionary")) }
    }
}

fn framed(format: u8, packed: &[u8]) -> Vec<u8> {
    [&[format], digest(&[&[format], packed]).as_slice(), packed].concat()
}

/// The format and the packed entries; `None` if the digest does not match.
fn unframed(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (format, rest) = bytes.split_first_chunk::<1>()?;
    let (head, packed) = rest.split_first_chunk()?;
    (*head == digest(&[format, packed])).then_some((format[0], packed))
}

fn digest(parts: &[&[u8]]) -> [u8; DIGEST_BYTES] {
    let hasher = parts.iter().fold(Sha256::new(), |hasher, part| hasher.chain_update(part));
    let digest: [u8; 32] = hasher.finalize().into();
    std::array::from_fn(|at| digest[at])
}

fn split(prefix: HashPrefix, entries: Vec<IndexEntry>) -> Result<Vec<(HashPrefix, Vec<u8>)>, Unreadable> {
    // The list of all buckets must fit into one item, so a bucket without entries is not stored.
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let small = entries.len() <= MAX_ENTRIES;
    let bytes = if small { Bucket::of(entries.clone()).write()? } else { Vec::new() };
    if (small && bytes.len() <= MAX_BYTES) || entries.len() <= 1 {
        return Ok(vec![(prefix, bytes)]);
    }
    let Some([low, high]) = prefix.halves() else {
        return Err(damaged("too many ids have the same hash"));
    };
    let (lower, higher): (Vec<IndexEntry>, Vec<IndexEntry>) =
        entries.into_iter().partition(|entry| low.matches(&entry.listing.id));
    let mut buckets = split(low, lower)?;
    buckets.extend(split(high, higher)?);
    Ok(buckets)
}

#[derive(Default)]
struct Dictionary {
    words: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Dictionary {
    fn number(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let words = &mut self.words;
        *self.numbers.entry(word).or_insert_with_key(|word| {
            words.push(word.clone());
            next
        })
    }
}

#[cfg(test)]
mod tests;
