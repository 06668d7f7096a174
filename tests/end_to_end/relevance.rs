//! Measures the relevance of search and compares it with other systems. It uses real listings and questions
//! with graded answers. The collection is not part of this project. `SEARCH_COLLECTION` is the folder of the
//! collection, which contains `listings.jsonl` and `dev.jsonl`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use registry::model::{Availability, HashPrefix, Lane, Listed, ListingId};
use registry::search::backend::Backend;
use registry::search::bucket::Bucket;
use registry::search::engine::{IndexAnswer, search, search_among};
use registry::search::entry::{IndexEntry, IndexedListing, IndexedText};
use registry::search::index::Index;
use registry::search::{Query, Text};
use serde_json::Value;
use tests::chroma;
use tests::fixtures::{feed_item, submitted_listing};
use tests::test_registry::{TestOptions, TestRegistry};

/// System, nDCG@10, recall@20 and MRR on the same questions, from the README of the collection.
const OTHER_SYSTEMS: [(&str, f64, f64, f64); 9] = [
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

/// Minimum nDCG@10 of all questions of the collection, and of the types on which other systems are worst.
const MIN_NDCG: [(&str, f64); 3] = [("all", 0.726), ("syn", 0.45), ("typo", 0.67)];
/// The same for our own questions. Another author wrote and graded them, without knowing the code and its lists of words. Those
/// with `kept` should not be used for a choice; one was, see MEASURED.md.
const OWN_QUESTIONS: &str = include_str!("../harness/fixtures/search/questions.jsonl");
const MIN_NDCG_OWN: [(&str, f64); 3] = [("all", 0.69), ("kept", 0.68), ("syn", 0.49)];

/// Questions that were written and graded last, in the same way.
const SECOND_QUESTIONS: &str = include_str!("../harness/fixtures/search/second-questions.jsonl");
const MIN_NDCG_SECOND: [(&str, f64); 3] = [("all", 0.73), ("nl", 0.69), ("syn", 0.53)];

/// The sharded index has one shard for each prefix of this many hash bits.
const SHARD_BITS: u32 = 3;
/// Maximum loss of nDCG@10 by sharding.
const MAX_LOSS: f64 = 0.05;

fn collection() -> PathBuf {
    std::env::var_os("SEARCH_COLLECTION").expect("SEARCH_COLLECTION: the folder of the collection").into()
}

fn lines(path: PathBuf) -> Vec<Value> {
    parsed(&fs::read_to_string(path).expect("a readable collection"))
}

fn parsed(text: &str) -> Vec<Value> {
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
        shown: Availability::OPEN,
    };
    IndexEntry::from_text(listing, &searched)
}

fn build_index(rows: &[Value]) -> Index {
    index_of(rows.iter().map(entry).collect())
}

fn index_of(entries: Vec<IndexEntry>) -> Index {
    let mut index = Index::default();
    put(&mut index, entries);
    index
}

fn put(index: &mut Index, entries: Vec<IndexEntry>) {
    let buckets = Bucket::default().changed(HashPrefix::default(), entries, &[]).expect("writable buckets");
    for (prefix, bytes) in buckets {
        index.put(prefix, 1, Bucket::read(&bytes).expect("a readable bucket"));
    }
}

#[derive(Clone, Copy, Default)]
struct Score {
    questions: f64,
    ndcg: f64,
    recall: f64,
    reciprocal: f64,
}

/// nDCG@10 with gains 2^grade-1, recall@20 of grades 2 and 3, and the reciprocal rank of the first of those.
fn score(question: &Value, found: &[String]) -> Score {
    let grades: HashMap<&str, i32> = question["relevant"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| Some((one["id"].as_str()?, i32::try_from(one["grade"].as_i64()?).ok()?)))
        .collect();
    let gain = |grade: i32, place: usize| (f64::from(grade).exp2() - 1.0) / (place as f64 + 2.0).log2();
    let grade = |id: &String| grades.get(id.as_str()).copied().unwrap_or(0);
    let gained: f64 = found.iter().take(10).enumerate().map(|(place, id)| gain(grade(id), place)).sum();
    let mut ideal: Vec<i32> = grades.values().copied().collect();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let best: f64 = ideal.iter().take(10).enumerate().map(|(place, grade)| gain(*grade, place)).sum();
    let useful = grades.values().filter(|grade| **grade >= 2).count();
    let hits: Vec<usize> = (0..found.len().min(20)).filter(|place| grade(&found[*place]) >= 2).collect();
    Score {
        questions: 1.0,
        ndcg: if best > 0.0 { gained / best } else { 0.0 },
        recall: if useful > 0 { hits.len() as f64 / useful.min(20) as f64 } else { 0.0 },
        reciprocal: hits.first().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0)),
    }
}

