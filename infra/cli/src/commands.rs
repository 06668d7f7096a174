//! The commands. Each asks the registry, prints the answer and returns the exit code.

use std::thread::sleep;
use std::time::{Duration, Instant};

use registry_model::Reach;
use serde_json::Value;

use crate::Exit;
use crate::check;
use crate::client::Client;
use crate::document::{self, Target};
use crate::print::{self, Printer};
use crate::problem::Failure;
use crate::proof;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
const WATCH_INTERVAL: Duration = Duration::from_secs(5);

/// A first probe takes seconds. If the event was lost, the next sweep probes the listing within six minutes.
const MAX_WAIT: Duration = Duration::from_secs(420);

pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) printer: Printer,
}

impl Session {
    pub(crate) fn publish(&self, target: &str, no_wait: bool) -> Result<Exit, Failure> {
        let published = self.client.post("/api/publish", &Target::read(target)?.body()?)?;
        let id = published["listing_id"].as_str().unwrap_or_default().to_owned();
        let line = format!("{id}: {}", published["message"].as_str().unwrap_or_default());
        if no_wait {
            self.printer.answer(&published, &[line]);
            return Ok(Exit::Ok);
        }
        self.printer.progress(&line);
        self.until_decided(&id)
    }

    pub(crate) fn status(&self, listing: &str, watch: bool) -> Result<Exit, Failure> {
        if watch {
            return self.until_decided(listing);
        }
        let status = self.status_of(listing)?;
        self.printer.listing(&status);
        Ok(exit_of(&status))
    }

    /// While a listing is queued, waits for its next probe.
    fn until_decided(&self, listing: &str) -> Result<Exit, Failure> {
        let started = Instant::now();
        let mut last_probe = None;
        loop {
            let status = self.status_of(listing)?;
            let probed_at = status["probe"]["probed_at"].clone();
            let is_new_probe = *last_probe.get_or_insert_with(|| probed_at.clone()) != probed_at;
            let has_reasons = status["reasons"].as_array().is_some_and(|reasons| !reasons.is_empty());
            let is_waiting = status["lane"] == "queued" && !(is_new_probe && has_reasons);
            if !is_waiting || started.elapsed() > MAX_WAIT {
                self.printer.listing(&status);
                return Ok(exit_of(&status));
            }
            sleep(POLL_INTERVAL);
        }
    }

    pub(crate) fn watch(&self, listing: &str, until_live: bool) -> Result<Exit, Failure> {
        let mut before = Value::Null;
        loop {
            let status = self.status_of(listing)?;
            let state = |status: &Value| {
                (status["lane"].clone(), status["reasons"].clone(), status["probe"]["probed_at"].clone())
            };
            if state(&before) != state(&status) {
                self.printer.listing(&status);
            }
            if until_live && exit_of(&status) == Exit::Ok {
                return Ok(Exit::Ok);
            }
            before = status;
            sleep(WATCH_INTERVAL);
        }
    }

    /// A name can have the form of an id.
    fn status_of(&self, listing: &str) -> Result<Value, Failure> {
        let by = |what: &str| self.client.get("/api/listings/status", &[(what, listing)]);
        by("id").or_else(|failure| by("name").map_err(|_| failure))
    }

    pub(crate) fn score(
        &self,
        target: &str,
        file: Option<&str>,
        github: bool,
        offline: bool,
        steps: bool,
    ) -> Result<Exit, Failure> {
        let read = Target::read(target)?;
        // A registry on this machine lists servers on this machine.
        let reach = if offline { Reach::Public } else { Reach::Development };
        let checked = match &read {
            Target::File(document) => Some(check::check(target, document, reach)),
            Target::Url(_) => None,
        };
        let url = read.url().filter(|_| !offline);
        let (score, is_fine, verdict) = match checked {
            // What is refused when it is published is not probed.
            Some(checked) if url.is_none() || checked["valid"] != true => {
                let is_valid = checked["valid"] == true;
                let verdict = if is_valid { "valid" } else { "would not go Live" };
                (checked, is_valid, format!("{target}: {verdict}; nothing was probed"))
            }
            _ => {
                let score = self.client.get("/api/score", &[("url", url.unwrap_or(target))])?;
                let (verdict, is_fine) = match (&score["would_go_live"], &score["would_be_gated"]) {
                    (Value::Bool(true), _) => ("can go Live", true),
                    (_, Value::Bool(true)) => ("would become gated", true),
                    _ => ("would not go Live", false),
                };
                let url = score["url"].as_str().unwrap_or(target);
                let verdict = format!("{url}: {verdict}, score {}", score["score"]);
                (score, is_fine, verdict)
            }
        };
        let mut lines = vec![verdict];
        if steps {
            lines.extend(print::steps(&score["steps"]));
        }
        lines.extend(print::findings(&score["reasons"], 'x'));
        lines.extend(print::findings(&score["warnings"], '!'));
        if let Some(url) = score["report_url"].as_str() {
            lines.push(format!("Report: {url}"));
        }
        let file = file.or((!target.contains("://")).then_some(target));
        let annotations = if github { annotations(&score, file)? } else { Vec::new() };
        self.printer.answer(&score, &lines);
        self.printer.commands(&annotations);
        Ok(if is_fine { Exit::Ok } else { Exit::NeedsFix })
    }

