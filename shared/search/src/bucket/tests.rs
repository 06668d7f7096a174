use super::*;
use crate::entry::IndexedText;

fn entry(name: &str) -> IndexEntry {
    let listing = IndexedListing {
        name: name.to_owned(),
        registry_name: format!("org.example/{name}"),
        abilities: vec!["add".to_owned()],
        publisher: "example.org".to_owned(),
        ..IndexedListing::example(&format!("mcp-{name}"))
    };
    IndexEntry::from_text(
        listing,
        &IndexedText { name: name.to_owned(), description: "Adds numbers.".into(), ..IndexedText::default() },
    )
}

/// Of two entries, the second is gated.
fn with_gated_entry() -> Bucket {
    let mut other = entry("two");
    other.listing.shown = Availability { is_live: false, access: Access::Gated };
    Bucket::of(vec![entry("one"), other])
}

/// The files were written by the versions of the registry that wrote these formats. Embeddings are compared only by
/// width, because processors round in different ways. `UPDATE=1` writes the file of the present format.
#[test]
fn present_format_and_the_format_before_are_read() {
    if std::env::var_os("UPDATE").is_some() {
        let path = format!("{}/src/bucket/format-{FORMAT}.bucket", env!("CARGO_MANIFEST_DIR"));
        return std::fs::write(path, with_gated_entry().write().unwrap()).unwrap();
    }
    let stored: [(u8, &[u8], usize); 2] = [
        (OLDEST, include_bytes!("format-1.bucket"), 256),
        (FORMAT, include_bytes!("format-2.bucket"), crate::embedding::WIDTH),
    ];
    for (format, bytes, width) in stored {
        assert_eq!(unframed(bytes).unwrap().0, format);
        let mut read = Bucket::read(bytes).unwrap();
        let mut expected = with_gated_entry();
        for (read, expected) in read.entries.iter_mut().zip(&mut expected.entries) {
            assert_eq!(read.embedding.parts.len(), width);
            assert_eq!(read.embedding.is_outdated(), format < FORMAT);
            expected.embedding = std::mem::take(&mut read.embedding);
            read.embedding = expected.embedding.clone();
        }
        assert_eq!(read, expected, "format {format}");
    }
    let older = framed(OLDEST - 1, &[]);
    assert!(matches!(Bucket::read(&older), Err(Unreadable::Damaged(_))));
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
    let error = Bucket::read(&framed(FORMAT, &packed)).unwrap_err();
    let Unreadable::Damaged(source) = error else { panic!("{error}") };
    assert_eq!(source.to_string(), "it is too large");
}

#[test]
fn entries_are_added_replaced_and_removed() {
    let before = Bucket::of(vec![entry("one"), entry("two")]);
    let mut changed = entry("two");
    changed.listing.name = "Two".to_owned();
    let gone = ["mcp-one".parse().unwrap()];
    let after = before.changed(HashPrefix::default(), vec![changed.clone(), entry("three")], &gone).unwrap();
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
            assert!(prefix.matches(&entry.listing.id));
            assert!(buckets.iter().filter(|(prefix, _)| prefix.matches(&entry.listing.id)).count() == 1);
            seen.insert(entry.listing.id);
        }
    }
    assert_eq!(seen.len(), 300);
}