/// The best 20 hits, by rank.
fn best_hits(index: &Index, question: &str) -> Vec<(f32, String)> {
    ranks(&search(index, &query(question)))
}

fn query(question: &str) -> Query {
    let text = Text::parse(question, "q").expect("a question");
    Query { text, kind: None, category: None, listed: Listed::Live, skip: 0, limit: 20 }
}

fn ranks(answer: &IndexAnswer) -> Vec<(f32, String)> {
    answer.hits.iter().map(|hit| (hit.rank, hit.id.to_string())).collect()
}

/// Maximum loss of nDCG@10 if a search backend finds the candidates.
const MAX_BACKEND_LOSS: f64 = 0.03;
/// Stored indexes of this number of buckets contain the words of all listings of the collection, of a fifth and of a twentieth.
const SAMPLES: [usize; 3] = [128, 640, 2560];

/// The URL of a Chroma server.
fn server() -> Option<String> {
    let url = std::env::var("SEARCH_BACKEND").ok();
    if url.is_none() {
        println!("SEARCH_BACKEND is not set: the search backend is not measured");
    }
    url
}

/// The memory of this process, in MB.
fn resident_mb() -> f64 {
    let pages = fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<f64>().ok());
    pages.unwrap_or_default() * 4096.0 / 1e6
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the collection in SEARCH_COLLECTION and the server in SEARCH_BACKEND"]
async fn search_backend_gives_nearly_the_same_ranking_as_the_whole_index() {
    let folder = collection();
    let Some(url) = server() else { return };
    let backend = Backend::new(Some(&url), None);
    let rows = lines(folder.join("listings.jsonl"));
    let entries: Vec<IndexEntry> = rows.iter().map(entry).collect();
    let began = Instant::now();
    backend.apply(&entries, &[]).await.expect("the server stores the collection");
    println!("the server stored {} listings in {:.1} s", entries.len(), began.elapsed().as_secs_f64());
    let questions = lines(folder.join("dev.jsonl"));
    let before = resident_mb();
    let whole = index_of(entries.clone());
    println!("the whole index takes about {:.0} MB", resident_mb() - before);
    let mut embedded = Measured::default();
    for question in &questions {
        let began = Instant::now();
        let hits = best_hits(&whole, question["query"].as_str().unwrap_or_default());
        embedded.add(question, hits, began.elapsed());
    }
    embedded.print("embedded");
    for buckets in SAMPLES {
        let light = entries.iter().map(|entry| backend.stored(entry.clone(), buckets)).collect();
        let before = resident_mb();
        let mut index = Index::light();
        put(&mut index, light);
        if buckets == SAMPLES[0] {
            println!("the light index takes about {:.0} MB", resident_mb() - before);
        }
        let mut measured = Measured::default();
        for question in &questions {
            let query = query(question["query"].as_str().unwrap_or_default());
            let began = Instant::now();
            let plan = backend.plan(&index, &query).expect("a plan for every question");
            let found = backend.fetch(plan).await.expect("candidates");
            let candidates = Index::of_candidates(found, &index);
            let answer = search_among(&candidates, &index, &query);
            measured.candidates += candidates.len();
            measured.add(question, ranks(&answer), began.elapsed());
        }
        measured.print(&format!("backend, sample of 128 of {buckets} buckets"));
        let loss = embedded.mean(|score| score.ndcg) - measured.mean(|score| score.ndcg);
        assert!(loss < MAX_BACKEND_LOSS, "nDCG@10 is {loss:.3} lower with {buckets} buckets");
    }
}

/// Prints how long the endpoint takes to answer questions that it has not answered before.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the collection in SEARCH_COLLECTION and the server in SEARCH_BACKEND"]
async fn search_backend_answers_at_the_endpoint() {
    let folder = collection();
    let Some(url) = server() else { return };
    let questions = lines(folder.join("dev.jsonl"));
    let rows = lines(folder.join("listings.jsonl"));
    for (name, database) in [("embedded", String::new()), ("backend", chroma::database(&url).await)] {
        let options = TestOptions::default().with_read_cache().without_events();
        let registry = TestRegistry::start_with(options.with_setting("SEARCH_BACKEND_URL", database)).await;
        insert(&registry, &rows).await;
        let mut times = Vec::new();
        for question in &questions {
            let query = question["query"].as_str().unwrap_or_default();
            let path: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
            let began = Instant::now();
            let reply = registry.get(&format!("/api/ard/search?q={path}")).await;
            times.push(began.elapsed());
            assert_eq!(reply.status, 200, "{query}: {reply:?}");
        }
        times.sort_unstable();
        let time = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1000.0;
        println!("{name:<44} p50 {:.1} ms, p95 {:.1} ms", time(50), time(95));
    }
}

