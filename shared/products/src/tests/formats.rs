//! Checks that a file is valid in its format: Agent Skills, JSON, TOML, Markdown, or shell. Only our own text may
//! decide the structure of a Markdown file. The tests use these checks with real listings and with hostile listings.

use serde_json::Value;

use super::super::File;
use super::super::{evaluation, export};

/// Every heading that we write contains one of these texts. Headings of strangers contain none of them.
const OURS: [&str; 47] = [
    "Ready patch for",
    "Skill `",
    "Links that install",
    "Tool `",
    "System prompt: ",
    "Scope of",
    "Goals of",
    "s of ",
    "Confirmation before",
    "Inputs and results",
    "AGENTS.md for",
    "What clients rely on",
    "Where the published texts",
    "before a merge",
    "only with a new version",
    "After a deployment",
    "Other files",
    "Work with",
    "Which ",
    "Call ",
    "Test ",
    "Improve ",
    "the descriptions of",
    "A log entry",
    "Check the score",
    "regression checklist",
    "lost in its last proof",
    "Parts with all points",
    "Descriptions of",
    "Missing for",
    "Keep ",
    "Watch ",
    "Exit codes for",
    "Messages for",
    "is not Live",
    "from being Live",
    "Peers of",
    "Publish ",
    "Install ",
    "in each client",
    "by command",
    "Forwarded calls",
    "Notes about",
    "for MCP clients",
    "Tools for",
    "more files",
    "more file",
];

/// Checks every file of a tree.
pub(super) fn check(files: &[File]) {
    let mut paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    paths.dedup();
    assert_eq!(paths.len(), files.len(), "{paths:?}");
    export::zip(files).unwrap();
    for file in files {
        let content = &file.content;
        assert!(content.ends_with('\n') && !content.contains("\n\n\n"), "{}\n{content}", file.path);
        let hidden = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
        };
        assert!(!content.contains(hidden), "{}\n{content:?}", file.path);
        match file.path.rsplit_once('.').unwrap().1 {
            "md" => markdown(file),
            "json" => drop(serde_json::from_str::<Value>(content).unwrap()),
            "jsonl" => content.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap())),
            "toml" => drop(content.parse::<toml::Table>().unwrap()),
            "yaml" | "yml" => drop(serde_yaml_ng::from_str::<serde_yaml_ng::Value>(content).unwrap()),
            // Our own code, without a text of the listing.
            "mjs" => {}
            // `tests/clients/products/run` runs shellcheck.
            "sh" => assert_eq!(content, include_str!("../../files/registry-watch.sh")),
            "py" => python(content),
            other => panic!("{other}"),
        }
        if file.path.ends_with("SKILL.md") {
            skill(file);
        }
    }
}

/// The rules of <https://agentskills.io/specification>.
fn skill(file: &File) {
    let folder = file.path.strip_prefix("skills/").unwrap().strip_suffix("/SKILL.md").unwrap();
    let (front, body) = file.content.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let front: serde_yaml_ng::Mapping = serde_yaml_ng::from_str(front).unwrap();
    let known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    assert!(front.keys().all(|key| known.contains(&key.as_str().unwrap())), "{front:?}");
    let length = |member: &str| front[member].as_str().unwrap().chars().count();
    assert_eq!(front["name"].as_str().unwrap(), folder);
    assert!((1..=64).contains(&length("name")) && (1..=1024).contains(&length("description")));
    let lawful = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    assert!(folder.chars().all(lawful) && !folder.contains("--"), "{folder}");
    assert!(!folder.starts_with('-') && !folder.ends_with('-'), "{folder}");
    if front.contains_key("compatibility") {
        assert!((1..=500).contains(&length("compatibility")));
    }
    if let Some(metadata) = front.get("metadata") {
        assert!(
            metadata.as_mapping().unwrap().iter().all(|(key, value)| key.is_string() && value.is_string())
        );
    }
    assert!(body.lines().count() < 500 && body.trim_start().starts_with("# "), "{body}");
}

