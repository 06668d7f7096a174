//! How other parties find this registry. `/api/dns/mcp-status` returns the DNS discovery record
//! (`specification.md#dns-record`): the expected record, and the record that the DNS returns.
//!
//! `/api/mcp-registry/publish-status` returns the name of this registry at other MCP registries, the proofs
//! of the name, and the commands to publish it. Unknown values are null. The official registry is read only
//! if it is one of the peers in the settings.

use super::document::json;
use super::keys::REGISTRY_AUTH;
use super::mcp_server_card::{OWN_SERVER_DESCRIPTION, WIDE_SERVER_CARD};
use super::own_records::{Lookup, RecordState, domain, own_records, zone_line};
use crate::prelude::*;
use registry_app::domain_keys::PublicKey;
use registry_app::message_key::message_key;
use registry_features::federation::known_peers;
use registry_formats::registry_name;
use registry_model::{HostName, PeerRegistry};

const RECORD_FORMAT: &str = "mcp1";

/// The DNS discovery record of this registry, expected and found.
#[derive(Debug, Serialize, JsonSchema)]
struct DnsStatus {
    ok: bool,
    /// The host of this registry.
    host: String,
    /// The name of the record.
    name: String,
    expected_txt: String,
    /// Whether the DNS returns exactly this record.
    live: bool,
    /// `mcp1` if the DNS returns a record of this form, `none` if not; null if that is not known.
    format: Option<&'static str>,
    #[serde(flatten)]
    lookup: Lookup,
    /// Each item of the record, expected and found.
    items: Vec<RecordItem>,
    /// The record as a line of a zone file.
    dns_record_hint: String,
    /// What the operator can do.
    instructions: Vec<String>,
    /// The URL of the server card that the record names.
    mcp_server_card: String,
    /// The URL of this registry's own server.json.
    server_json: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct RecordItem {
    key: &'static str,
    expected: String,
    /// The value in the DNS; null if there is none or it is unknown.
    found: Option<String>,
    matches: bool,
}

pub static DNS_STATUS: AnyDocument = AnyDocument {
    paths: &["/api/dns/mcp-status"],
    summary: "The DNS discovery record of this registry: the expected record, and the record that the DNS returns.",
    max_age_s: Some(60),
    ..AnyDocument::of::<DnsStatus>(|app, _| Box::pin(async { json(&dns_status(app).await?) }))
};

async fn dns_status(app: &App) -> Result<DnsStatus, Problem> {
    let settings = &app.settings;
    let key = message_key(app).await?.public_base64();
    let card = settings.url(WIDE_SERVER_CARD.paths[0]);
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
    Ok(DnsStatus {
        ok: true,
        live: lookup.state == RecordState::Matches,
        format: match lookup.state {
            RecordState::Matches | RecordState::Differs => Some(RECORD_FORMAT),
            RecordState::Missing => Some("none"),
            RecordState::Unknown | RecordState::NoDomain => None,
        },
        instructions: instructions(lookup.state, &name, &dns_record_hint),
        lookup,
        items,
        host,
        name,
        expected_txt,
        dns_record_hint,
        mcp_server_card: card,
        server_json: settings.url(OWN_SERVER_DESCRIPTION.paths[0]),
    })
}

fn expected(card: &str, key: &str) -> [(&'static str, String); 7] {
    [
        ("v", RECORD_FORMAT.to_owned()),
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
fn nearest(expected: &[(&'static str, String)], found: &[String]) -> Option<Vec<RecordItem>> {
    let of_this_form = found.iter().filter(|record| value(record, "v") == Some(RECORD_FORMAT));
    let compared = of_this_form.map(|record| compared(expected, record));
    compared.max_by_key(|items| items.iter().filter(|item| item.matches).count())
}

fn compared(expected: &[(&'static str, String)], record: &str) -> Vec<RecordItem> {
    let item = |(key, expected): &(&'static str, String)| {
        let found = value(record, key).map(str::to_owned);
        RecordItem { key, matches: found.as_ref() == Some(expected), expected: expected.clone(), found }
    };
    expected.iter().map(item).collect()
}

fn value<'a>(record: &'a str, key: &str) -> Option<&'a str> {
    let mut items = record.split(';').filter_map(|item| item.trim().split_once('='));
    items.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

fn instructions(state: RecordState, name: &str, line: &str) -> Vec<String> {
    let publish = format!("Add this record to the DNS zone of the domain: {line}");
    let check = "Check again after a minute. The registry caches a DNS answer for one minute.".to_owned();
    match state {
        RecordState::Matches => vec!["The record is correct. Nothing to do.".to_owned()],
        RecordState::Differs => {
            vec![format!("Replace the record at {name}. The differences are in `items`."), publish, check]
        }
        RecordState::Missing => vec![publish, check],
        RecordState::Unknown => vec![format!("Unknown, see `error`. Check with `dig TXT {name}`.")],
        RecordState::NoDomain => vec!["Set BASE_URL to a URL with a public domain.".to_owned()],
    }
}

const OFFICIAL_REGISTRY: &str = "https://registry.modelcontextprotocol.io";

/// How this registry is published at other MCP registries.
#[derive(Debug, Serialize, JsonSchema)]
struct PublishStatus {
    ok: bool,
    /// Whether the official registry lists this one, by its last answer; null if that is not known.
    listed: Option<bool>,
    /// The name under which it is listed there; null if it is not listed, or that is not known.
    published_name: Option<String>,
    /// The names that this domain can prove.
    recommended_names: [String; 1],
    version: &'static str,
    /// The URL of the server.json to publish.
    server_json: String,
    /// The URL that searches the official registry for the name.
    official_search: String,
    /// The peers that this registry queries once a day, and whether they list it.
    searches: Vec<Search>,
    dns: DnsProof,
    http: HttpProof,
    /// The URL at which the HTTPS proof is served.
    mcp_registry_auth: String,
    /// The URL of the status of the DNS discovery record, which is a different record.
    discovery_record: String,
    /// The steps for the operator, in order.
    publish_steps: Vec<PublishStep>,
    note: &'static str,
}

/// A peer registry, and whether it lists this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Search {
    registry: String,
    /// The URL that searches it for the name.
    url: String,
    /// Whether it lists this registry; null if not known.
    lists_this: Option<bool>,
    /// When it last answered.
    answered_at: Option<Moment>,
    /// Why the last query failed.
    failure: Option<String>,
}

/// The proof of the name by DNS.
#[derive(Debug, Serialize, JsonSchema)]
struct DnsProof {
    /// The name of the record; null if this registry has no domain.
    name: Option<String>,
    expected_txt: String,
    #[serde(flatten)]
    lookup: Lookup,
}

/// The proof of the name by HTTPS.
#[derive(Debug, Serialize, JsonSchema)]
struct HttpProof {
    /// The URL of the proof; the official registry reads it over HTTPS.
    url: String,
    /// The content of the proof.
    text: String,
    /// Whether the official registry can reach this URL.
    is_public: bool,
}

/// A step of publishing this registry.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct PublishStep {
    step: usize,
    what: &'static str,
    /// The shell command, or the DNS record to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

pub static PUBLISH_STATUS: AnyDocument = AnyDocument {
    paths: &["/api/mcp-registry/publish-status"],
    summary: "How to publish this registry in other MCP registries: its name, the proofs of the name, and the steps.",
    max_age_s: Some(60),
    ..AnyDocument::of::<PublishStatus>(|app, _| Box::pin(async { json(&publish_status(app).await?) }))
};

async fn publish_status(app: &App) -> Result<PublishStatus, Problem> {
    let settings = &app.settings;
    let (key, peers) = (message_key(app).await?.domain_key(), known_peers(app).await?);
    let record = key.record().unwrap_or_default();
    let (name, domain) = (registry_name::name_of_registry(&settings.base_url), domain(settings));
    let records = own_records(app).await;
    let lookup =
        Lookup::of(settings, records.as_deref(), |records| &records.at_domain, |found| judge(&key, found));
    let listed = listed(&peers);
    let description = settings.url(OWN_SERVER_DESCRIPTION.paths[0]);
    let auth = settings.url(REGISTRY_AUTH.paths[0]);
    // The official registry reads the proof at the default port.
    let is_public = domain.is_some() && auth.starts_with("https://") && auth.matches(':').count() == 1;
    let search = |registry: &str| format!("{registry}/v0.1/servers?search={name}");
    Ok(PublishStatus {
        ok: true,
        listed,
        published_name: listed.is_some_and(|listed| listed).then(|| name.clone()),
        version: registry_model::VERSION,
        official_search: search(OFFICIAL_REGISTRY),
        searches: peers
            .iter()
            .map(|peer| Search {
                registry: peer.url.clone(),
                url: search(&peer.url),
                lists_this: peer.lists_this,
                answered_at: peer.answered_at,
                failure: peer.failure.clone(),
            })
            .collect(),
        publish_steps: steps(
            domain.as_deref().filter(|_| auth.starts_with("https://")),
            &description,
            &record,
            &search(OFFICIAL_REGISTRY),
        ),
        dns: DnsProof { name: domain, expected_txt: record.clone(), lookup },
        http: HttpProof { url: auth.clone(), text: record, is_public },
        mcp_registry_auth: auth,
        discovery_record: settings.url(DNS_STATUS.paths[0]),
        server_json: description,
        recommended_names: [name],
        note: "One of the two proofs is enough. Both contain the public key of the key pair that signs this \
            registry's requests. The private key is in the registry's table, where only the operator can \
            read it, or on AWS possibly in KMS, where nobody can.",
    })
}

/// `None` unless the official registry is among the configured peers.
fn listed(peers: &[PeerRegistry]) -> Option<bool> {
    let official = HostName::of_url(OFFICIAL_REGISTRY);
    peers.iter().find(|peer| HostName::of_url(&peer.url) == official)?.lists_this
}

/// The official registry accepts any key of a domain.
fn judge(key: &PublicKey, found: &[String]) -> RecordState {
    let mut keys = found.iter().filter_map(|text| PublicKey::from_record(text).ok()).peekable();
    if keys.peek().is_none() {
        return RecordState::Missing;
    }
    if keys.any(|found| found == *key) { RecordState::Matches } else { RecordState::Differs }
}

/// One step only until the registry has an https URL with a domain, because its name is made from the domain.
fn steps(domain: Option<&str>, description: &str, record: &str, search: &str) -> Vec<PublishStep> {
    let Some(domain) = domain else {
        let what = "Set BASE_URL to an https URL with a public domain. The name of the registry is made from \
            this domain.";
        return vec![PublishStep { step: 1, what, command: None }];
    };
    let key = "PRIVATE_KEY=$(aws dynamodb query --table-name \"$TABLE_NAME\" \
        --key-condition-expression 'pk = :key' --expression-attribute-values '{\":key\":{\"S\":\"KEY#MESSAGE\"}}' \
        --query 'Items[0].secret.S' --output text | sed 's/$/=/' | basenc --decode --base64url | xxd -p -c 32)";
    let login =
        |how: &str| format!("mcp-publisher login {how} --domain={domain} --private-key=\"$PRIVATE_KEY\"");
    let steps = [
        ("Download the server.json.", Some(format!("curl -fsS {description} -o server.json"))),
        (
            "Read the private key: on AWS, from the table; otherwise from `KEY#MESSAGE` in an export. A key in KMS cannot be read.",
            Some(key.to_owned()),
        ),
        ("Prove the domain by HTTPS, if BASE_URL has no port. The record is served.", Some(login("http"))),
        ("Or prove the domain by DNS: add this record to the zone.", Some(zone_line(domain, record))),
        ("Log in by DNS instead of HTTPS.", Some(login("dns"))),
        ("Publish.", Some("mcp-publisher publish".to_owned())),
        ("Check that it is listed.", Some(format!("curl -fsS '{search}'"))),
    ];
    let numbered = steps.into_iter().zip(1..);
    numbered.map(|((what, command), step)| PublishStep { step, what, command }).collect()
}

#[cfg(test)]
mod tests;
