//! The numbers in a text and what they measure.

use super::ParsedText;
use crate::a2a::intent::words::lists;

impl ParsedText {
    /// The number in "quality 0.9", from 0 to 1.
    pub(in crate::a2a::intent) fn quality(&self) -> Option<f64> {
        self.after_word("quality").filter(|quality| (0.0..=1.0).contains(quality))
    }

    /// The number directly after a word or its "of".
    pub(in crate::a2a::intent) fn after_word(&self, word: &str) -> Option<f64> {
        let low = self.text.to_ascii_lowercase();
        let (_, rest) = low.split_once(word)?;
        let number = rest.trim_start().trim_start_matches("of ").split([' ', ',', ';', '?', '!']).next()?;
        number.trim_end_matches('.').parse().ok()
    }

    /// How long a use took, in milliseconds: `took 1.5 seconds`, `timeout after 30 s`, `120ms`. `None` if it says several times.
    pub(in crate::a2a::intent) fn milliseconds(&self) -> Option<u32> {
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
    pub(in crate::a2a::intent) fn hours(&self) -> Option<f64> {
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
    pub(in crate::a2a::intent) fn stars(&self) -> Option<u8> {
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
}
