//! Parses a text into URLs, listing ids, e-mail addresses, quotations, names and plain words. The plain words
//! do not contain the other parts. So nothing inside a URL or a quotation can be mistaken for a request.

use std::ops::Range;

use crate::a2a::intent::named_call;
use crate::a2a::intent::words::{Word, WordSplitter, is_thanks, lists};
use registry_features::AnyOperation;
use registry_formats::server_json;
use registry_model::{Kind, ListingId};

use forms::{is_day, is_email, is_host, is_id, is_token, scheme, trim_marks, url_of};

mod forms;
mod listings;
mod measures;
mod sender;

/// The rest of a longer text is ignored.
const MAX_BYTES: usize = 2000;
/// Each word is compared with some nine hundred examples.
const MAX_WORDS: usize = 150;

/// How the registry names of servers begin that no host name begins with.
const REVERSED: &str = "com. io. org. net. dev. ai. app.";

#[derive(Clone, Debug, Default)]
pub(super) struct ParsedText {
    /// The part of the text that was read.
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    /// URLs, each once.
    pub(super) urls: Vec<String>,
    /// Listing ids, each once, as they were written, in the order of the text.
    pub(super) ids: Vec<String>,
    /// The ids that were written as names, with their positions.
    named: Vec<(String, Range<usize>)>,
    pub(super) emails: Vec<String>,
    /// Access tokens and signed statements.
    pub(super) tokens: Vec<String>,
    pub(super) orders: Vec<String>,
    /// Days and times as in RFC 3339.
    pub(super) days: Vec<String>,
    /// Quotations, then sequences of capitalized words.
    pub(super) names: Vec<String>,
    /// How many of the names were quoted.
    pub(super) quoted: usize,
    /// Sequences of capitalized words with the first word of a sentence, which may be a part of a name.
    pub(super) capitals: Vec<String>,
    /// Who sends the message: `planner` in "From planner: …".
    pub(super) sender: Option<String>,
    /// Whole numbers that are words of their own.
    pub(super) numbers: Vec<u64>,
    /// Operations called by name, each with its index in `words`.
    pub(super) operation_names: Vec<(&'static AnyOperation, usize)>,
    /// What stands for URLs, ids and tokens where only the meaning of the text counts.
    stand_ins: Vec<(Range<usize>, &'static str)>,
}

const LISTING: &str = "this listing";
const ADDRESS: &str = "this address";
const TOKEN: &str = "this token";

impl ParsedText {
    pub(super) fn parse(text: &str) -> Self {
        let text = beginning(text);
        let mut parsed = Self { text: text.to_owned(), ..Self::default() };
        let mut splitter = WordSplitter::default();
        let mut at = parsed.take_sender();
        while at < text.len() {
            let rest = &text[at..];
            if let Some((inner, whole)) = quotation(text, at) {
                let stand_in = parsed.take_quotation(&text[inner]);
                parsed.stand_ins.extend(stand_in.map(|stand_in| (whole.clone(), stand_in)));
                at = whole.end;
                continue;
            }
            if rest.starts_with(['(', '[']) {
                splitter.add(text, at..at + 1);
                at += 1;
                continue;
            }
            let chunk = at..at + rest.find(char::is_whitespace).unwrap_or(rest.len());
            if chunk.is_empty() {
                let blank = rest.chars().next().map_or(1, char::len_utf8);
                splitter.add(text, at..at + blank);
                at += blank;
                continue;
            }
            let end = parsed.take_chunk(text, chunk, &mut splitter);
            at = end;
        }
        parsed.words = splitter.words;
        parsed.words.truncate(MAX_WORDS);
        parsed.take_numbers_and_names();
        parsed
    }

    /// What the text is about, without what it says: its words only choose an example.
    pub(super) fn targets(&self) -> Self {
        Self { urls: self.urls.clone(), ids: self.ids.clone(), words: self.words.clone(), ..Self::default() }
    }

    /// Where the words in this part of the text begin.
    pub(super) fn words_in(&self, part: Range<usize>) -> impl Iterator<Item = usize> {
        self.words.iter().map(|word| word.at.start).filter(move |start| part.contains(start))
    }

    /// Takes a chunk between two blanks; returns where to continue.
    fn take_chunk(&mut self, text: &str, chunk: Range<usize>, splitter: &mut WordSplitter) -> usize {
        let raw = &text[chunk.clone()];
        if let Some(begin) = scheme(raw) {
            splitter.add(text, chunk.start..chunk.start + begin);
            let url = url_of(&raw[begin..]);
            push_new(&mut self.urls, url);
            let end = chunk.start + begin + url.len();
            self.stand_ins.push((chunk.start + begin..end, ADDRESS));
            return end;
        }
        let (core, from) = trim_marks(raw);
        let core = without_possessive(core);
        if core.is_empty() {
            splitter.add(text, chunk.clone());
            return chunk.end;
        }
        let (start, end) = (chunk.start + from, chunk.start + from + core.len());
        splitter.add(text, chunk.start..start);
        if is_id(core) {
            push_new(&mut self.ids, core);
            self.stand_ins.push((start..end, LISTING));
        } else if REVERSED.split(' ').any(|first| core.starts_with(first)) && server_json::is_name(core) {
            let id = ListingId::of_name(Kind::Mcp, core).to_string();
            push_new(&mut self.ids, &id);
            self.stand_ins.push((start..end, LISTING));
            self.named.push((id, start..end));
        } else if is_token(core) {
            push_new(&mut self.tokens, core);
            self.stand_ins.push((start..end, TOKEN));
        } else if is_email(core) {
            push_new(&mut self.emails, core);
        } else if core.starts_with("ord_") {
            push_new(&mut self.orders, core);
        } else if is_day(core) {
            push_new(&mut self.days, core);
        } else if is_host(core) {
            push_new(&mut self.urls, &format!("https://{core}"));
            self.stand_ins.push((start..end, ADDRESS));
        } else if let Some(entry) =
            Some(core).filter(|core| core.contains(['_', '-'])).and_then(named_call::named)
        {
            // It is also a word, so that it can be the verb of a request.
            let index = splitter.words.len();
            splitter.add(text, start..start + 1);
            self.operation_names.push((entry, index));
        } else {
            // The end of a sentence must be added in the same step as the word before it.
            splitter.add(text, start..chunk.end);
            return chunk.end;
        }
        splitter.add(text, end..chunk.end);
        chunk.end
    }

    pub(super) fn says(&self, low: &str) -> bool {
        self.words.iter().any(|word| word.low == low)
    }

    /// The name that directly follows "named", "called" or "the name", without quotes.
    pub(super) fn given_name(&self) -> Option<&str> {
        let follows = |name: &&String| {
            let before = self
                .text
                .find(name.as_str())
                .map(|at| self.text[..at].trim_end_matches([' ', '"', '“', '\'']));
            before.is_some_and(|before| {
                ["named", "called", "under the name", "with the name"]
                    .iter()
                    .any(|word| before.ends_with(word))
            })
        };
        self.names.iter().find(follows).map(String::as_str)
    }

    pub(super) fn says_mcp_server(&self) -> bool {
        self.words.windows(2).any(|pair| pair[0].low == "mcp" && pair[1].stem == "server")
    }

    /// The word that begins so, such as the id of a purchase.
    pub(super) fn beginning_with(&self, beginning: &str) -> Option<&str> {
        let mut words = self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        words.find(|word| word.starts_with(beginning))
    }

    /// A word that can only be the name of a tool, such as `get_tides`.
    pub(super) fn tool_name(&self) -> Option<&str> {
        let words = self.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut names = words.filter(|word| word.trim_matches('_').contains('_') && !is_id(word));
        names.next().filter(|_| self.operation_names.is_empty() && self.tokens.is_empty())
    }

    /// Returns what stands for the quotation, unless it is a text.
    fn take_quotation(&mut self, inner: &str) -> Option<&'static str> {
        let inner = inner.trim();
        if scheme(inner) == Some(0) && !inner.contains(char::is_whitespace) {
            push_new(&mut self.urls, url_of(inner));
            Some(ADDRESS)
        } else if is_id(inner) {
            push_new(&mut self.ids, inner);
            Some(LISTING)
        } else if is_token(inner) {
            push_new(&mut self.tokens, inner);
            Some(TOKEN)
        } else {
            self.names.push(inner.to_owned());
            self.quoted += 1;
            None
        }
    }

    /// The text without its quotations, which are for somebody else.
    pub(super) fn unquoted(&self) -> String {
        self.names[..self.quoted].iter().fold(self.text.clone(), |text, name| text.replacen(name, "", 1))
    }

    pub(super) fn is_polite(&self, word: &Word) -> bool {
        word.is_polite() || is_thanks(&self.words, word.sentence)
    }

    /// The text without polite words, in which other words stand for all URLs, ids and tokens.
    pub(super) fn neutral(&self) -> String {
        let polite = self.words.iter().filter(|word| self.is_polite(word));
        let mut parts: Vec<_> = polite.map(|word| (word.at.clone(), "")).collect();
        parts.extend(self.stand_ins.iter().cloned());
        parts.sort_unstable_by_key(|(part, _)| part.start);
        let mut neutral = String::with_capacity(self.text.len());
        let mut end = 0;
        for (part, stand_in) in parts {
            neutral.push_str(self.text.get(end..part.start).unwrap_or_default());
            neutral.push_str(stand_in);
            end = part.end;
        }
        neutral + self.text.get(end..).unwrap_or_default()
    }

    fn take_numbers_and_names(&mut self) {
        // The end of "agent-7" is no number, and "a score above 80" is no number of listings.
        const COMPARES: &str = "above below over under than least";
        let is_alone = |at: &usize| {
            let is_compared = *at > 0 && lists(COMPARES, &self.words[at - 1].low);
            !is_compared && !self.text[..self.words[*at].at.start].ends_with('-')
        };
        let alone = (0..self.words.len()).filter(is_alone);
        self.numbers = alone.filter_map(|at| self.words[at].low.parse().ok()).collect();
        let mut runs: Vec<Vec<&Word>> = Vec::new();
        let mut before: Option<&Word> = None;
        // An acronym, as in "Vaultgate CRM", only continues a name.
        let is_upper = |word: &Word| {
            self.text
                .get(word.at.clone())
                .is_some_and(|raw| raw.len() > 1 && raw.chars().all(char::is_uppercase))
        };
        // "Server m7" and "Agent 12" are names, too.
        let has_digit = |word: &Word| word.low.contains(|c: char| c.is_ascii_digit());
        for word in self.words.iter().filter(|word| word.capital || is_upper(word) || has_digit(word)) {
            let next_to = before.is_some_and(|before: &Word| {
                self.text.get(before.at.end..word.at.start).is_some_and(|between| between.trim().is_empty())
            });
            match runs.last_mut() {
                Some(run) if next_to => run.push(word),
                _ if !word.capital => continue,
                _ => runs.push(vec![word]),
            }
            before = Some(word);
        }
        let written = |run: &[&Word]| {
            let (first, last) = (run.first()?, run.last()?);
            Some(without_possessive(&self.text[first.at.start..last.at.end]).to_owned())
        };
        for run in runs {
            // The first word of a sentence is always capitalized.
            let begins = run[0].starts_clause || !run[0].is_significant();
            self.names.extend(written(&run[usize::from(begins)..]));
            self.capitals.extend(written(&run).filter(|_| begins && run[0].is_significant()));
        }
    }
}

pub(super) fn without_possessive(name: &str) -> &str {
    name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name)
}

