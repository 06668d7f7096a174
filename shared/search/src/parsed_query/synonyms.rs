//! Synonyms such as `k8s` and `kubernetes`, or `db` and `database`. The list was written by hand, because there are too
//! few listings to learn it from. The file `assets/synonyms.txt` describes the format of the list.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::stem;

static LIST: &str = include_str!("../../assets/synonyms.txt");

/// Words of the longest phrase on the left of a line.
pub(super) const MAX_PHRASE_WORDS: usize = 3;

/// From the stems of a word or phrase to the stems of its synonyms.
static SYNONYMS: LazyLock<HashMap<Vec<String>, Vec<String>>> = LazyLock::new(|| {
    let mut all: HashMap<Vec<String>, Vec<String>> = HashMap::new();
    for line in LIST.lines() {
        let line = line.split('#').next().unwrap_or_default();
        // `a b > c`: a query with a or b also matches c, but not the reverse. Without an arrow, every word matches
        // every other.
        let (left, right) = line.split_once('>').unwrap_or((line, line));
        for phrase in left.split_whitespace() {
            let key: Vec<String> = phrase.split('_').map(stem).collect();
            let known = all.entry(key.clone()).or_default();
            for word in right.split_whitespace().filter(|word| !word.contains('_')) {
                let stem = stem(word);
                if !key.contains(&stem) && !known.contains(&stem) {
                    known.push(stem);
                }
            }
        }
    }
    all
});

pub(super) fn find(stems: &[String]) -> &'static [String] {
    SYNONYMS.get(stems).map_or(&[], Vec::as_slice)
}
