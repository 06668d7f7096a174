//! Who sends a message, if its text says so.

use std::ops::Range;

use super::ParsedText;
use super::forms::is_id;

impl ParsedText {
    /// Takes "From planner-agent:" at the beginning; returns where the rest begins. A plain word before a comma may be a place.
    pub(super) fn take_sender(&mut self) -> usize {
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

    /// The listing in whose name a message about another one is sent, with its position and the words before it: "endorse {id} from
    /// {id}".
    pub(in crate::a2a::intent) fn sending_listing(&self) -> Option<(&str, Range<usize>)> {
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
            let position = self.position(id)?;
            let before = self.text[..position.start].trim_end_matches([' ', '"', '“', '„', '«']);
            let begins =
                BEFORE.iter().filter_map(|words| before.len().checked_sub(words.len()).map(|at| (at, words)));
            let mut begins = begins.filter(|(at, words)| {
                before.get(*at..).is_some_and(|end| end.eq_ignore_ascii_case(words))
                    && !before[..*at].ends_with(char::is_alphanumeric)
            });
            begins.next().map(|(at, _)| (id.as_str(), at..position.end))
        })
    }

    /// Who sends the message: a few words after "Signed:" at its end, or a name in the form of a program's, such as `planner-7`.
    /// "It returned a signed answer" names nobody.
    pub(in crate::a2a::intent) fn signature(&self) -> Option<(&str, Range<usize>)> {
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
}
