//! Words of the field that stand for one another: `k8s` and `kubernetes`, `db` and `database`. A short list made by
//! hand (`assets/synonyms.txt` says how it is written), for what no statistics over few listings can know.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::stem;

static LIST: &str = include_str!("../../assets/synonyms.txt");

/// The longest phrase on the left of a line, in words.
pub(super) const LONGEST: usize = 3;

/// From the stems of a word or phrase to the stems that may stand for it.
static SYNONYMS: LazyLock<HashMap<Vec<String>, Vec<String>>> = LazyLock::new(|| {
    let mut all: HashMap<Vec<String>, Vec<String>> = HashMap::new();
    for line in LIST.lines() {
        let line = line.split('#').next().unwrap_or_default();
        // `a b > c`: whoever says a or b may mean c, not the other way. Without an arrow each may mean each.
        let (said, meant) = line.split_once('>').unwrap_or((line, line));
        for phrase in said.split_whitespace() {
            let key: Vec<String> = phrase.split('_').map(stem).collect();
            let known = all.entry(key.clone()).or_default();
            for word in meant.split_whitespace().filter(|word| !word.contains('_')) {
                let stem = stem(word);
                if !key.contains(&stem) && !known.contains(&stem) {
                    known.push(stem);
                }
            }
        }
    }
    all
});

/// The stems that may stand for these stems, one word or a phrase.
pub(super) fn of(stems: &[String]) -> &'static [String] {
    SYNONYMS.get(stems).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(words: &str) -> Vec<String> {
        words.split(' ').map(stem).collect()
    }

    #[test]
    fn words_stand_for_each_other_and_phrases_for_words() {
        assert!(of(&stems("k8s")).contains(&stem("kubernetes")));
        assert!(of(&stems("kubernetes")).contains(&stem("k8s")));
        assert!(of(&stems("pull request")).contains(&stem("merge")));
        assert!(of(&stems("merge")).is_empty() || !of(&stems("merge")).contains(&"pull request".to_owned()));
        assert!(of(&stems("nothing")).is_empty());
    }
}
