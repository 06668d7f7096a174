//! A file of a product, and a Markdown page built block by block, with blank lines between, as Markdown requires.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::text::{rule, scalar, table_row};

/// A file of a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct File {
    /// Relative path in the product, with `/` between folders.
    pub path: String,
    /// Media type, such as `text/markdown`.
    pub media_type: &'static str,
    /// The file's text.
    pub content: String,
}

impl File {
    pub(super) fn json(path: &str, content: &Value) -> Self {
        let content = format!("{content:#}\n");
        Self { path: path.to_owned(), media_type: "application/json", content }
    }

    pub(super) fn json_lines(path: &str, lines: &[Value]) -> Self {
        let content = lines.iter().map(|line| format!("{line}\n")).collect();
        Self { path: path.to_owned(), media_type: "application/jsonl", content }
    }
}

/// Agent Skills allow 1,024.
const MAX_DESCRIPTION_CHARS: usize = 1000;

#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    lines: Vec<String>,
}

impl Page {
    pub(super) fn new(title: &str) -> Self {
        Self::default().with_title(title)
    }

    /// A page of Agent Skills: its front matter, with `more` lines, and its title.
    pub(super) fn skill(name: &str, description: &str, more: Vec<String>, title: &str) -> Self {
        let description = scalar(description, MAX_DESCRIPTION_CHARS);
        let head =
            ["---".to_owned(), format!("name: {}", yaml_word(name)), format!("description: {description}")];
        Self { lines: head.into_iter().chain(more).chain(["---".to_owned()]).collect() }.with_title(title)
    }

    fn with_title(mut self, title: &str) -> Self {
        self.block([format!("# {title}")]);
        self
    }

    /// A heading and a block; nothing if the block is empty.
    pub(super) fn section(&mut self, heading: &str, lines: impl IntoIterator<Item = String>) {
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_some() {
            self.block([format!("## {heading}")]);
            self.block(lines);
        }
    }

    pub(super) fn block(&mut self, lines: impl IntoIterator<Item = String>) {
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_some() && !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.extend(lines);
    }

    pub(super) fn into_file(self, path: &str) -> File {
        let content = self.lines.join("\n") + "\n";
        File { path: path.to_owned(), media_type: "text/markdown", content }
    }
}

/// A slug as a YAML string: quoted where YAML would read a number, or a word such as `true`.
fn yaml_word(slug: &str) -> String {
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_text = slug.starts_with(|c: char| c.is_ascii_lowercase()) && !words.contains(&slug);
    if is_text { slug.to_owned() } else { format!("\"{slug}\"") }
}

pub(super) fn table<const N: usize>(head: [&str; N], rows: Vec<[String; N]>) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let body = rows.into_iter().map(|cells| table_row(cells.each_ref().map(String::as_str)));
    [table_row(head), rule(N)].into_iter().chain(body).collect()
}

pub(super) fn items(items: impl IntoIterator<Item = String>) -> Vec<String> {
    items.into_iter().map(|item| format!("- {item}")).collect()
}

pub(super) fn steps(steps: impl IntoIterator<Item = String>) -> Vec<String> {
    steps.into_iter().enumerate().map(|(index, step)| format!("{}. {step}", index + 1)).collect()
}

/// A block of code; none without lines. A line of a stranger's text must not begin with a backtick.
pub(super) fn fence(language: &str, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let lines: Vec<String> = lines.into_iter().collect();
    match lines.is_empty() {
        true => lines,
        false => [vec![format!("```{language}")], lines, vec!["```".to_owned()]].concat(),
    }
}
