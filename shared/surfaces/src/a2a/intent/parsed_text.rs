//! Parses a text into URLs, listing ids, e-mail addresses, quotations, names and plain words. The plain words
//! do not contain the other parts. So nothing inside a URL or a quotation can be mistaken for a request.

use std::ops::Range;

use crate::a2a::intent::command;
use crate::a2a::intent::named_call;
use crate::a2a::intent::words::{Word, WordSplitter, lists};
use registry_features::AnyOperation;
use registry_formats::server_json;
use registry_model::{Kind, ListingId, has_public_suffix};

/// The rest of a longer text is ignored.
const MAX_BYTES: usize = 2000;
/// Each word is compared with some nine hundred examples.
const MAX_WORDS: usize = 150;

/// Top-level domains that are far more often file name extensions.
const FILE_EXTENSIONS: &str = "cc do java js md ml pl py rs sh so zip";

/// How the registry names of servers begin that no host name begins with.
const REVERSED: &str = "com. io. org. net. dev. ai. app.";

/// What follows `agent-` or `mcp-` in ordinary words; anything else with such a prefix is a listing id.
const ORDINARY_SUFFIXES: &str = "api based capable card cards client clients compatible directory endpoint endpoints first id like \
    name native powered protocol registry server servers skill skills to-agent tool tools";

#[derive(Debug, Default)]
pub(super) struct ParsedText {
    /// The part of the text that was read.
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    /// URLs, each once.
    pub(super) urls: Vec<String>,
    /// Listing ids, each once, as they were written, in the order of the text.
    pub(super) ids: Vec<String>,
    /// The ids that were written as names, with their places.
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

