//! The TXT records of this registry's own names: the expected record and the record in the DNS. A process
//! queries the DNS at most once a minute, even if the documents are read more often.

use url::Url;

use crate::prelude::*;
use registry_fetch::{OwnRecords, PREFLIGHT, TxtError};
use registry_model::NameServers;

/// Milliseconds for which a DNS answer is cached.
const CACHED_FOR_MS: i64 = 60_000;
/// Records per name in an answer, and characters of each.
const MAX_RECORDS: usize = 10;
const MAX_RECORD_CHARS: usize = 500;
/// In bytes (RFC 1035 §3.3).
const MAX_STRING_BYTES: usize = 255;

/// The state of a record in the DNS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordState {
    /// The record is as expected.
    Matches,
    /// There is a record of this form with other content.
    Differs,
    /// There is no record of this form.
    Missing,
    /// The DNS gave no answer, or was not queried.
    Unknown,
    /// This registry has no public domain, so it can have no record.
    NoDomain,
}

/// The answer of the DNS.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Lookup {
    pub state: RecordState,
    /// The TXT records at the name: at most ten, each cut to 500 characters.
    pub answers: Vec<String>,
    /// Which name servers answered: those of the `system` or of the `settings`; `nobody` if none was queried.
    pub source: &'static str,
    /// The time of the query; an answer is kept for a minute.
    pub asked_at: Option<Moment>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Lookup {
    pub(super) fn of(
        settings: &Settings,
        records: Option<&OwnRecords>,
        at: impl Fn(&OwnRecords) -> &Result<Vec<String>, TxtError>,
        judge: impl Fn(&[String]) -> RecordState,
    ) -> Self {
        let source = match settings.name_servers {
            NameServers::System => "system",
            NameServers::Only(_) => "settings",
            NameServers::Off => "nobody",
        };
        let none = |state| Self { state, answers: Vec::new(), source, asked_at: None, error: None };
        let Some(records) = records else {
            return Self { source: "nobody", ..none(RecordState::NoDomain) };
        };
        let asked_at = Some(records.asked_at);
        match at(records) {
            Ok(found) => Self {
                answers: found.iter().take(MAX_RECORDS).map(|text| shorten(text, MAX_RECORD_CHARS)).collect(),
                asked_at,
                ..none(judge(found))
            },
            Err(error @ TxtError::Blocked(_)) => {
                Self { source: "nobody", error: Some(error.to_string()), ..none(RecordState::NoDomain) }
            }
            Err(error @ TxtError::NoNameServer) => {
                Self { source: "nobody", error: Some(error.to_string()), ..none(RecordState::Unknown) }
            }
            Err(error @ TxtError::NoAnswer) => {
                Self { asked_at, error: Some(error.to_string()), ..none(RecordState::Unknown) }
            }
        }
    }
}

/// `None` for an address and for a local name.
pub(super) fn domain(settings: &Settings) -> Option<String> {
    let url = Url::parse(&settings.base_url).ok()?;
    let domain = url.domain()?.trim_end_matches('.');
    let is_public = domain.contains('.') && !domain.ends_with(".localhost");
    is_public.then(|| domain.to_owned())
}

/// `None` if the registry has no domain.
pub(super) async fn own_records(app: &App) -> Option<Arc<OwnRecords>> {
    let domain = domain(&app.settings)?;
    let asked_at = app.clock.now();
    let now = asked_at.as_millisecond();
    if let Some(cached) = app.own_records.get(now, CACHED_FOR_MS) {
        return Some(cached);
    }
    let mcp = format!("_mcp.{domain}");
    let (at_domain, at_mcp) =
        futures::join!(app.fetcher.txt_records(&domain, PREFLIGHT), app.fetcher.txt_records(&mcp, PREFLIGHT));
    Some(app.own_records.put(now, OwnRecords { asked_at, at_domain, at_mcp }))
}

/// A record longer than one string is written as several.
pub(super) fn zone_line(name: &str, text: &str) -> String {
    let strings: Vec<String> = text
        .as_bytes()
        .chunks(MAX_STRING_BYTES)
        .map(|string| format!("\"{}\"", String::from_utf8_lossy(string)))
        .collect();
    format!("{name}. 3600 IN TXT {}", strings.join(" "))
}

#[cfg(test)]
mod tests;