    pub(crate) fn search(
        &self,
        words: &str,
        kind: Option<&str>,
        access: Option<&str>,
        limit: u32,
    ) -> Result<Exit, Failure> {
        let limit = limit.to_string();
        let mut query = vec![("q", words), ("limit", &limit), ("detail", "short")];
        query.extend(kind.map(|kind| ("kind", kind)));
        query.extend(access.map(|access| ("access", access)));
        let found = self.client.get("/api/match", &query)?;
        let hits = found["hits"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut lines = Vec::new();
        for hit in hits {
            // A line break in a description could begin a hit that is none.
            let text = |name: &str| hit[name].as_str().unwrap_or_default().replace('\n', " ");
            let gated = if text("access") == "gated" { ", asks for sign-in" } else { "" };
            lines.push(format!("{} ({}, {}{gated})", text("name"), text("kind"), text("listing_id")));
            let description = Some(text("description")).filter(|text| !text.is_empty());
            lines.extend(description.map(|text| format!("  {text}")));
            let probed_at = hit["probe"]["probed_at"].as_str().unwrap_or_default();
            lines.push(format!("  probed {probed_at} {}", text("endpoint")));
        }
        if hits.is_empty() {
            lines.push(found["note"].as_str().unwrap_or("Nothing was found.").to_owned());
        }
        self.printer.answer(&found, &lines);
        Ok(if hits.is_empty() { Exit::NeedsFix } else { Exit::Ok })
    }

    pub(crate) fn verify(&self, listing: &str, vkey: Option<&str>) -> Result<Exit, Failure> {
        let mut answer = self.client.get("/log/proof", &[("listing_id", listing)])?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let vkey = vkey.map_or_else(|| text(&answer["vkey"]), str::to_owned);
        let checked = proof::check(&answer, &vkey, listing);
        let lines = match &checked {
            Ok(leaf) => vec![
                format!("{listing}: {} at {}", text(&leaf["event"]), text(&leaf["at"])),
                format!("Index {} in a log of {} entries", answer["leaf_index"], answer["tree_size"]),
                format!("The proof is valid: the log that {vkey} signs contains this decision."),
            ],
            Err(flaw) => vec![format!("The proof is NOT valid: {flaw}.")],
        };
        // The proof is of `leaf_text`; the registry could return another `leaf`.
        answer["leaf"] = checked.unwrap_or_default();
        self.printer.answer(&answer, &lines);
        let is_proven = matches!(answer["leaf"]["event"].as_str(), Some("live" | "confirmed" | "gated"));
        Ok(if is_proven { Exit::Ok } else { Exit::NeedsFix })
    }
}

/// Only the owner of a gated server can let the registry in, and a server with packages only has nothing to fix.
fn exit_of(status: &Value) -> Exit {
    let is_fine = matches!(status["lane"].as_str(), Some("active" | "gated" | "package" | "unchecked"));
    if is_fine { Exit::Ok } else { Exit::NeedsFix }
}

/// One annotation for each finding (GitHub, "Workflow commands").
fn annotations(score: &Value, file: Option<&str>) -> Result<Vec<String>, Failure> {
    let text = match file {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::File(format!("{file} cannot be read: {error}.")))?,
        None => String::new(),
    };
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let annotation = |level: &str, finding: &Value| {
        let part = |name: &str| finding[name].as_str().unwrap_or_default();
        let message = escaped(&print::plain(&format!("{} {}", part("reason"), part("fix"))));
        let line = document::line_of(&text, finding).unwrap_or(1);
        let location = file.map(|file| format!(" file={file},line={line}")).unwrap_or_default();
        format!("::{level}{location}::{message}")
    };
    // What keeps a good server gated is no fault.
    let level = if score["would_be_gated"] == true { "notice" } else { "error" };
    let levels = [(level, "reasons"), ("warning", "warnings")];
    let found = levels.iter().flat_map(|(level, list)| {
        let findings = score[*list].as_array().into_iter().flatten();
        findings.map(move |finding| (*level, finding))
    });
    Ok(found.map(|(level, finding)| annotation(level, finding)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn annotations_are_on_the_lines_of_the_card() {
        let file = std::env::temp_dir().join(format!("registry-cli-{}.json", std::process::id()));
        std::fs::write(&file, "{\n  \"name\": \"\"\n}").unwrap();
        let score = json!({ "reasons": [{ "reason": "`name` is empty.", "fix": "50%\n##[x]" }] });
        let path = file.to_str().unwrap();
        let lines = annotations(&score, Some(path)).unwrap();
        assert_eq!(lines, [format!("::error file={path},line=2::`name` is empty. 50%25%0A## [x]")]);
        assert_eq!(annotations(&score, None).unwrap(), ["::error::`name` is empty. 50%25%0A## [x]"]);
        std::fs::remove_file(file).unwrap();
    }
}
