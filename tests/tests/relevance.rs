//! How well search finds: real listings and graded questions, scored beside what other directories and engines reach.
//! The collection is not kept here; `SEARCH_COLLECTION` says where it is, else the test is skipped.

#![expect(clippy::expect_used, reason = "a test that cannot read its collection has to fail")]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;

use registry::model::{HashPrefix, ListingId};
use registry::search::bucket::Bucket;
use registry::search::engine::search;
use registry::search::entry::{IndexEntry, IndexedListing, IndexedText};
use registry::search::index::Index;
use registry::search::{Query, Text};
use serde_json::Value;

/// System, nDCG@10, recall@20 and MRR on the same questions, as the collection's README gives them.
const OTHERS: [(&str, f64, f64, f64); 9] = [
    ("name substring, as the official registry", 0.050, 0.035, 0.087),
    ("SQL LIKE on name and description", 0.076, 0.059, 0.125),
    ("BM25, stemmed", 0.655, 0.642, 0.825),
    ("character trigrams, tf-idf", 0.637, 0.637, 0.780),
    ("MiniLM dense", 0.665, 0.695, 0.838),
    ("fusion of BM25 and the static table", 0.684, 0.671, 0.860),
    ("the same with half a vote for trigrams", 0.694, 0.695, 0.847),
    ("fusion of BM25 and MiniLM", 0.716, 0.760, 0.900),
    ("fusion of BM25, MiniLM and half trigrams", 0.726, 0.727, 0.909),
];

/// The least nDCG@10: of all questions, and of those where the best single system does worst.
const LEAST: [(&str, f64); 3] = [("all", 0.726), ("syn", 0.45), ("typo", 0.67)];

/// The index is shared out by so many bits of the hash, and may lose so much of its nDCG@10.
const SHARE_BITS: u32 = 3;
const MOST_LOST: f64 = 0.05;

fn collection() -> Option<PathBuf> {
    let folder = std::env::var_os("SEARCH_COLLECTION")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/search"), PathBuf::from);
    if folder.join("listings.jsonl").exists() {
        return Some(folder);
    }
    println!("skipped: no collection at {}; set SEARCH_COLLECTION", folder.display());
    None
}

fn lines(path: PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a readable collection");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn texts(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn entry(row: &Value) -> IndexEntry {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let tools = row["tools"].as_array().into_iter().flatten();
    let category = text("category");
    let searched = IndexedText {
        name: text("name"),
        title: text("title"),
        description: text("description"),
        category: if category == "uncategorized" { String::new() } else { category },
        tags: texts(&row["tags"]),
        abilities: tools
            .map(|tool| {
                ["name", "description"].map(|part| tool[part].as_str().unwrap_or_default().to_owned())
            })
            .map(|[name, description]| (name, description))
            .collect(),
    };
    let id: ListingId = text("id").parse().expect("an id");
    let listing = IndexedListing {
        id,
        kind: serde_json::from_value(row["kind"].clone()).expect("a kind"),
        category: "other".to_owned(),
        name: text("name"),
        registry_name: text("name"),
        tags: Vec::new(),
        abilities: Vec::new(),
        short_names: searched.short_names(),
        publisher: String::new(),
        changed_at: 0,
    };
    IndexEntry::from_text(listing, &searched)
}

fn index(rows: &[Value]) -> Index {
    let mut index = Index::default();
    let entries = rows.iter().map(entry).collect();
    let buckets = Bucket::default().changed(HashPrefix::default(), entries, &[]).expect("writable buckets");
    for (prefix, bytes) in buckets {
        index.put(prefix, 1, Bucket::read(&bytes).expect("a readable bucket"));
    }
    index
}

#[derive(Clone, Copy, Default)]
struct Score {
    questions: f64,
    ndcg: f64,
    recall: f64,
    reciprocal: f64,
}

/// Gains 2^grade-1 at 10; of those graded 2 or 3 the part in the first 20; and one over the place of the first.
fn score(question: &Value, found: &[String]) -> Score {
    let grades: HashMap<&str, i32> = question["relevant"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| Some((one["id"].as_str()?, i32::try_from(one["grade"].as_i64()?).ok()?)))
        .collect();
    let gain = |grade: i32, place: usize| (f64::from(grade).exp2() - 1.0) / (place as f64 + 2.0).log2();
    let grade = |id: &String| grades.get(id.as_str()).copied().unwrap_or(0);
    let won: f64 = found.iter().take(10).enumerate().map(|(place, id)| gain(grade(id), place)).sum();
    let mut ideal: Vec<i32> = grades.values().copied().collect();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let best: f64 = ideal.iter().take(10).enumerate().map(|(place, grade)| gain(*grade, place)).sum();
    let useful = grades.values().filter(|grade| **grade >= 2).count();
    let hits: Vec<usize> = (0..found.len().min(20)).filter(|place| grade(&found[*place]) >= 2).collect();
    Score {
        questions: 1.0,
        ndcg: if best > 0.0 { won / best } else { 0.0 },
        recall: if useful > 0 { hits.len() as f64 / useful.min(20) as f64 } else { 0.0 },
        reciprocal: hits.first().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0)),
    }
}

