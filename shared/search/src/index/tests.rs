use super::*;
use crate::engine::{IndexAnswer, search, search_in};
use crate::entry::IndexedText;
use crate::{Query, Text};
use registry_model::Kind;

const THINGS: [&str; 6] = ["weather", "invoices", "pull requests", "recipes", "kubernetes pods", "maps"];

fn entry(n: usize) -> IndexEntry {
    let text = IndexedText {
        name: format!("acme/helper-{n}"),
        description: format!("Reads {} and tells what is new, part {}.", THINGS[n % 6], n / 6 % 10),
        ..IndexedText::default()
    };
    let listing = IndexedListing {
        kind: if n.is_multiple_of(5) { Kind::Agent } else { Kind::Mcp },
        name: text.name.clone(),
        registry_name: text.name.clone(),
        short_names: text.short_names(),
        changed_at: i64::try_from(n).unwrap(),
        ..IndexedListing::example(&format!("mcp-helper-{n}"))
    };
    IndexEntry::from_text(listing, &text)
}

/// Buckets of these entries.
fn buckets(numbers: std::ops::Range<usize>) -> Vec<(HashPrefix, Bucket)> {
    let bytes = Bucket::default().changed(HashPrefix::default(), numbers.map(entry).collect(), &[]).unwrap();
    bytes.into_iter().map(|(prefix, bytes)| (prefix, Bucket::read(&bytes).unwrap())).collect()
}

fn query(text: &str, kind: Option<Kind>, limit: usize) -> Query {
    let text = Text::parse(text, "q").unwrap();
    Query { text, kind, category: None, listed: Listed::Live, skip: 0, limit }
}

/// How many hits there are and the ranks of the first; the order of equal hits is left open.
fn answers(index: &Index, question: &str) -> (usize, Vec<u32>) {
    let answer = search(index, &query(question, None, 30), None);
    assert_eq!(answer.searched, index.len());
    (answer.total, answer.hits.iter().map(|hit| (hit.rank * 1e4).round() as u32).collect())
}

#[test]
fn updated_index_returns_the_same_hits_as_a_new_index() {
    let all = buckets(0..3000);
    let (go, stay) = all.split_at(all.len() * 4 / 5);
    let mut old = Index::default();
    for (prefix, bucket) in &all {
        old.put(*prefix, 1, bucket.clone());
        old.put(*prefix, 2, bucket.clone());
    }
    for (prefix, _) in go {
        old.remove(*prefix);
    }
    let mut new = Index::default();
    for (prefix, bucket) in stay {
        new.put(*prefix, 1, bucket.clone());
    }
    assert_eq!((old.len(), old.prefixes().count()), (new.len(), stay.len()));
    assert!(old.slots() < 2 * old.len() + MAX_REMOVED, "removed documents are compacted away");
    old.compact();
    let most = new.terms.len() + old.frequent_words.len();
    assert!(old.terms.len() <= most, "terms of removed documents stay: {} of {most}", old.terms.len());
    let names = |index: &Index| index.by_name(None).cloned().collect::<Vec<_>>();
    assert_eq!(names(&old), names(&new));
    assert!(names(&new).is_sorted_by(|a, b| a.sort_key() < b.sort_key()) && names(&new).len() == new.len());
    for kind in [None, Some(Kind::Agent), Some(Kind::Mcp)] {
        assert_eq!(old.listed_count(kind, Listed::Live), new.listed_count(kind, Listed::Live), "{kind:?}");
    }
    let last = stay.last().unwrap().1.entries[0].listing.name.clone();
    for question in ["weather news", "invoces", "an agent for maps", "", "nothing like it", &last] {
        assert_eq!(answers(&old, question), answers(&new, question), "{question}");
    }
    assert_eq!(answers(&new, &last).1[0], 10_000, "a whole name ranks first");
}

#[test]
fn candidates_rank_as_in_the_whole_index() {
    let [whole, light] = [Index::default(), Index::light()].map(|index| index.with((0..600).map(entry)));
    let all = buckets(0..600).into_iter().map(|(_, bucket)| bucket).collect();
    let candidates = Index::of_candidates(all, &light);
    for question in ["weather news", "invoces", "an agent for maps", "nothing like it", "acme/helper-7"] {
        let query = query(question, None, 30);
        let ranks = |answer: IndexAnswer| {
            let hits = answer.hits.into_iter().map(|hit| (hit.id, hit.rank)).collect::<Vec<_>>();
            (hits, answer.total, answer.searched)
        };
        let view = IndexView { whole: &light, candidates: Some(&candidates) };
        assert_eq!(ranks(search_in(view, &query, None)), ranks(search(&whole, &query, None)), "{question}");
    }
}

#[test]
fn sample_shows_how_frequent_words_are() {
    let entries = (0..1200).map(|n| if n % 7 == 0 { entry(n) } else { entry(n).light() });
    let index = Index::light().with(entries);
    // One of six listings contains it.
    let frequency = index.doc_freq(&stem("weather"));
    assert!((180..220).contains(&frequency), "{frequency}");
    assert_eq!((index.len(), index.doc_freq("nothing")), (1200, 0));
}

#[test]
fn words_of_a_listing_are_limited() {
    let tags = (0..20_000).map(|n| format!("tag{n}")).chain(["x".repeat(100_000)]).collect();
    let text = IndexedText { name: "acme/helper".to_owned(), tags, ..IndexedText::default() };
    let entry = IndexEntry::from_text(entry(1).listing, &text);
    assert!(entry.words.len() <= 320 && entry.stems.len() <= 320, "{}", entry.words.len());
    assert!(entry.words.iter().all(|word| word.len() <= 64) && entry.words.contains(&"helper".to_owned()));
}

#[test]
fn filters_also_apply_to_exact_name_matches() {
    let index = Index::default().with((0..60).map(entry));
    for kind in [Kind::Agent, Kind::Mcp] {
        // The number says the kind: every fifth is an agent.
        for name in ["acme/helper-5", "acme/helper-6"] {
            let answer = search(&index, &query(name, Some(kind), 60), None);
            let ids: Vec<String> = answer.hits.iter().map(|hit| hit.id.to_string()).collect();
            assert_eq!(ids.contains(&"mcp-helper-5".to_owned()), kind == Kind::Agent, "{name}");
            assert_eq!(ids.contains(&"mcp-helper-6".to_owned()), kind == Kind::Mcp, "{name}");
        }
    }
}
