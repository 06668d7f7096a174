//! Parses server descriptions from JSON text. The text is a list, several pages of the registry API, JSON Lines, or one
//! document. JSON Lines are parsed line by line, so that the first entry of a pipe is sent before the pipe ends.

use std::collections::VecDeque;
use std::io::{BufRead, Read as _};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::batch::SourceError;
use crate::mirror::server_entry::ServerEntry;

/// The largest JSON text that is read at once: twice the size of the official registry.
const MAX_MIB: u64 = 256;

pub(super) struct Parser<R> {
    reader: R,
    name: String,
    include_deprecated: bool,
    format: Format,
    ready: VecDeque<ServerEntry>,
    total: Arc<OnceLock<u64>>,
}

enum Format {
    /// Before the first line.
    Unknown,
    /// JSON Lines, with the number of lines read.
    Lines(usize),
    /// At the end of the input.
    Ended,
}

impl<R: BufRead> Parser<R> {
    pub(super) const fn new(
        reader: R,
        name: String,
        include_deprecated: bool,
        total: Arc<OnceLock<u64>>,
    ) -> Self {
        Self { reader, name, include_deprecated, format: Format::Unknown, ready: VecDeque::new(), total }
    }

    fn read(&mut self) -> Result<(), SourceError> {
        match self.format {
            Format::Unknown => self.read_start(),
            Format::Lines(count) => self.read_line(count),
            Format::Ended => Ok(()),
        }
    }

    /// If the first line is a complete JSON text, so is every other line.
    fn read_start(&mut self) -> Result<(), SourceError> {
        let mut text = Vec::new();
        let mut lines = 0;
        let mut start = 0;
        loop {
            start += text[start..].len();
            if !self.append_line(&mut text)? {
                self.format = Format::Ended;
                return Ok(());
            }
            lines += 1;
            if lines == 1 && text.starts_with(b"\xef\xbb\xbf") {
                text.drain(..3);
            }
            if !text[start..].trim_ascii().is_empty() {
                break;
            }
        }
        match serde_json::from_slice(&text[start..]) {
            Ok(value) => {
                self.format = Format::Lines(lines);
                self.add_entries(value, Some(lines));
                Ok(())
            }
            Err(_) => self.read_all(text),
        }
    }

    /// JSON over several lines is parsed to the end first, so that no entry of an invalid file is sent.
    fn read_all(&mut self, mut text: Vec<u8>) -> Result<(), SourceError> {
        self.format = Format::Ended;
        let max = MAX_MIB << 20;
        let rest = (max + 1).saturating_sub(text.len() as u64);
        let read = (&mut self.reader).take(rest).read_to_end(&mut text);
        read.map_err(|error| SourceError::Unreadable(self.name.clone(), error))?;
        if text.len() as u64 > max {
            return Err(SourceError::TooLarge(MAX_MIB));
        }
        for value in serde_json::Deserializer::from_slice(&text).into_iter() {
            match value {
                Ok(value) => self.add_entries(value, None),
                Err(error) => {
                    self.ready.clear();
                    let (line, column) = (error.line(), error.column());
                    return Err(SourceError::NotJson { line, column, why: without_position(&error) });
                }
            }
        }
        self.total.get_or_init(|| self.ready.len() as u64);
        Ok(())
    }

    /// An invalid line is refused by its number, and the lines after it are still read.
    fn read_line(&mut self, count: usize) -> Result<(), SourceError> {
        let number = count + 1;
        let mut text = Vec::new();
        if !self.append_line(&mut text)? {
            self.format = Format::Ended;
            return Ok(());
        }
        self.format = Format::Lines(number);
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        match serde_json::from_slice(&text) {
            Ok(value) => self.add_entries(value, Some(number)),
            Err(error) => {
                let (column, why) = (error.column(), without_position(&error));
                let detail = format!("Invalid JSON (column {column}: {why}).");
                self.ready.push_back(ServerEntry::invalid(format!("line {number}"), "not_json", detail));
            }
        }
        Ok(())
    }

    /// Returns false at the end of the input.
    fn append_line(&mut self, text: &mut Vec<u8>) -> Result<bool, SourceError> {
        let max = MAX_MIB << 20;
        let read = (&mut self.reader).take(max + 1).read_until(b'\n', text);
        let read = read.map_err(|error| SourceError::Unreadable(self.name.clone(), error))?;
        if read as u64 > max {
            return Err(SourceError::TooLarge(MAX_MIB));
        }
        Ok(read > 0)
    }