/// The best twenty, by rank.
fn found(index: &Index, question: &str) -> Vec<(f32, String)> {
    let text = Text::parse(question, "q").expect("a question");
    let looked = search(index, &Query { text, kind: None, category: None, skip: 0, limit: 20 });
    looked.hits.iter().map(|hit| (hit.rank, hit.id.to_string())).collect()
}

/// Past what one process can hold, each of several would search its share of all listings, and their answers would be
/// put together by rank. Ranks of different shares must be comparable for that.
#[test]
fn shares_of_an_index_find_together_what_the_whole_finds() {
    let Some(folder) = collection() else { return };
    let rows = lines(folder.join("listings.jsonl"));
    let whole = index(&rows);
    let mut prefixes = vec![HashPrefix::default()];
    for _ in 0..SHARE_BITS {
        prefixes = prefixes.into_iter().flat_map(HashPrefix::halves).collect();
    }
    let belongs = |row: &Value, prefix: HashPrefix| {
        prefix.holds(&row["id"].as_str().unwrap_or_default().parse().expect("an id"))
    };
    let shares: Vec<Index> = prefixes
        .into_iter()
        .map(|prefix| {
            let own: Vec<Value> = rows.iter().filter(|row| belongs(row, prefix)).cloned().collect();
            index(&own)
        })
        .collect();
    let questions = lines(folder.join("dev.jsonl"));
    let (mut of_whole, mut of_shares) = (0.0, 0.0);
    for question in &questions {
        let asked = question["query"].as_str().unwrap_or_default();
        let mut together: Vec<(f32, String)> = shares.iter().flat_map(|share| found(share, asked)).collect();
        together.sort_by(|a, b| b.0.total_cmp(&a.0));
        let ids = |hits: Vec<(f32, String)>| hits.into_iter().take(20).map(|(_, id)| id).collect::<Vec<_>>();
        of_whole += score(question, &ids(found(&whole, asked))).ndcg;
        of_shares += score(question, &ids(together)).ndcg;
    }
    let [whole, shares] = [of_whole, of_shares].map(|sum| sum / questions.len() as f64);
    println!("nDCG@10 {whole:.3} of the whole index, {shares:.3} of {} shares", 1 << SHARE_BITS);
    assert!(shares > whole - MOST_LOST, "{shares:.3} of shares, {whole:.3} of the whole");
}

#[test]
fn search_finds_better_than_what_there_is() {
    let Some(folder) = collection() else { return };
    let index = index(&lines(folder.join("listings.jsonl")));
    let mut by_type: BTreeMap<String, Score> = BTreeMap::new();
    for question in lines(folder.join("dev.jsonl")) {
        let found = found(&index, question["query"].as_str().unwrap_or_default());
        let found: Vec<String> = found.into_iter().map(|(_, id)| id).collect();
        let this = score(&question, &found);
        if std::env::var_os("EACH_QUESTION").is_some() {
            println!("{:.3} {} {}", this.ndcg, question["type"], question["query"]);
        }
        for name in ["all", question["type"].as_str().unwrap_or("other")] {
            let sum = by_type.entry(name.to_owned()).or_default();
            sum.questions += 1.0;
            sum.ndcg += this.ndcg;
            sum.recall += this.recall;
            sum.reciprocal += this.reciprocal;
        }
    }
    println!("{:<44} nDCG@10  R@20   MRR", "");
    for (name, ndcg, recall, reciprocal) in OTHERS {
        println!("{name:<44} {ndcg:.3}    {recall:.3}  {reciprocal:.3}");
    }
    for (name, sum) in &by_type {
        let name = format!("this registry, {name} ({} questions)", sum.questions);
        let of = |total: f64| total / sum.questions;
        println!("{name:<44} {:.3}    {:.3}  {:.3}", of(sum.ndcg), of(sum.recall), of(sum.reciprocal));
    }
    for (name, least) in LEAST {
        let Some(sum) = by_type.get(name) else { continue };
        let ndcg = sum.ndcg / sum.questions;
        assert!(ndcg >= least, "{name}: nDCG@10 {ndcg:.3} is below {least}");
    }
}