/// Headings are ours, fences are closed, rows have as many columns as their head, and there is no tag outside code.
fn markdown(file: &File) {
    let body = file
        .content
        .strip_prefix("---\n")
        .and_then(|text| text.split_once("\n---\n"))
        .map_or(file.content.as_str(), |(_, body)| body);
    let mut fenced: Option<(&str, String)> = None;
    let mut columns = None;
    for line in body.lines() {
        if let Some((language, mut code)) = fenced.take() {
            if line == "```" {
                block(language, &code);
            } else {
                assert!(!line.starts_with("```"), "{line}");
                code.push_str(line);
                code.push('\n');
                fenced = Some((language, code));
            }
        } else if let Some(language) = line.strip_prefix("```") {
            fenced = Some((language, String::new()));
        } else {
            let item = line.strip_prefix("- ").map_or(line, |item| item.trim_start_matches("[ ] "));
            let ordered = item.trim_start_matches(|c: char| c.is_ascii_digit());
            let nested = item.starts_with(['#', '>', '+', '-', '='])
                || (ordered != item && [". ", ") "].iter().any(|dot| format!("{ordered} ").starts_with(dot)));
            assert!(item == line || !nested, "{line}");
            if line.starts_with('#') {
                assert!(line.starts_with("# ") || line.starts_with("## "), "{line}");
                assert!(OURS.iter().any(|words| line.contains(words)), "{line}");
            }
            assert!(!line.starts_with([' ', '\t', '>', '=', '+', '<']) && !line.starts_with("---"), "{line}");
            let prose = without_code(line);
            assert!(!unescaped(&prose, '<') && !unescaped(&prose, '[') || line.starts_with("- ["), "{line}");
            let bars = line.starts_with('|').then(|| bars(line));
            if let (Some(head), Some(bars)) = (columns, bars) {
                assert_eq!(head, bars, "{line}");
            }
            columns = bars;
        }
    }
    assert!(fenced.is_none());
}

/// Each line with a text of the listing contains it in one literal, so the quotes are in pairs.
fn python(content: &str) {
    for line in content.lines() {
        let mut escaped = false;
        let quotes = line.chars().filter(|c| {
            let counts = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            counts
        });
        assert!(quotes.count() % 2 == 0, "{line}");
    }
}

fn block(language: &str, code: &str) {
    match language {
        "sh" => code.lines().for_each(command),
        "json" => drop(serde_json::from_str::<Value>(code).unwrap()),
        "toml" => drop(code.parse::<toml::Table>().unwrap()),
        "yaml" => drop(serde_yaml_ng::from_str::<serde_yaml_ng::Value>(code).unwrap()),
        other => panic!("{other}: {code}"),
    }
}

/// A shell line runs an intended program with intact arguments.
pub(super) fn command(line: &str) {
    let arguments = shell_words::split(line).unwrap();
    match arguments[0].as_str() {
        "curl" => {
            let body = arguments.iter().position(|argument| argument == "-d").map(|at| &arguments[at + 1]);
            if let Some(body) = body {
                assert!(serde_json::from_str::<Value>(body).unwrap().is_object(), "{line}");
            }
            let most =
                3 + 2 * arguments.iter().filter(|argument| *argument == "-H" || *argument == "-d").count();
            assert_eq!(arguments.len(), most, "{line}");
            assert_eq!(arguments[1], "-fsS");
            url::Url::parse(&arguments[2]).unwrap();
        }
        "npx" if arguments[1] == "--yes" => assert_eq!(line, evaluation::COMMAND),
        "EVALUATION_URL=<URL of your build>" => assert!(line.ends_with(evaluation::COMMAND), "{line}"),
        "npx" => assert_eq!(arguments[1..4], ["-y", "@modelcontextprotocol/inspector", "--cli"], "{line}"),
        "code" => drop(serde_json::from_str::<Value>(&arguments[2]).unwrap()),
        "claude" | "codex" | "gemini" => assert!((6..=9).contains(&arguments.len()), "{line}"),
        other => panic!("{other}: {line}"),
    }
}

/// Bars that separate cells: those without a backslash before them.
fn bars(line: &str) -> usize {
    let mut escaped = false;
    let mut bars = 0;
    for c in line.chars() {
        bars += usize::from(c == '|' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    bars
}

fn unescaped(text: &str, wanted: char) -> bool {
    let mut escaped = false;
    text.chars().any(|c| {
        let found = c == wanted && !escaped;
        escaped = c == '\\' && !escaped;
        found
    })
}

/// A line without its code spans, as Markdown finds them.
fn without_code(line: &str) -> String {
    let (mut rest, mut prose) = (line, String::new());
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end);
            prose.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if c == '`' {
            let fence: String = rest.chars().take_while(|c| *c == '`').collect();
            let inside = &rest[fence.len()..];
            let closes =
                |at: &usize| !inside[..*at].ends_with('`') && !inside[at + fence.len()..].starts_with('`');
            let end = inside.match_indices(&fence).map(|(at, _)| at).find(closes);
            let end = end.unwrap_or_else(|| panic!("unclosed code span: {line}"));
            rest = &inside[end + fence.len()..];
        } else {
            prose.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    prose
}
