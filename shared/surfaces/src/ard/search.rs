//! `POST /search` of ARD (§7.2): the entries that match a text and a filter, best match first. The schema of
//! ARD allows only entries, referrals and a page token in the answer.

use super::filter::{self, Filter, Kinds};
use super::page_size;
use super::token::{self, HitsBefore};
use crate::ard::catalog_entry::CatalogEntry;
use crate::prelude::*;
use registry_features::federation::{self, FederationMode, PeerReferral};
use registry_model::protocol::ARD_BASE;
use registry_model::{Cursor, Listed};
use registry_search::{Hit, MAX_QUERY_CHARS, Query, Text};

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdResults")]
pub(crate) struct Results {
    results: Vec<Ranked>,
    /// Always present if the caller asked for referrals.
    #[serde(skip_serializing_if = "Option::is_none")]
    referrals: Option<Vec<PeerReferral>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_token: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Ranked {
    #[serde(flatten)]
    entry: CatalogEntry,
    /// 0 to 100.
    score: u8,
    source: String,
}

#[derive(Clone, Debug)]
struct Request {
    text: Text,
    filter: Filter,
    federation: FederationMode,
    limit: usize,
    skip: usize,
}

pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "An ARD search.",
        "properties": {
            "query": {
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string", "description": "In plain words.",
                        "minLength": 1, "maxLength": MAX_QUERY_CHARS, "pattern": "\\S",
                    },
                    "filter": filter::schema(),
                },
                "required": ["text"],
            },
            "federation": { "enum": ["auto", "none", "referrals", null] },
            "pageSize": { "type": ["integer", "null"], "minimum": 1, "maximum": u64::MAX },
            "pageToken": {
                "type": ["string", "null"], "format": "ard-hits-token",
                "description": "The `pageToken` of the previous page of the same search.",
            },
        },
        "required": ["query"],
    })
}

impl Request {
    fn read(body: &Value) -> Result<Self, Problem> {
        let text = query_text(body)?.filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| {
            Problem::malformed(
                "`query.text` is required: describe in plain words what you need. To browse \
                without a search, use GET agents.",
            )
        })?;
        Ok(Self {
            text,
            filter: Filter::read(&body["query"]["filter"])?,
            federation: match optional_text(body, "federation")? {
                None | Some("auto") => FederationMode::Auto,
                Some("none") => FederationMode::None,
                Some("referrals") => FederationMode::Referrals,
                Some(_) => return Err(Problem::malformed("`federation` must be auto, referrals or none.")),
            },
            limit: page_size(optional_number(body, "pageSize")?, 10)?,
            skip: token::position::<HitsBefore>(optional_text(body, "pageToken")?)?.0,
        })
    }
}

pub(super) async fn search(app: &App, body: &Value) -> Result<Results, Problem> {
    let Request { text, filter, federation, limit, skip } = Request::read(body)?;
    let referrals = referrals(app, federation).await?;
    let kind = match filter.kinds {
        Kinds::Neither => return Ok(Results { results: Vec::new(), referrals, page_token: None }),
        Kinds::Only(kind) => Some(kind),
        Kinds::Both => None,
    };
    let matches = |hit: &Hit| {
        filter.matches(&serde_json::to_value(entry_of_hit(hit, &app.settings)).unwrap_or_default())
    };
    let condition: Option<&(dyn Fn(&Hit) -> bool + Sync)> =
        if filter.looks_at_entries() { Some(&matches) } else { None };
    let query = Query { text, kind, category: None, listed: Listed::Live, skip, limit };
    let found = app.search.find_filtered(query, app.clock.now(), condition).await?;
    let source = app.settings.url(ARD_BASE);
    let result = |hit: &Hit| Ranked {
        entry: entry_of_hit(hit, &app.settings),
        score: hit.score,
        source: source.clone(),
    };
    Ok(Results {
        results: found.hits.iter().map(result).collect(),
        referrals,
        page_token: found.next.map(|hits| Cursor(HitsBefore(hits)).to_string()),
    })
}

/// An empty list means that no registry is known; only a caller that asked for referrals gets one.
async fn referrals(app: &App, federation: FederationMode) -> Result<Option<Vec<PeerReferral>>, Problem> {
    if federation == FederationMode::None {
        return Ok(None);
    }
    let known = federation::peer_referrals(&federation::known_peers(app).await?);
    Ok(Some(known).filter(|known| !known.is_empty() || federation == FederationMode::Referrals))
}

fn entry_of_hit(hit: &Hit, settings: &Settings) -> CatalogEntry {
    CatalogEntry::of(&hit.listing, hit.abilities.clone(), settings)
}

pub(super) fn query_text(body: &Value) -> Result<Option<Text>, Problem> {
    match &body["query"]["text"] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(Text::parse(text, "query.text")?)),
        _ => Err(Problem::malformed("`query.text` must be a string.")),
    }
}

fn optional_text<'a>(body: &'a Value, member: &str) -> Result<Option<&'a str>, Problem> {
    match &body[member] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(Problem::malformed(format!("`{member}` must be a string."))),
    }
}

fn optional_number(body: &Value, member: &str) -> Result<Option<u64>, Problem> {
    match &body[member] {
        Value::Null => Ok(None),
        value => whole_number(value)
            .map(Some)
            .ok_or_else(|| Problem::malformed(format!("`{member}` must be a whole number from 1."))),
    }
}

/// `3.0` is a whole number, too, in JSON Schema.
pub(super) fn whole_number(value: &Value) -> Option<u64> {
    let float = || value.as_f64().filter(|float| float.fract() == 0.0);
    value.as_u64().or_else(|| format!("{:.0}", float()?).parse().ok())
}

#[cfg(test)]
mod tests;
