//! A bucket: the stored entries whose ids have the same hash prefix. An update of one listing rewrites only
//! one bucket, however many listings there are. A bucket that becomes too big is split in two.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::embedding::Embedding;
use super::entry::{IndexEntry, IndexedListing};
use registry_model::{Access, Availability, HashPrefix, ListingId};
use registry_store::StoreError;

/// A bucket with more entries is split, so that updates stay small.
const MAX_ENTRIES: usize = 128;

/// A bucket with more bytes is split, well below the limit of 400 KB of a DynamoDB item.
const MAX_BYTES: usize = 200 * 1024;

/// A damaged header must not make a process allocate all memory. No valid bucket unpacks to more than this.
const MAX_UNPACKED_BYTES: usize = 32 * 1024 * 1024;

/// Bytes of the digest at the start.
const DIGEST_BYTES: usize = 8;

/// The entries of one bucket, which share a dictionary because they share most of their words. After them, the bytes contain
/// how entries are shown that are not open ([`OtherShown`]). Older versions of the registry do not read that far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    pub dictionary: Vec<String>,
    pub entries: Vec<BucketEntry>,
}

/// An entry, its words as positions in the dictionary of its bucket. The order of fields is the stored format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BucketEntry {
    pub listing: IndexedListing,
    pub stems: Vec<(u32, u16)>,
    pub words: Vec<u32>,
    pub embedding: Embedding,
}

/// The positions of the entries that are not open, each with whether it is Live and its access.
type OtherShown = Vec<(u32, bool, Access)>;

#[derive(Debug, thiserror::Error)]
#[error("cannot read a bucket of the index: {0}")]
pub struct Unreadable(String);

impl From<Unreadable> for StoreError {
    fn from(error: Unreadable) -> Self {
        Self::Fault(error.to_string())
    }
}

