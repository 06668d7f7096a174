//! How a text is split into words, and which forms of a word count as the same. The rules are for English only; a text
//! in another language matches nothing and is answered with help.

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In small letters, without apostrophes.
    pub(super) low: String,
    /// The stem that its other forms share.
    pub(super) stem: String,
    /// Begins with a capital letter and is no acronym.
    pub(super) capital: bool,
    /// It is the first word of its clause.
    pub(super) opens: bool,
    /// Its sentence, counted from 0.
    pub(super) sentence: usize,
    /// Its byte range in the text.
    pub(super) at: std::ops::Range<usize>,
}

/// Words that carry no meaning of their own.
const EMPTY: [&str; 69] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but",
    "by", "can", "could", "did", "do", "does", "for", "from", "get", "give", "had", "has", "have", "hello",
    "hey", "hi", "i", "in", "is", "it", "its", "just", "kindly", "me", "my", "no", "not", "now", "of", "on",
    "or", "our", "please", "so", "some", "tell", "thank", "thanks", "that", "the", "then", "there", "these",
    "this", "to", "us", "was", "we", "what", "which", "with", "would", "yes", "you",
];

impl Word {
    /// The word at `at` in `text`.
    pub(super) fn read(text: &str, at: std::ops::Range<usize>, opens: bool, sentence: usize) -> Self {
        let raw = &text[at.clone()];
        let low = plain(raw);
        let mut letters = raw.chars();
        let capital = letters.next().is_some_and(char::is_uppercase)
            && (letters.clone().next().is_none() || letters.any(char::is_lowercase));
        Self { stem: stem(&low), capital, opens, sentence, at, low }
    }

    /// Whether it counts in matching.
    pub(super) fn counts(&self) -> bool {
        !EMPTY.contains(&self.low.as_str())
    }
}

/// The words of a text without picks in it.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut cutter = Cutter::default();
    cutter.cut(text, 0..text.len());
    cutter.words
}

/// Cuts a text into words piece by piece, leaving out what was picked from it.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    pub(super) words: Vec<Word>,
    sentence: usize,
    midway: bool,
}

impl Cutter {
    /// Cuts the words out of a part of the text.
    pub(super) fn cut(&mut self, text: &str, part: std::ops::Range<usize>) {
        let mut begun: Option<usize> = None;
        for (offset, c) in text[part.clone()].char_indices() {
            let at = part.start + offset;
            if c.is_alphanumeric() || (matches!(c, '\'' | '’') && begun.is_some()) {
                begun.get_or_insert(at);
                continue;
            }
            self.end(text, begun.take(), at);
            let stands_alone = text[..at].ends_with(char::is_whitespace);
            match c {
                '-' if stands_alone => self.midway = false,
                '.' | '!' | '?' | ';' | '\n' => {
                    self.sentence += 1;
                    self.midway = false;
                }
                ',' | ':' | '(' | ')' | '–' | '—' | '>' | '*' => self.midway = false,
                _ => {}
            }
        }
        self.end(text, begun, part.end);
    }

    fn end(&mut self, text: &str, begun: Option<usize>, at: usize) {
        if let Some(start) = begun {
            self.words.push(Word::read(text, start..at, !self.midway, self.sentence));
            self.midway = true;
        }
    }
}

/// Small letters, and of a short form only its first half: `what's` is `what`, `don't` is `dont`.
fn plain(raw: &str) -> String {
    let low = raw.to_lowercase().replace('’', "'");
    let low = low.trim_end_matches('\'');
    match low.rsplit_once('\'') {
        Some((head, "s" | "d" | "ll" | "re" | "ve" | "m")) => head.to_owned(),
        _ => low.replace('\'', ""),
    }
}

/// What a word shares with its plural and its other forms. It need not be a word, only the same for every form.
pub(super) fn stem(low: &str) -> String {
    if !low.is_ascii() || low.len() < 4 {
        return low.to_owned();
    }
    for (ending, least) in [("ings", 4), ("ing", 4), ("ies", 3), ("ed", 4), ("es", 4), ("s", 3), ("e", 3)] {
        if let Some(head) = low.strip_suffix(ending).filter(|head| head.len() >= least) {
            if ending == "s" && (head.ends_with('s') || head.ends_with('u')) {
                break;
            }
            let head = if ending == "ies" { format!("{head}y") } else { head.to_owned() };
            return halved(head);
        }
    }
    low.to_owned()
}

/// `stopp` and `stop` are one; `fill` stays.
fn halved(mut head: String) -> String {
    let bytes = head.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && matches!(a, b'b' | b'd' | b'g' | b'm' | b'n' | b'p' | b'r' | b't')
    {
        head.pop();
    }
    head.trim_end_matches('e').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        for forms in [
            ["list", "lists", "listing", "listings"].as_slice(),
            &["score", "scores", "scored", "scoring"],
            &["register", "registers", "registered", "registering"],
            &["agent", "agents"],
            &["query", "queries"],
            &["stop", "stopped", "stopping"],
        ] {
            let stems: std::collections::BTreeSet<String> = forms.iter().map(|form| stem(form)).collect();
            assert_eq!(stems.len(), 1, "{forms:?}: {stems:?}");
        }
        for (one, other) in [("live", "list"), ("status", "state"), ("alive", "live"), ("clean", "clear")] {
            assert_ne!(stem(one), stem(other));
        }
    }

    #[test]
    fn short_forms_and_clauses() {
        let words = words("What's up? Don't, please list me.");
        let low: Vec<&str> = words.iter().map(|word| word.low.as_str()).collect();
        assert_eq!(low, ["what", "up", "dont", "please", "list", "me"]);
        let opening: Vec<&str> =
            words.iter().filter(|word| word.opens).map(|word| word.low.as_str()).collect();
        assert_eq!(opening, ["what", "dont", "please"]);
        assert_eq!((words[0].sentence, words[5].sentence), (0, 1));
    }
}