/// Makes Live listings with the names and descriptions of the collection, and indexes them.
async fn insert(registry: &TestRegistry, rows: &[Value]) {
    let (app, now) = (&registry.app, registry.now());
    for (number, row) in rows.iter().enumerate() {
        let kind = serde_json::from_value(row["kind"].clone()).expect("a kind");
        let (submission, mut listing) = submitted_listing(app, kind, number);
        listing.name = row["name"].as_str().unwrap_or_default().to_owned();
        listing.description = row["description"].as_str().map(str::to_owned);
        (listing.lane, listing.live_since, listing.last_ok_at) = (Lane::Active, Some(now), Some(now));
        let item = feed_item("listing_queued", &listing, now);
        let inserted = app.store.insert(&listing, None, &submission.contact, &item, None).await;
        inserted.expect("an inserted listing");
    }
    app.store.mark_listed_dirty(|_| true, now).await.expect("marked listings");
    while !app.store.dirty_marks(None, 1).await.expect("marks").is_empty() {
        app.search.build().await.expect("a build");
    }
}

#[derive(Default)]
struct Measured {
    scores: Vec<Score>,
    times: Vec<Duration>,
    candidates: usize,
}

impl Measured {
    fn add(&mut self, question: &Value, hits: Vec<(f32, String)>, time: Duration) {
        let ids: Vec<String> = hits.into_iter().map(|(_, id)| id).collect();
        self.scores.push(score(question, &ids));
        self.times.push(time);
    }

    fn mean(&self, of: impl Fn(&Score) -> f64) -> f64 {
        self.scores.iter().map(of).sum::<f64>() / self.scores.len() as f64
    }

    fn print(&mut self, name: &str) {
        self.times.sort_unstable();
        let time = |part: usize| self.times[self.times.len() * part / 100].as_secs_f64() * 1000.0;
        println!(
            "{name:<44} {:.3}    {:.3}  {:.3}  p50 {:.1} ms, p95 {:.1} ms, {} candidates",
            self.mean(|score| score.ndcg),
            self.mean(|score| score.recall),
            self.mean(|score| score.reciprocal),
            time(50),
            time(95),
            self.candidates / self.scores.len()
        );
    }
}

/// An index that is too large for one process would be sharded, and the hits of all shards merged by rank. Ranks of
/// different shards must be comparable for that.
#[test]
#[ignore = "needs the collection in SEARCH_COLLECTION"]
fn merged_shards_give_the_same_ranking_as_the_whole_index() {
    let folder = collection();
    let rows = lines(folder.join("listings.jsonl"));
    let whole = build_index(&rows);
    let mut prefixes = vec![HashPrefix::default()];
    for _ in 0..SHARD_BITS {
        prefixes = prefixes.into_iter().filter_map(HashPrefix::halves).flatten().collect();
    }
    let belongs = |row: &Value, prefix: HashPrefix| {
        prefix.holds(&row["id"].as_str().unwrap_or_default().parse().expect("an id"))
    };
    let shards: Vec<Index> = prefixes
        .into_iter()
        .map(|prefix| {
            let shard: Vec<Value> = rows.iter().filter(|row| belongs(row, prefix)).cloned().collect();
            build_index(&shard)
        })
        .collect();
    let questions = lines(folder.join("dev.jsonl"));
    let (mut whole_sum, mut shards_sum) = (0.0, 0.0);
    for question in &questions {
        let query = question["query"].as_str().unwrap_or_default();
        let mut merged: Vec<(f32, String)> =
            shards.iter().flat_map(|shard| best_hits(shard, query)).collect();
        merged.sort_by(|a, b| b.0.total_cmp(&a.0));
        let ids = |hits: Vec<(f32, String)>| hits.into_iter().take(20).map(|(_, id)| id).collect::<Vec<_>>();
        whole_sum += score(question, &ids(best_hits(&whole, query))).ndcg;
        shards_sum += score(question, &ids(merged)).ndcg;
    }
    let [whole, sharded] = [whole_sum, shards_sum].map(|sum| sum / questions.len() as f64);
    println!("nDCG@10 {whole:.3} for the whole index, {sharded:.3} for {} shards", 1 << SHARD_BITS);
    assert!(sharded > whole - MAX_LOSS, "{sharded:.3} for shards, {whole:.3} for the whole index");
}

