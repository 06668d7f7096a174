//! Computes the weights again: `UPDATE=1 cargo test -p registry-surfaces weights_are_those`.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use crate::a2a::intent::meaning::*;
use crate::a2a::intent::sentences;
use crate::a2a::intent::suggestion::filled;
use registry_features::DESCRIPTIONS;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/intent/meaning.json");
/// A word must occur in so many sentences.
const MIN_SENTENCES: usize = 2;
const ROUNDS: u32 = 30;

/// Class and sentence.
fn examples() -> Vec<(String, String)> {
    let lines_of = |name| sentences::lines(sentences::SENTENCES).filter(move |line| line.0 == name);
    let help = lines_of("help").map(|(class, line)| (class, line.to_owned()));
    let of_operations = DESCRIPTIONS.into_iter().flat_map(|operation| {
        let phrases = operation.stated_phrases.iter().map(|phrase| (operation.name, format!("* {phrase}")));
        phrases.chain(lines_of(operation.name).map(|(class, line)| (class, line.to_owned())))
    });
    let training = sentences::lines(include_str!("../../../../assets/intent/training.txt"));
    let training = training.map(|(class, line)| (class, line.to_owned()));
    let example = |(class, line): (&str, String)| {
        // Both are searches; the examples decide between them.
        let class = if class == "ard_search" { "match_capability" } else { class };
        (class.to_owned(), filled(line.split(" => ").next().unwrap()))
    };
    help.chain(of_operations).chain(training).map(example).collect()
}

fn digest(examples: &[(String, String)]) -> String {
    let mut hash = Sha256::new();
    examples.iter().for_each(|(class, text)| hash.update(format!("{class}\n{text}\n")));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Softmax regression by stochastic gradient descent, in an order that depends on nothing but the examples.
fn train(examples: &[(String, String)]) -> Weights {
    let classes: BTreeSet<String> = examples.iter().map(|(class, _)| class.clone()).collect();
    let classes: Vec<String> = classes.into_iter().collect();
    let parsed: Vec<(usize, ParsedText)> = examples
        .iter()
        .map(|(class, text)| (classes.binary_search(class).unwrap(), ParsedText::parse(text)))
        .collect();
    let mut users: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, text) in &parsed {
        let words: BTreeSet<&str> = text.words.iter().map(|word| word.low.as_str()).collect();
        words.into_iter().for_each(|word| *users.entry(word).or_default() += 1);
    }
    let all = parsed.len() as f32;
    let words: Vec<(String, f32)> = users
        .into_iter()
        .filter(|(_, count)| *count >= MIN_SENTENCES)
        .map(|(word, count)| (word.to_owned(), 1.0 + (all / count as f32).ln()))
        .collect();
    let numbers: HashMap<String, (usize, f32)> = words
        .iter()
        .enumerate()
        .map(|(number, (word, weight))| (word.clone(), (embedding::WIDTH + number, *weight)))
        .collect();
    let known: Vec<(usize, Features)> =
        parsed.iter().map(|(class, text)| (*class, features(text, &numbers))).collect();
    let width = embedding::WIDTH + words.len() + 1;
    let mut rows = vec![vec![0.0_f32; width]; classes.len()];
    let mut order: Vec<usize> = (0..known.len()).collect();
    for round in 0..ROUNDS {
        // A fixed permutation, another one in each round.
        order.sort_by_key(|at| Sha256::digest(format!("{round} {at}")).as_slice().to_vec());
        let rate = 2.0 / (1.0 + 0.15 * round as f32);
        for at in &order {
            let (class, features) = &known[*at];
            let shares = softmax(rows.iter().map(|row| features.product(row)).collect());
            for (number, (row, share)) in rows.iter_mut().zip(shares).enumerate() {
                let step = rate * (f32::from(u8::from(number == *class)) - share);
                // Most classes are out of the question.
                if step.abs() < 0.001 {
                    continue;
                }
                embedding::add(&mut row[..embedding::WIDTH], &features.vector, step);
                features.words.iter().for_each(|(word, value)| row[*word] += step * value);
                row[width - 1] += step * 0.1;
            }
        }
    }
    let steps: Vec<f32> =
        rows.iter().map(|row| row.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / 127.0).collect();
    let bytes = rows
        .iter()
        .zip(&steps)
        .flat_map(|(row, step)| row.iter().map(move |x| ((x / step).round() as i8).cast_unsigned()));
    let weights = STANDARD.encode(bytes.collect::<Vec<u8>>());
    Weights { sentences: digest(examples), classes, words, steps, weights }
}

#[test]
fn weights_are_those_of_the_sentences() {
    let examples = examples();
    if std::env::var_os("UPDATE").is_some() {
        let weights = serde_json::to_string(&train(&examples)).unwrap();
        std::fs::write(PATH, weights + "\n").unwrap();
        return;
    }
    let weights: Weights =
        serde_json::from_str(include_str!("../../../../assets/intent/meaning.json")).unwrap();
    assert_eq!(weights.sentences, digest(&examples), "UPDATE=1 computes the weights again");
}
