//! The listings in a text: where they are, and how they are connected.

use std::ops::Range;

use super::{LISTING, ParsedText, push_new};
use crate::a2a::intent::words::{Word, lists};

impl ParsedText {
    /// Takes the words or the quotation of a listing's name as its id.
    pub(in crate::a2a::intent) fn take_name(&mut self, name: &str, id: &str) {
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
        ids.sort_by_key(|id| self.position(id).map_or(usize::MAX, |position| position.start));
        self.ids = ids;
    }

    /// Where a listing is first; those of data parts have no position.
    pub(in crate::a2a::intent) fn position(&self, id: &str) -> Option<Range<usize>> {
        let named = self.named.iter().find(|(known, _)| known == id).map(|(_, range)| range.clone());
        named.or_else(|| self.text.find(id).map(|at| at..at + id.len()))
    }

    /// Where a listing is first after a position.
    pub(in crate::a2a::intent) fn position_after(&self, id: &str, start: usize) -> Option<Range<usize>> {
        let written = &self.text[self.position(id)?];
        let at = start + self.text.get(start..)?.find(written)?;
        Some(at..at + written.len())
    }

    /// Whether a listing follows another one in an enumeration: "{id}, {id} and {id}".
    pub(in crate::a2a::intent) fn are_listed_together(&self, id: &str, next: &str) -> bool {
        const BETWEEN: &str = "and or & und oder et ou y o e ed";
        let [Some(one), Some(next)] = [self.position(id), self.position(next)] else { return false };
        let between = self.text.get(one.end..next.start).unwrap_or("-");
        let mut between = between.split([' ', ',', '"', '“', '”', '\'']).filter(|word| !word.is_empty());
        between.all(|word| lists(BETWEEN, &word.to_lowercase()))
    }

    /// Where the first listings of the text end, so many as `count`.
    pub(in crate::a2a::intent) fn end_of_ids(&self, count: usize) -> usize {
        let mut ends: Vec<usize> =
            self.stand_ins.iter().filter(|(_, what)| *what == LISTING).map(|(range, _)| range.end).collect();
        ends.sort_unstable();
        ends.truncate(count);
        ends.last().copied().unwrap_or(0)
    }

    /// Where a text begins after an id: at its first colon.
    pub(in crate::a2a::intent) fn colon(&self) -> Option<usize> {
        let id = self.ids.first()?;
        let after = self.text.find(id.as_str())? + id.len();
        let ends = |at: &usize| self.text[after + at + 1..].starts_with(char::is_whitespace);
        let at = after + self.text[after..].find(':').filter(ends)?;
        // "From: Hooli Legal" is its sender.
        let low = self.text[..at].to_ascii_lowercase();
        (!low.ends_with("from") && !low.ends_with("signed")).then_some(at)
    }
}