pub(super) fn push_new(list: &mut Vec<String>, text: &str) {
    if !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// The beginning of a text, cut at a blank.
fn beginning(text: &str) -> &str {
    let text = text.trim();
    if text.len() <= MAX_BYTES {
        return text;
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_BYTES).last().unwrap_or(0);
    let head = &text[..end];
    head.rfind(char::is_whitespace).map_or("", |blank| &head[..blank])
}

/// A quotation that begins at `at`: the range inside the marks, and the range with them.
fn quotation(text: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let open = text[at..].chars().next()?;
    let close = match open {
        '"' | '`' | '\'' => open,
        '“' | '„' => '”',
        '«' => '»',
        '‘' => '’',
        _ => return None,
    };
    let start = at + open.len_utf8();
    let length = text[start..].find(|c| c == close || (open == '„' && c == '“') || c == '\n')?;
    let end = start + length;
    let found = text[end..].chars().next()?;
    let after = text[end + found.len_utf8()..].chars().next();
    let closes = found != '\n' && after.is_none_or(|c| !c.is_alphanumeric());
    (closes && (1..=200).contains(&length)).then_some((start..end, at..end + found.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_long_text_is_read() {
        let long = format!("help {}", "é".repeat(20_000));
        assert_eq!(ParsedText::parse(&long).words.len(), 1);
        let long = format!("help {}", "word ".repeat(4000));
        assert!(ParsedText::parse(&long).text.len() <= MAX_BYTES);
    }
}
