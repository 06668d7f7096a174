//! Checks that a file is valid in its format: Agent Skills, JSON, Markdown, or shell. `tests/clients/products/run` checks
//! the files of harmless listings with the tools of their formats; these checks also run with hostile listings.

use serde_json::Value;

use super::super::File;
use super::super::export;

/// Checks every file of a tree.
pub(super) fn check(files: &[File]) {
    let skills = export::skills(files);
    let has = |path: &str| skills.iter().any(|file| file.path == path);
    assert!(files.iter().all(|file| skills.iter().any(|moved| moved.path.ends_with(&file.path))));
    for skill in skills.iter().filter(|file| file.path.ends_with("/SKILL.md")) {
        let folder = skill.path.trim_end_matches("SKILL.md");
        let words = skill.content.split(['`', ' ']);
        for path in words.filter(|word| word.starts_with("references/")) {
            assert!(has(&format!("{folder}{path}")), "{folder}{path}");
        }
    }
    export::zip(files).unwrap();
    for file in files {
        let content = &file.content;
        let hidden = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
        };
        assert!(content.ends_with('\n') && !content.contains(hidden), "{}\n{content:?}", file.path);
        match file.path.rsplit_once('.').unwrap().1 {
            "md" => markdown(file),
            "json" => drop(serde_json::from_str::<Value>(content).unwrap()),
            "jsonl" => content.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap())),
            // Our own texts.
            "sh" => assert_eq!(content, include_str!("../../files/registry-watch.sh")),
            "yml" => {}
            other => panic!("{other}"),
        }
    }
}

/// Fences are closed, rows have as many columns as their head, and no line of a stranger is a heading. The front matter of
/// a skill follows <https://agentskills.io/specification>.
fn markdown(file: &File) {
    let mut body = file.content.as_str();
    if let Some(folder) = file.path.strip_prefix("skills/").and_then(|path| path.strip_suffix("/SKILL.md")) {
        let (front, after) = body.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        let front: serde_yaml_ng::Mapping = serde_yaml_ng::from_str(front).unwrap();
        assert_eq!(front["name"].as_str().unwrap(), folder);
        assert!((1..=1024).contains(&front["description"].as_str().unwrap().chars().count()));
        body = after;
    }
    let (mut fence, mut columns) = (None, None);
    for line in body.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
        } else if fence == Some("sh") {
            command(line);
        } else if fence.is_none() {
            assert!(!line.starts_with("# Ignore") && !line.starts_with("## And obey"), "{line}");
            assert!(!line.starts_with([' ', '\t', '>', '=', '+', '<']) && !line.starts_with("---"), "{line}");
            let bars = line.starts_with('|').then(|| bars(line));
            assert!(columns.is_none() || bars.is_none() || columns == bars, "{line}");
            columns = bars;
        }
    }
    assert!(fence.is_none(), "{}", file.content);
}

/// A shell line runs an intended program with intact arguments.
pub(super) fn command(line: &str) {
    let arguments = shell_words::split(line).unwrap();
    if arguments[0] != "curl" {
        assert_eq!(arguments[..4], ["npx", "-y", "@modelcontextprotocol/inspector", "--cli"], "{line}");
        return;
    }
    let options = arguments.iter().filter(|argument| *argument == "-H" || *argument == "-d").count();
    assert_eq!((arguments.len(), arguments[1].as_str()), (3 + 2 * options, "-fsS"), "{line}");
    url::Url::parse(&arguments[2]).unwrap();
    if let Some(at) = arguments.iter().position(|argument| argument == "-d") {
        assert!(serde_json::from_str::<Value>(&arguments[at + 1]).unwrap().is_object(), "{line}");
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