#[test]
#[ignore = "needs the collection in SEARCH_COLLECTION"]
fn search_reaches_its_minimum_ndcg() {
    let folder = collection();
    let index = build_index(&lines(folder.join("listings.jsonl")));
    println!("{:<44} nDCG@10  R@20   MRR", "");
    for (name, ndcg, recall, reciprocal) in OTHER_SYSTEMS {
        println!("{name:<44} {ndcg:.3}    {recall:.3}  {reciprocal:.3}");
    }
    check(&index, "the collection's", &lines(folder.join("dev.jsonl")), MIN_NDCG);
    check(&index, "our own", &parsed(OWN_QUESTIONS), MIN_NDCG_OWN);
    check(&index, "our second", &parsed(SECOND_QUESTIONS), MIN_NDCG_SECOND);
}

/// Prints the scores of these questions by type, and checks the minimum nDCG@10.
fn check(index: &Index, whose: &str, questions: &[Value], minima: [(&str, f64); 3]) {
    let mut by_type: BTreeMap<&str, Score> = BTreeMap::new();
    for question in questions {
        let hits = best_hits(index, question["query"].as_str().unwrap_or_default());
        let hits: Vec<String> = hits.into_iter().map(|(_, id)| id).collect();
        let this = score(question, &hits);
        if std::env::var_os("EACH_QUESTION").is_some() {
            println!("{:.3} {} {}", this.ndcg, question["type"], question["query"]);
        }
        let kept = (question["kept"] == true).then_some("kept");
        for name in ["all", question["type"].as_str().unwrap_or("other")].into_iter().chain(kept) {
            let sum = by_type.entry(name).or_default();
            sum.questions += 1.0;
            sum.ndcg += this.ndcg;
            sum.recall += this.recall;
            sum.reciprocal += this.reciprocal;
        }
    }
    for (name, sum) in &by_type {
        let name = format!("{whose} questions, {name} ({})", sum.questions);
        let of = |total: f64| total / sum.questions;
        println!("{name:<44} {:.3}    {:.3}  {:.3}", of(sum.ndcg), of(sum.recall), of(sum.reciprocal));
    }
    for (name, minimum) in minima {
        let sum = by_type.get(name).unwrap_or_else(|| panic!("there are no questions of the type {name}"));
        let ndcg = sum.ndcg / sum.questions;
        assert!(ndcg >= minimum, "{whose} questions, {name}: nDCG@10 {ndcg:.3} is below {minimum}");
    }
}

/// A text about something else, around a question.
const BACKGROUND: &str = "Our company has forty people in two offices, and the quarter ends in three weeks. Last year we \
    promised the board to become faster, so every team writes down what slows it down. Sarah collects the notes on \
    Friday, reads them with her colleagues over lunch, and brings the three most urgent ones to the meeting on Monday. \
    We do not want another long project with consultants. Whatever we choose must be ready before the holidays, must \
    not cost more than the coffee machine, and must be explained to new people in ten minutes. Please think carefully, \
    ask me questions if anything is unclear, answer politely, and keep the answer below one page. ";

/// A model pastes a whole task of about 2,000 words.
#[test]
#[ignore = "needs the collection in SEARCH_COLLECTION"]
fn pasted_task_is_searched_by_its_question() {
    let folder = collection();
    let index = build_index(&lines(folder.join("listings.jsonl")));
    let questions = lines(folder.join("dev.jsonl"));
    let background = BACKGROUND.repeat(8);
    let mut sums = [0.0, 0.0];
    for question in &questions {
        let query = question["query"].as_str().unwrap_or_default();
        let task = format!("Hello. {background} I need this: {query}. {background} Thank you.");
        for (sum, text) in sums.iter_mut().zip([query, &task]) {
            let ids: Vec<String> = best_hits(&index, text).into_iter().map(|(_, id)| id).collect();
            *sum += score(question, &ids).ndcg;
        }
    }
    let [short, long] = sums.map(|sum| sum / questions.len() as f64);
    println!(
        "nDCG@10 {short:.3} for questions, {long:.3} in tasks of {} words",
        BACKGROUND.split(' ').count() * 16
    );
    assert!(long >= short * 0.8, "{long:.3} for tasks, {short:.3} for questions");
}
