//! `/api/dns/mcp-status`: the DNS discovery record of this registry (contract "DNS discovery record") as it should stand,
//! and as the DNS has it at this minute.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Document, DocumentRequest, NoQuery, json};
use super::mcp_server_card::WideServerCard;
use super::own_records::{Lookup, RecordState, domain, own_records, zone_line};
use super::server_description::OwnServerDescription;
use registry_app::App;
use registry_domain::trust::message_key::message_key;
use registry_model::HostName;
use registry_model::error::Problem;

const FORMAT: &str = "mcp1";

/// How the record stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Status {
    ok: bool,
    /// The host of this registry.
    host: String,
    /// The name at which the record belongs.
    name: String,
    /// What belongs there.
    expected_txt: String,
    /// Whether it stands there just so.
    live: bool,
    /// `mcp1` where a record of this form stands there, `none` where none does; null where that is not known.
    format: Option<&'static str>,
    #[serde(flatten)]
    lookup: Lookup,
    /// Each item of the record, and what was found in its place.
    items: Vec<Item>,
    /// The record as a zone file has it.
    dns_record_hint: String,
    /// What to do.
    instructions: Vec<String>,
    /// The card that the record leads to.
    mcp_server_card: String,
    /// This registry's own entry at other registries.
    server_json: String,
}

/// An item of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Item {
    key: &'static str,
    expected: String,
    /// What stands in its place; null where nothing does, or nothing is known.
    found: Option<String>,
    matches: bool,
}

#[derive(Debug)]
pub(super) struct DnsStatus;

impl Document for DnsStatus {
    const PATHS: &'static [&'static str] = &["/api/dns/mcp-status"];
    const SUMMARY: &'static str =
        "The DNS discovery record of this registry: what belongs there, and what stands there.";
    const MAX_AGE_S: Option<u32> = Some(60);
    type Query = NoQuery;
    type Answer = Status;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&status(app).await?)
    }
}

async fn status(app: &App) -> Result<Status, Problem> {
    let settings = &app.settings;
    let key = message_key(app).await?.public_base64();
    let card = settings.url(WideServerCard::PATHS[0]);
    let expected = expected(&card, &key);
    let records = own_records(app).await;
    let lookup = Lookup::of(
        settings,
        records.as_deref(),
        |records| &records.at_mcp,
        |found| match nearest(&expected, found) {
            None => RecordState::Missing,
            Some(items) if items.iter().all(|item| item.matches) => RecordState::Matches,
            Some(_) => RecordState::Differs,
        },
    );
    let found = records.as_deref().and_then(|records| records.at_mcp.as_ref().ok());
    let items = found.and_then(|found| nearest(&expected, found)).unwrap_or_else(|| compared(&expected, ""));
    let host = HostName::of_url(&settings.base_url).map(|host| host.to_string()).unwrap_or_default();
    let name = format!("_mcp.{host}");
    let expected_txt = text(&expected);
    let dns_record_hint = zone_line(&name, &expected_txt);
    Ok(Status {
        ok: true,
        live: lookup.state == RecordState::Matches,
        format: match lookup.state {
            RecordState::Matches | RecordState::Differs => Some(FORMAT),
            RecordState::Missing => Some("none"),
            RecordState::Unknown | RecordState::NoDomain => None,
        },
        instructions: instructions(lookup.state, domain(settings).is_some(), &name, &dns_record_hint),
        lookup,
        items,
        host,
        name,
        expected_txt,
        dns_record_hint,
        mcp_server_card: card,
        server_json: settings.url(OwnServerDescription::PATHS[0]),
    })
}

fn expected(card: &str, key: &str) -> [(&'static str, String); 7] {
    [
        ("v", FORMAT.to_owned()),
        ("url", card.to_owned()),
        ("proto", "streamable-http".to_owned()),
        ("pk", format!("ed25519:{key}")),
        ("scope", "tools,resources".to_owned()),
        ("cap", "registry".to_owned()),
        ("priority", "10".to_owned()),
    ]
}

fn text(items: &[(&str, String)]) -> String {
    items.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("; ")
}

/// The `mcp1` record with the most matching items; `None` if there is no `mcp1` record.
fn nearest(expected: &[(&'static str, String)], found: &[String]) -> Option<Vec<Item>> {
    let of_this_form = found.iter().filter(|record| value(record, "v") == Some(FORMAT));
    let compared = of_this_form.map(|record| compared(expected, record));
    compared.max_by_key(|items| items.iter().filter(|item| item.matches).count())
}

fn compared(expected: &[(&'static str, String)], record: &str) -> Vec<Item> {
    let item = |(key, expected): &(&'static str, String)| {
        let found = value(record, key).map(str::to_owned);
        Item { key, matches: found.as_ref() == Some(expected), expected: expected.clone(), found }
    };
    expected.iter().map(item).collect()
}

fn value<'a>(record: &'a str, key: &str) -> Option<&'a str> {
    let mut items = record.split(';').filter_map(|item| item.trim().split_once('='));
    items.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

fn instructions(state: RecordState, has_domain: bool, name: &str, line: &str) -> Vec<String> {
    let publish = format!("Publish at the DNS of the domain: {line}");
    let check = "Ask again after a minute: an answer of the DNS is kept for so long.".to_owned();
    match state {
        RecordState::Matches => vec!["Nothing is to be done.".to_owned()],
        RecordState::Differs => {
            vec![format!("Replace the record at {name}; `items` tells what differs."), publish, check]
        }
        RecordState::Missing => vec![publish, check],
        RecordState::Unknown => vec![
            format!("The DNS gave no answer; whether the record stands is not known. See `dig TXT {name}`."),
            check,
        ],
        RecordState::NoDomain if has_domain => {
            vec![
                "The domain of BASE_URL is not one of the public DNS. Set BASE_URL to a public one."
                    .to_owned(),
            ]
        }
        RecordState::NoDomain => {
            vec![
                "BASE_URL names an address or this machine. Set it to a URL with a public domain.".to_owned(),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_most_like_the_expected_one_is_compared() {
        let expected = expected("https://r.example.org/.well-known/mcp/server-card.json", "a2V5");
        let good = text(&expected);
        let foreign = good.replace("a2V5", "b3RoZXI=").replace("cap=registry; ", "");
        let spf = "v=spf1 -all".to_owned();
        assert_eq!(nearest(&expected, std::slice::from_ref(&spf)), None);
        let differing = nearest(&expected, &[spf.clone(), foreign.clone()]).unwrap();
        let wrong: Vec<(&str, Option<&str>)> = differing
            .iter()
            .filter(|item| !item.matches)
            .map(|item| (item.key, item.found.as_deref()))
            .collect();
        assert_eq!(wrong, [("pk", Some("ed25519:b3RoZXI=")), ("cap", None)]);
        let loose = good.replace("; ", " ;");
        for found in [vec![foreign.clone(), good], vec![loose, foreign]] {
            assert!(nearest(&expected, &found).unwrap().iter().all(|item| item.matches), "{found:?}");
        }
    }
}