    /// Takes "From planner-agent:" at the beginning; returns where the rest begins. A plain word before a comma may be a place.
    fn take_sender(&mut self) -> usize {
        let chunks: Vec<&str> = self.text.splitn(3, ' ').collect();
        let [first, sender, _] = chunks[..] else { return 0 };
        let name = sender.strip_suffix(':');
        let name = name.or_else(|| sender.strip_suffix(',').filter(|name| name.contains(['-', '_'])));
        let name = name.filter(|_| first.eq_ignore_ascii_case("from")).map(str::to_owned);
        let end = name.as_ref().map_or(0, |_| first.len() + 1 + sender.len());
        self.sender = name;
        self.stand_ins.push((0..end, ""));
        end
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

    /// Takes the words or the quotation of a listing's name as its id.
    pub(super) fn take_name(&mut self, name: &str, id: &str) {
        let is_here = |word: &Word| self.text.get(word.at.start..).is_some_and(|rest| rest.starts_with(name));
        let at = self.words.iter().position(is_here);
        let quoted =
            || self.text.find(name).filter(|_| self.names[..self.quoted].iter().any(|known| known == name));
        let Some(start) = at.map(|at| self.words[at].at.start).or_else(quoted) else { return };
        let range = start..start + name.len();
        let starts_clause = at.is_some_and(|at| self.words[at].starts_clause);
        self.words.retain(|word| !range.contains(&word.at.start));
        // As after an id.
        if let Some(next) = at.and_then(|at| self.words.get_mut(at)) {
            next.starts_clause |= starts_clause;
        }
        self.quoted -= self.names[..self.quoted].iter().filter(|known| *known == name).count();
        self.names.retain(|known| known != name);
        self.stand_ins.push((range.clone(), LISTING));
        self.named.push((id.to_owned(), range));
        push_new(&mut self.ids, id);
        let mut ids = std::mem::take(&mut self.ids);
        ids.sort_by_key(|id| self.place(id).map_or(usize::MAX, |place| place.start));
        self.ids = ids;
    }

    /// Where a listing is first; those of data parts have no place.
    pub(super) fn place(&self, id: &str) -> Option<Range<usize>> {
        let named = self.named.iter().find(|(known, _)| known == id).map(|(_, range)| range.clone());
        named.or_else(|| self.text.find(id).map(|at| at..at + id.len()))
    }

    /// Where a listing is first after a place.
    pub(super) fn place_after(&self, id: &str, start: usize) -> Option<Range<usize>> {
        let written = &self.text[self.place(id)?];
        let at = start + self.text.get(start..)?.find(written)?;
        Some(at..at + written.len())
    }

    /// The listing in whose name a message about another one is sent, with its place and the words before it: "endorse {id} from
    /// {id}".
    pub(super) fn sending_listing(&self) -> Option<(&str, Range<usize>)> {
        const BEFORE: [&str; 12] = [
            "from",
            "we are",
            "i am",
            "i'm",
            "this is",
            "on behalf of",
            "in the name of",
            "im namen von",
            "de la part de",
            "de parte de",
            "en nombre de",
            "em nome de",
        ];
        self.ids.iter().filter(|_| self.ids.len() > 1).find_map(|id| {
            let place = self.place(id)?;
            let before = self.text[..place.start].trim_end_matches([' ', '"', '“', '„', '«']);
            let begins =
                BEFORE.iter().filter_map(|words| before.len().checked_sub(words.len()).map(|at| (at, words)));
            let mut begins = begins.filter(|(at, words)| {
                before.get(*at..).is_some_and(|end| end.eq_ignore_ascii_case(words))
                    && !before[..*at].ends_with(char::is_alphanumeric)
            });
            begins.next().map(|(at, _)| (id.as_str(), at..place.end))
        })
    }

    /// Whether a listing follows another one in an enumeration: "{id}, {id} and {id}".
    pub(super) fn are_listed_together(&self, id: &str, next: &str) -> bool {
        const BETWEEN: &str = "and or & und oder et ou y o e ed";
        let [Some(one), Some(next)] = [self.place(id), self.place(next)] else { return false };
        let between = self.text.get(one.end..next.start).unwrap_or("-");
        let mut between = between.split([' ', ',', '"', '“', '”', '\'']).filter(|word| !word.is_empty());
        between.all(|word| lists(BETWEEN, &word.to_lowercase()))
    }

    /// The number in "quality 0.9", from 0 to 1.
    pub(super) fn quality(&self) -> Option<f64> {
        self.after_word("quality").filter(|quality| (0.0..=1.0).contains(quality))
    }

    /// The number directly after a word or its "of".
    pub(super) fn after_word(&self, word: &str) -> Option<f64> {
        let low = self.text.to_ascii_lowercase();
        let (_, rest) = low.split_once(word)?;
        let number = rest.trim_start().trim_start_matches("of ").split([' ', ',', ';', '?', '!']).next()?;
        number.trim_end_matches('.').parse().ok()
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

    /// Who sends the message: a few words after "Signed:" at its end, or a name in the form of a program's, such as `planner-7`.
    /// "It returned a signed answer" names nobody.
    pub(super) fn signature(&self) -> Option<(&str, Range<usize>)> {
        let low = self.text.to_ascii_lowercase();
        let has_form = |name: &str| name.contains(['-', '_']) && !is_id(name);
        let rest = |end: usize| self.text[end..].trim_start_matches([' ', '"', ':']);
        let found = |name, at: usize, rest: &str| (name, at..self.text.len() - rest.len() + str::len(name));
        for words in ["i am ", "i'm ", "on behalf of ", "in the name of "] {
            let Some(at) = low.find(words) else { continue };
            let rest = rest(at + words.len());
            let name = rest.split([' ', ',', ';', ':', '.', '"', '\n']).next()?;
            let ends = rest[name.len()..].starts_with(['.', ',', ';', ':']);
            if has_form(name) && (!words.starts_with("i") || words.starts_with("in") || at == 0 && ends) {
                return Some(found(name, at, rest));
            }
        }
        for words in ["sign it as", "signed by", "signed", "from:", "--"] {
            let Some(at) = low.rfind(words) else { continue };
            let rest = rest(at + words.len());
            let name = rest.trim_end_matches(['.', '!', '"', ' ']);
            let begins = low[..at].trim_end().ends_with(['.', ',', ';', '!', '?']);
            let is_short = !name.contains(['.', ',', ':', '\n']) && name.split(' ').count() <= 3;
            if begins && is_short && !name.is_empty()
                || words == "--" && !name.contains(' ') && has_form(name)
            {
                return Some(found(name, at, rest));
            }
        }
        None
    }

    /// Where the first listings of the text end, so many as `count`.
    pub(super) fn end_of_ids(&self, count: usize) -> usize {
        let mut ends: Vec<usize> =
            self.stand_ins.iter().filter(|(_, what)| *what == LISTING).map(|(range, _)| range.end).collect();
        ends.sort_unstable();
        ends.truncate(count);
        ends.last().copied().unwrap_or(0)
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
        word.is_polite() || command::is_thanks(&self.words, word.sentence)
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

    /// How long a use took, in milliseconds: `took 1.5 seconds`, `timeout after 30 s`, `120ms`. `None` if it says several times.
    pub(super) fn milliseconds(&self) -> Option<u32> {
        const BEFORE: &str = "took in within after about only just around roughly nearly latency of needed";
        let times = self.measures().filter_map(|(before, number, after)| {
            let unit = match after.split(' ').next()? {
                "ms" | "millisecond" | "milliseconds" => return Some(number),
                "s" | "sec" | "secs" | "second" | "seconds" => 1000.0,
                "min" | "minute" | "minutes" => 60_000.0,
                _ => return None,
            };
            let is_ago = after.split(' ').nth(1) == Some("ago");
            (!is_ago && lists(BEFORE, &before)).then_some(number * unit)
        });
        let [time] = times.collect::<Vec<f64>>()[..] else { return None };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let time = time as u32;
        Some(time)
    }

    /// How many hours: `24 hours`, `2 days`.
    pub(super) fn hours(&self) -> Option<f64> {
        self.measures().find_map(|(_, number, after)| {
            let unit = match after.split(' ').next()? {
                "h" | "hour" | "hours" | "stunden" | "heures" | "horas" => 1.0,
                "day" | "days" | "tage" | "jours" | "días" | "dias" => 24.0,
                _ => return None,
            };
            Some(number * unit)
        })
    }

    /// A rating from 1 to 5: `4 of 5`, `4/5`, `4 stars`, `rating of 4`.
    pub(super) fn stars(&self) -> Option<u8> {
        const AFTER: [&str; 7] = ["/5", "/ 5", "of 5", "out of 5", "von 5", "sur 5", "star"];
        let is_rating = |before: &str, after: &str| {
            lists("rating nota note bewertung puntuación voto", before)
                || AFTER.iter().any(|end| after.starts_with(end))
        };
        let (_, number, _) = self.measures().find(|(before, _, after)| is_rating(before, after))?;
        (1..=5).find(|stars| (f64::from(*stars) - number).abs() < f64::EPSILON)
    }

    /// Numbers, each with the word before it and with what follows: the rest of its word and three more, in lower case.
    fn measures(&self) -> impl Iterator<Item = (String, f64, String)> {
        let low = self.text.to_lowercase();
        let words =
            low.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'));
        let words: Vec<String> = words.map(str::to_owned).collect();
        (0..words.len()).filter_map(move |at| {
            let (number, unit) = words[at].split_at(
                words[at].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(words[at].len()),
            );
            let after = std::iter::once(unit).chain(words.iter().skip(at + 1).take(3).map(String::as_str));
            let after = after.collect::<Vec<_>>().join(" ");
            let before = words[..at].iter().rfind(|word| *word != "of").cloned().unwrap_or_default();
            Some((before, number.parse().ok()?, after.trim().to_owned()))
        })
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

fn scheme(text: &str) -> Option<usize> {
    let low = text.to_ascii_lowercase();
    [low.find("https://"), low.find("http://")].into_iter().flatten().min()
}

/// The URL at the beginning of a text, without the punctuation of the sentence around it.
fn url_of(text: &str) -> &str {
    let stop = |c: char| c.is_whitespace() || "<>\"“”»`|\\。，、；）」".contains(c);
    let mut url = &text[..text.find(stop).unwrap_or(text.len())];
    loop {
        let shorter = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', ']', '}']);
        let shorter = match shorter.strip_suffix(')') {
            Some(head) if head.matches('(').count() < shorter.matches(')').count() => head,
            _ => shorter,
        };
        if shorter == url {
            return url;
        }
        url = shorter;
    }
}

/// A chunk without the punctuation around it, and where the rest begins.
fn trim_marks(raw: &str) -> (&str, usize) {
    let inner = |c: char| c.is_alphanumeric();
    let from = raw.find(inner).unwrap_or(raw.len());
    let to = raw.rfind(inner).map_or(from, |at| at + raw[at..].chars().next().map_or(1, char::len_utf8));
    let to = if raw[to..].starts_with('/') { to + 1 } else { to };
    (raw.get(from..to).unwrap_or_default(), from)
}

fn is_id(text: &str) -> bool {
    let slug = |rest: &str| {
        rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            && rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
            && !ORDINARY_SUFFIXES.split(' ').any(|suffix| suffix.eq_ignore_ascii_case(rest))
    };
    match text.split_once(['_', '-']) {
        Some(("agtpub", rest)) => !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric()),
        Some(("agent" | "mcp", rest)) => {
            text.as_bytes().get(text.len() - rest.len() - 1) == Some(&b'-') && slug(rest)
        }
        _ => false,
    }
}

/// `at_…`, or a JWS, whose header is a JSON object.
fn is_token(text: &str) -> bool {
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    is_plain && text.len() > 12 && (text.starts_with("eyJ") || text.starts_with("at_"))
}

/// Whether a text begins as a day: four digits, two and two.
fn is_day(text: &str) -> bool {
    let day = text.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    day.eq(*b"0000-00-00")
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && is_host(domain))
}

/// A host name under a public suffix, with or without a path; not a file name.
fn is_host(text: &str) -> bool {
    let (host, path) = text.split_once('/').map_or((text, None), |(host, path)| (host, Some(path)));
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let labels: Vec<&str> = name.split('.').collect();
    let plain =
        |label: &&str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let last = labels.last().copied().unwrap_or_default().to_ascii_lowercase();
    labels.len() >= 2
        && labels.iter().all(plain)
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && (labels.len() > 2 || path.is_some() || !lists(FILE_EXTENSIONS, &last))
        && has_public_suffix(&name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