impl Bucket {
    pub fn of(mut entries: Vec<IndexEntry>) -> Self {
        entries.sort_by(|a, b| a.listing.id.as_str().cmp(b.listing.id.as_str()));
        let mut dictionary = Dictionary::default();
        let entries = entries.into_iter().map(|entry| BucketEntry {
            stems: entry.stems.into_iter().map(|(stem, weight)| (dictionary.place(stem), weight)).collect(),
            words: entry.words.into_iter().map(|word| dictionary.place(word)).collect(),
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

    fn others(&self) -> OtherShown {
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

    /// The bucket as bytes.
    pub fn write(&self) -> Result<Vec<u8>, Unreadable> {
        let unwritten = |error: postcard::Error| Unreadable(error.to_string());
        let mut plain = postcard::to_allocvec(self).map_err(unwritten)?;
        let others = self.others();
        if !others.is_empty() {
            plain.extend(postcard::to_allocvec(&others).map_err(unwritten)?);
        }
        let packed = lz4_flex::compress_prepend_size(&plain);
        Ok([digest(&packed).as_slice(), &packed].concat())
    }

    /// Reads the output of [`Bucket::write`]. Checks the digest, because a bucket with changed bytes may still parse.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let unreadable = |error: &dyn std::fmt::Display| Unreadable(error.to_string());
        let (head, packed) =
            bytes.split_first_chunk::<DIGEST_BYTES>().ok_or_else(|| unreadable(&"it is too short"))?;
        if *head != digest(packed) {
            return Err(unreadable(&"its digest does not match"));
        }
        let (size, _) = lz4_flex::block::uncompressed_size(packed).map_err(|error| unreadable(&error))?;
        if size > MAX_UNPACKED_BYTES {
            return Err(unreadable(&"it is too large"));
        }
        let plain = lz4_flex::decompress_size_prepended(packed).map_err(|error| unreadable(&error))?;
        let (mut bucket, rest): (Self, &[u8]) =
            postcard::take_from_bytes(&plain).map_err(|error| unreadable(&error))?;
        if !rest.is_empty() {
            let others: OtherShown = postcard::from_bytes(rest).map_err(|error| unreadable(&error))?;
            for (place, is_live, access) in others {
                let entry = bucket.entries.get_mut(place as usize);
                let entry = entry.ok_or_else(|| unreadable(&"an entry is missing"))?;
                entry.listing.shown = Availability { is_live, access };
            }
        }
        let places = bucket.dictionary.len();
        let sound = bucket.entries.iter().all(|entry| {
            let stems = entry.stems.iter().map(|(place, _)| place);
            stems.chain(&entry.words).all(|place| (*place as usize) < places)
        });
        if sound { Ok(bucket) } else { Err(Unreadable("a word is missing in its dictionary".to_owned())) }
    }
}

fn digest(packed: &[u8]) -> [u8; DIGEST_BYTES] {
    let digest: [u8; 32] = Sha256::digest(packed).into();
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
        return Err(Unreadable("too many ids have the same hash".to_owned()));
    };
    let (lower, higher): (Vec<IndexEntry>, Vec<IndexEntry>) =
        entries.into_iter().partition(|entry| low.holds(&entry.listing.id));
    let mut buckets = split(low, lower)?;
    buckets.extend(split(high, higher)?);
    Ok(buckets)
}

#[derive(Default)]
struct Dictionary {
    words: Vec<String>,
    places: HashMap<String, u32>,
}

impl Dictionary {
    fn place(&mut self, word: String) -> u32 {
        let next = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let words = &mut self.words;
        *self.places.entry(word).or_insert_with_key(|word| {
            words.push(word.clone());
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::IndexedText;
    use registry_model::Kind;

    fn entry(name: &str) -> IndexEntry {
        let id: ListingId = format!("mcp-{name}").parse().unwrap();
        let listing = IndexedListing {
            id,
            kind: Kind::Mcp,
            category: "other".to_owned(),
            name: name.to_owned(),
            registry_name: format!("org.example/{name}"),
            tags: Vec::new(),
            abilities: vec!["add".to_owned()],
            short_names: Vec::new(),
            publisher: "example.org".to_owned(),
            changed_at: 0,
            shown: Availability::OPEN,
        };
        IndexEntry::from_text(
            listing,
            &IndexedText {
                name: name.to_owned(),
                description: "Adds numbers.".into(),
                ..IndexedText::default()
            },
        )
    }

    #[test]
    fn bucket_is_unchanged_after_encoding_and_decoding() {
        let bucket = Bucket::of(vec![entry("one"), entry("two")]);
        assert_eq!(Bucket::read(&bucket.write().unwrap()).unwrap(), bucket);
        assert_eq!(bucket.unpacked(&bucket.entries[0]), entry("one"));
        assert!(Bucket::read(b"nonsense").is_err());
    }

    #[test]
    fn entries_that_are_not_open_are_stored_after_the_bucket() {
        let gated = Availability { is_live: false, access: Access::Gated };
        let mut other = entry("two");
        other.listing.shown = gated;
        let bucket = Bucket::of(vec![entry("one"), other]);
        let bytes = bucket.write().unwrap();
        assert_eq!(Bucket::read(&bytes).unwrap(), bucket);
        assert_eq!(bucket.unpacked(&bucket.entries[1]).listing.shown, gated);
        // An older version reads the same entries, as Live.
        let plain = lz4_flex::decompress_size_prepended(&bytes[DIGEST_BYTES..]).unwrap();
        let older: Bucket = postcard::from_bytes(&plain).unwrap();
        assert_eq!(older, Bucket::of(vec![entry("one"), entry("two")]));
    }

    #[test]
    fn every_damaged_byte_is_detected() {
        let sound = Bucket::of(vec![entry("one"), entry("two")]).write().unwrap();
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 0x40;
            assert!(Bucket::read(&damaged).is_err(), "byte {at}");
            assert!(Bucket::read(&sound[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn bucket_that_is_too_large_is_rejected() {
        let packed = [u32::MAX.to_le_bytes().as_slice(), &[0; 16]].concat();
        let error = Bucket::read(&[digest(&packed).as_slice(), &packed].concat()).unwrap_err();
        assert!(error.to_string().contains("too large"), "{error}");
    }

    #[test]
    fn entries_are_added_replaced_and_removed() {
        let before = Bucket::of(vec![entry("one"), entry("two")]);
        let mut changed = entry("two");
        changed.listing.name = "Two".to_owned();
        let gone = ["mcp-one".parse().unwrap()];
        let after =
            before.changed(HashPrefix::default(), vec![changed.clone(), entry("three")], &gone).unwrap();
        let [(prefix, bytes)] = &after[..] else { panic!("one bucket stays one") };
        assert_eq!(*prefix, HashPrefix::default());
        assert_eq!(Bucket::read(bytes).unwrap(), Bucket::of(vec![entry("three"), changed]));
    }

    /// Ids whose hashes begin with the same 32 bits are easy to find.
    #[test]
    fn entries_with_similar_hashes_are_split() {
        let [one, two] = ["h7240", "h8563"];
        let large = |name: &str, seed: u32| {
            let mut large = entry(name);
            large.words = (0..20_000).map(|n| format!("{:x}", (n + seed) ^ 0x9e37_79b9)).collect();
            large
        };
        let hash = |name: &str| registry_model::id_hash(&entry(name).listing.id);
        assert_eq!(hash(one) >> 32, hash(two) >> 32);
        let entries = vec![large(one, 0), large(two, 1_000_000), entry("small")];
        let buckets = Bucket::default().changed(HashPrefix::default(), entries, &[]).unwrap();
        let kept: usize = buckets.iter().map(|(_, bytes)| Bucket::read(bytes).unwrap().entries.len()).sum();
        assert_eq!(kept, 3);
        assert!(buckets.iter().any(|(prefix, _)| prefix.length() > 32), "{buckets:?}");
    }

    #[test]
    fn big_bucket_is_split_and_no_entry_is_lost_or_repeated() {
        let many: Vec<IndexEntry> = (0..300).map(|n| entry(&n.to_string())).collect();
        let buckets = Bucket::default().changed(HashPrefix::default(), many, &[]).unwrap();
        assert!(buckets.len() > 2);
        let mut seen = HashSet::new();
        for (prefix, bytes) in &buckets {
            assert_eq!(prefix.to_string().parse(), Ok(*prefix));
            let bucket = Bucket::read(bytes).unwrap();
            assert!(bucket.entries.len() <= MAX_ENTRIES);
            for entry in bucket.entries {
                assert!(prefix.holds(&entry.listing.id));
                assert!(buckets.iter().filter(|(prefix, _)| prefix.holds(&entry.listing.id)).count() == 1);
                seen.insert(entry.listing.id);
            }
        }
        assert_eq!(seen.len(), 300);
    }
}