    /// Adds the entries of a list or a page, or a single entry.
    fn add_entries(&mut self, value: Value, line: Option<usize>) {
        let values = match value {
            Value::Array(items) => items,
            Value::Object(mut page) => match page.remove("servers") {
                Some(Value::Array(items)) => items,
                other => {
                    page.extend(other.map(|other| ("servers".to_owned(), other)));
                    vec![Value::Object(page)]
                }
            },
            other => vec![other],
        };
        let is_single = values.len() == 1;
        for (index, value) in values.into_iter().enumerate() {
            let place = match line {
                Some(line) if is_single => format!("line {line}"),
                Some(line) => format!("line {line}, document {}", index + 1),
                None => format!("document {}", self.ready.len() + 1),
            };
            self.ready.push_back(ServerEntry::read(value, place, self.include_deprecated));
        }
    }
}

impl<R: BufRead> Iterator for Parser<R> {
    type Item = Result<ServerEntry, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !matches!(self.format, Format::Ended) {
            if let Err(error) = self.read() {
                self.format = Format::Ended;
                return Some(Err(error));
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

/// The parser's message without the position, which is reported separately.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::server_entry::Action;

    fn entries(text: &str) -> Vec<Result<ServerEntry, SourceError>> {
        Parser::new(text.as_bytes(), "a file".to_owned(), false, Arc::default()).collect()
    }

    fn names(text: &str) -> Vec<String> {
        entries(text).into_iter().map(|entry| entry.unwrap().label.display_name().to_owned()).collect()
    }

    #[test]
    fn every_format_gives_the_same_entries() {
        for text in [
            r#"[{"name": "a/1"}, {"name": "a/2"}]"#,
            "[\n  {\"name\": \"a/1\"},\n  {\"name\": \"a/2\"}\n]\n",
            "\u{feff}{\"name\": \"a/1\"}\r\n\r\n{\"name\": \"a/2\"}",
            "\n\n{\"name\": \"a/1\"}\n{\"name\": \"a/2\"}\n",
            r#"{"servers": [{"server": {"name": "a/1"}, "_meta": {}}, {"name": "a/2"}], "metadata": {}}"#,
            "{\n\"servers\": [{\"name\": \"a/1\"}]\n}\n{\n\"servers\": [{\"name\": \"a/2\"}]\n}",
            "{\"servers\": [{\"name\": \"a/1\"}]}\n{\"servers\": [{\"name\": \"a/2\"}]}\n",
            "{\n  \"name\": \"a/1\"\n}\n{\"name\": \"a/2\"}",
        ] {
            assert_eq!(names(text), ["a/1", "a/2"], "{text}");
        }
        assert_eq!(names("{\n  \"name\": \"a/1\"\n}\n"), ["a/1"]);
        for empty in ["", "\n \n", "[]", r#"{"servers": []}"#] {
            assert_eq!(names(empty), Vec::<String>::new(), "{empty:?}");
        }
    }

    #[test]
    fn invalid_line_is_reported_by_number_and_other_lines_are_read() {
        let found = entries("{\"name\": \"a/1\"}\n\n{\"name\": \n7\n{\"name\": \"a/2\"}\n");
        let found: Vec<ServerEntry> = found.into_iter().map(Result::unwrap).collect();
        let labels: Vec<&str> = found.iter().map(|entry| entry.label.display_name()).collect();
        assert_eq!(labels, ["a/1", "line 3", "line 4", "a/2"]);
        let Action::Invalid { code: "not_json", detail } = &found[1].action else { panic!("{found:?}") };
        assert_eq!(detail, "Invalid JSON (column 0: EOF while parsing a value).");
    }

    #[test]
    fn file_with_invalid_json_gives_only_an_error() {
        let found = entries("[\n  {\"name\": \"a/1\"},\n  {\"name\": }\n]\n");
        let [Err(SourceError::NotJson { line: 3, column: 12, why })] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(why, "expected value");
        let message = entries("\n<html>\n").remove(0).unwrap_err().to_string();
        assert!(message.starts_with("line 2, column 1: expected value."), "{message}");
    }
}
