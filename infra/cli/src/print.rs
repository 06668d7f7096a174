//! Prints answers for a person or as JSON. Names and texts of listings were written by strangers: they must not control the
//! terminal.

use std::io::IsTerminal as _;

use serde_json::Value;

use crate::problem::Failure;

#[derive(Debug)]
pub(crate) struct Printer {
    json: bool,
    colors: bool,
}

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        let colors = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { json, colors }
    }

    /// Prints the answer as JSON; otherwise the lines for a person.
    pub(crate) fn answer(&self, answer: &Value, lines: &[String]) {
        if self.json {
            println!("{}", escaped(answer));
        } else {
            lines.iter().for_each(|line| println!("{}", plain(line)));
        }
    }

    /// Workflow commands, whose texts were cleaned.
    pub(crate) fn commands(&self, lines: &[String]) {
        if !self.json {
            lines.iter().for_each(|line| println!("{line}"));
        }
    }

    /// Progress, which scripts do not read.
    pub(crate) fn progress(&self, text: &str) {
        if !self.json {
            eprintln!("{}", plain(text));
        }
    }

    pub(crate) fn failure(&self, failure: &Failure) {
        match failure {
            Failure::Refused(problem) if self.json => println!("{}", escaped(problem)),
            other => eprintln!("{}", plain(&other.text())),
        }
    }

    /// Prints the state of a listing, and what to fix.
    pub(crate) fn listing(&self, status: &Value) {
        if !self.json {
            println!("{}", self.title(status));
        }
        self.answer(status, &reasons(status));
    }

    /// A listing and its state in its color. The color is added after strangers' texts are cleaned.
    fn title(&self, status: &Value) -> String {
        let text = |name: &str| plain(status[name].as_str().unwrap_or_default());
        format!("{} ({}): {}", text("name"), text("listing_id"), self.state(&text("lane")))
    }

    fn state(&self, lane: &str) -> String {
        let (name, color) = match lane {
            "active" => ("Live", 32),
            "gated" => ("gated", 36),
            "queued" => ("queued", 33),
            "needs_fix" => ("needs a fix", 31),
            "package" | "unchecked" => (lane, 36),
            other => (other, 31),
        };
        if self.colors { format!("\u{1b}[{color}m{name}\u{1b}[0m") } else { name.to_owned() }
    }
}

/// Whether a character changes the direction of text.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON without characters on which a terminal acts.
fn escaped(answer: &Value) -> String {
    let acts = |c: char| turns(c) || c.is_control();
    let part = |c: char| if acts(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    answer.to_string().chars().map(part).collect()
}

/// The text without control characters and without characters that change the direction of text. A runner of GitHub reads
/// commands at the beginning of a line (`::`) and anywhere in it (`##[`): in strangers' texts they are only text.
pub(crate) fn plain(text: &str) -> String {
    let undirected = text.chars().filter(|c| !turns(*c));
    let plain: String = undirected.map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    let lines = plain.split('\n').map(|line| match line.trim_start().strip_prefix("::") {
        Some(rest) => format!(": :{rest}"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n").replace("##[", "## [")
}

/// Why a listing is in its state, and what to fix.
fn reasons(status: &Value) -> Vec<String> {
    let mut lines = vec![status["lane_reason"].as_str().unwrap_or_default().to_owned()];
    lines.extend(findings(&status["reasons"], 'x'));
    if let Some(time) = status["retry_at"].as_str() {
        lines.push(format!("The registry tries again at {time}."));
    }
    lines
}

/// What to fix: the finding after a mark, what was seen, and the fix.
pub(crate) fn findings(list: &Value, mark: char) -> Vec<String> {
    let findings = list.as_array().into_iter().flatten();
    let lines = findings.flat_map(|finding| {
        let text = |name: &str| finding[name].as_str().filter(|text| !text.is_empty());
        let finding = text("reason").map(|text| format!("  {mark} {text}"));
        let seen = text("seen").map(|text| format!("    Seen: {text}"));
        let fix = text("fix").map(|text| format!("    Fix: {text}"));
        [finding, seen, fix].into_iter().flatten()
    });
    lines.collect()
}

/// Each request of a probe, its answer and the rule that it follows.
pub(crate) fn steps(list: &Value) -> Vec<String> {
    let indented = |mark: &str, text: &str| {
        let text = text.lines().collect::<Vec<_>>().join("\n    ");
        format!("  {mark} {text}")
    };
    let steps = list.as_array().into_iter().flatten().enumerate();
    let lines = steps.flat_map(|(at, step)| {
        let text = |name: &str| step[name].as_str().unwrap_or_default();
        let took = step["took_ms"].as_u64().map(|ms| format!(", {ms} ms")).unwrap_or_default();
        let found: Vec<&str> =
            step["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let rule = step["rule"]["sentence"].as_str().map(|sentence| {
            format!("  Rule: {sentence} {}", step["rule"]["url"].as_str().unwrap_or_default())
        });
        let found = (!found.is_empty()).then(|| format!("  Found: {}", found.join(", ")));
        let title = format!("{}. {}{took}", at + 1, text("kind"));
        [Some(title), rule, Some(indented(">", text("sent"))), Some(indented("<", text("received"))), found]
    });
    lines.flatten().collect()
}

#[cfg(test)]
mod tests;
