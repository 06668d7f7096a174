//! What a message means: how probable each operation is, from its words and from the vector that the language model gives it. The
//! weights are a logistic regression over `assets/training.txt` and `assets/sentences.txt` (`tests`); no sentence is
//! compared at run time, so sentences may be added without a cost.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use registry_search::embedding;
use serde::{Deserialize, Serialize};

use crate::a2a::intent::parsed_text::ParsedText;

#[cfg(test)]
mod tests;

/// The class of messages that ask for help or for nothing. Those about the registry itself have a class for each topic, such as
/// `help:privacy`.
pub(super) const HELP: &str = "help";

/// The language model reads about so many words; a longer text is read in parts.
const PART_WORDS: usize = 40;
/// Parts of a text that are read: its beginning and its end.
const MAX_PARTS: usize = 4;

#[derive(Debug, Serialize, Deserialize)]
struct Weights {
    /// The digest of the sentences that it was trained on.
    sentences: String,
    /// Names of operations, and [`HELP`].
    classes: Vec<String>,
    /// The words in their order, each with its weight: a rare word says more.
    words: Vec<(String, f32)>,
    /// The value of one step of the weights, for each class.
    steps: Vec<f32>,
    /// For each class a signed byte for each feature and one for the bias.
    weights: String,
}

#[derive(Debug, Default)]
struct Classifier {
    classes: Vec<String>,
    words: HashMap<String, (usize, f32)>,
    /// Bias last.
    rows: Vec<Vec<f32>>,
}

static CLASSIFIER: LazyLock<Classifier> = LazyLock::new(|| {
    let weights = serde_json::from_str(include_str!("../../../assets/intent/meaning.json"));
    weights.map(|weights: Weights| Classifier::of(weights)).unwrap_or_default()
});

/// The features of a text: those of the vector, then `(number, value)` of each known word.
#[derive(Clone, Debug)]
struct Features {
    vector: Vec<f32>,
    words: Vec<(usize, f32)>,
}

#[derive(Debug, Default)]
pub(super) struct Meaning(BTreeMap<&'static str, f32>);

impl Meaning {
    pub(super) fn of(parsed: &ParsedText) -> Self {
        let classifier = &*CLASSIFIER;
        let features = features(parsed, &classifier.words);
        let logits = classifier.rows.iter().map(|row| features.product(row));
        let probabilities = softmax(logits.collect());
        Self(classifier.classes.iter().map(String::as_str).zip(probabilities).collect())
    }

    #[cfg(test)]
    pub(super) fn best(&self) -> String {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by(|one, other| other.1.total_cmp(one.1));
        all.iter().take(3).map(|(class, share)| format!("{class} {share:.2} ")).collect()
    }

    pub(super) fn probability(&self, class: &str) -> f32 {
        self.0.get(class).copied().unwrap_or(0.0)
    }

    pub(super) fn of_help(&self) -> f32 {
        self.help().map(|(_, share)| share).sum()
    }

    /// The most probable class of help, with its probability.
    pub(super) fn topic(&self) -> Option<(&'static str, f32)> {
        self.help().max_by(|one, other| one.1.total_cmp(&other.1))
    }

    fn help(&self) -> impl Iterator<Item = (&'static str, f32)> {
        let all = self.0.iter().map(|(class, share)| (*class, *share));
        all.filter(|(class, _)| class.split(':').next() == Some(HELP))
    }
}

impl Classifier {
    fn of(weights: Weights) -> Self {
        let width = embedding::WIDTH + weights.words.len() + 1;
        let bytes = STANDARD.decode(weights.weights).unwrap_or_default();
        let rows = bytes.chunks_exact(width).zip(&weights.steps);
        let rows =
            rows.map(|(row, step)| row.iter().map(|byte| f32::from(byte.cast_signed()) * step).collect());
        let words = weights.words.into_iter().enumerate();
        let words = words.map(|(number, (word, weight))| (word, (embedding::WIDTH + number, weight)));
        Self { classes: weights.classes, rows: rows.collect(), words: words.collect() }
    }
}

impl Features {
    fn product(&self, row: &[f32]) -> f32 {
        let words: f32 = self.words.iter().map(|(number, value)| row[*number] * value).sum();
        embedding::dot(&self.vector, &row[..embedding::WIDTH]) + words + row[row.len() - 1]
    }
}

fn features(parsed: &ParsedText, known: &HashMap<String, (usize, f32)>) -> Features {
    let words = parsed.words.iter().filter(|word| !parsed.is_polite(word));
    let mut words: Vec<(usize, f32)> = words.filter_map(|word| known.get(&word.low).copied()).collect();
    words.sort_unstable_by_key(|(number, _)| *number);
    words.dedup_by_key(|(number, _)| *number);
    let length = words.iter().map(|(_, value)| value * value).sum::<f32>().sqrt().max(f32::EPSILON);
    words.iter_mut().for_each(|(_, value)| *value /= length);
    let mut vector = vec![0.0; embedding::WIDTH];
    for part in parts(&parsed.neutral()) {
        embedding::add(&mut vector, &embedding::embed(&part).components(), 1.0);
    }
    Features { vector: embedding::normalized(vector), words }
}

fn parts(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let words: Vec<&str> = words.collect();
    let mut parts: Vec<String> = words.chunks(PART_WORDS).map(|part| part.join(" ")).collect();
    if parts.len() > MAX_PARTS {
        parts.drain(MAX_PARTS / 2..parts.len() - MAX_PARTS / 2);
    }
    parts
}

fn softmax(mut logits: Vec<f32>) -> Vec<f32> {
    let highest = logits.iter().copied().fold(f32::MIN, f32::max);
    logits.iter_mut().for_each(|logit| *logit = (*logit - highest).exp());
    let sum: f32 = logits.iter().sum();
    logits.iter_mut().for_each(|share| *share /= sum);
    logits
}
