//! Writes all refusals as JSON Lines (option `--report`). The summary shows only a few examples.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::counts::Refusal;
use super::server_entry::Label;

#[derive(Debug)]
pub(super) struct RefusalLog(Option<BufWriter<File>>);

impl RefusalLog {
    /// A resumed run appends to the file; without a path nothing is written.
    pub(super) fn open(path: Option<&Path>, append: bool) -> io::Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(append).truncate(!append);
        Ok(Self(Some(BufWriter::new(options.open(path)?))))
    }

    pub(super) fn write(&mut self, label: &Label, refusal: &Refusal) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let mut line = json!(label);
        if let (Value::Object(line), Value::Object(more)) = (&mut line, json!(refusal)) {
            line.extend(more);
        }
        writeln!(file, "{line}")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(field: &str) -> Refusal {
        let (code, detail) = ("invalid".to_owned(), "Write\u{1b}[31m it\u{202e} so.".to_owned());
        Refusal { code, field: Some(field.to_owned()), detail, violations: Value::Null }
    }

    fn label(name: &str) -> Label {
        Label { name: Some(name.to_owned()), version: None, place: "line 1".to_owned() }
    }

    #[test]
    fn log_file_is_replaced_or_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refused.jsonl");
        for (append, lines) in [(false, 1), (true, 2), (false, 1)] {
            let mut refusals = RefusalLog::open(Some(&path), append).unwrap();
            refusals.write(&label("a/b"), &refusal("name")).unwrap();
            refusals.flush().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), lines);
            let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            assert_eq!(
                (&line["name"], &line["field"], &line["code"]),
                (&json!("a/b"), &json!("name"), &json!("invalid"))
            );
        }
    }
}
