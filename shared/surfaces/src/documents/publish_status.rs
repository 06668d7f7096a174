//! `/api/mcp-registry/publish-status`: under which name this registry is to be found at other MCP registries, whether it
//! is, how its domain proves the name, and the commands by which its operator publishes it. What is not known is said to
//! be not known: the official registry is asked only where it is among the peers of the settings.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::dns_status::DnsStatus;
use super::document::{Document, DocumentRequest, NoQuery, json};
use super::own_records::{Lookup, RecordState, domain, own_records, zone_line};
use super::registry_auth::RegistryAuth;
use super::server_description::OwnServerDescription;
use registry_app::App;
use registry_app::domain_keys::PublicKey;
use registry_domain::federation::known_peers;
use registry_domain::trust::message_key::message_key;
use registry_domain::views::own_server_name;
use registry_model::error::Problem;
use registry_model::{HostName, Moment, PeerRegistry};

const OFFICIAL: &str = "https://registry.modelcontextprotocol.io";

/// How the publishing stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Status {
    ok: bool,
    /// Whether the official registry lists this one, as it last said; null where this registry has not asked it.
    listed: Option<bool>,
    /// The name under which it is listed there; null where it is not, or that is not known.
    published_name: Option<String>,
    /// The names that this domain can prove.
    recommended_names: [String; 1],
    version: &'static str,
    /// What is published.
    server_json: String,
    /// Where the official registry tells what it lists under the name.
    official_search: String,
    /// The registries that this one asks once a day, and whether they list it.
    searches: Vec<Search>,
    /// The proof of the name by the DNS.
    dns: DnsProof,
    /// The proof of the name by HTTPS.
    http: HttpProof,
    /// Where the proof by HTTPS is served.
    mcp_registry_auth: String,
    /// How the discovery record in the DNS stands, which is another one.
    discovery_record: String,
    /// What the operator does, in order.
    publish_steps: Vec<Step>,
    note: &'static str,
}

/// A registry that is asked what it lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Search {
    registry: String,
    /// The same question for anybody.
    url: String,
    /// Whether it lists this registry; null where it did not say.
    lists_this: Option<bool>,
    /// When it last answered.
    answered_at: Option<Moment>,
    /// Why it gave nothing when it was asked last.
    failure: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DnsProof {
    /// The name at which the record belongs; null where this registry has no domain.
    name: Option<String>,
    /// What belongs there.
    expected_txt: String,
    #[serde(flatten)]
    lookup: Lookup,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HttpProof {
    /// Where it is served; the official registry asks for it by HTTPS.
    url: String,
    /// What is served there.
    text: String,
    /// Whether its address is one at which the official registry would ask.
    is_public: bool,
}

/// A step of the publishing.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Step {
    step: usize,
    what: &'static str,
    /// The command that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

#[derive(Debug)]
pub(super) struct PublishStatus;

impl Document for PublishStatus {
    const PATHS: &'static [&'static str] = &["/api/mcp-registry/publish-status"];
    const SUMMARY: &'static str =
        "How this registry is published at other MCP registries: its name, the proofs of it, and the steps.";
    const MAX_AGE_S: Option<u32> = Some(60);
    type Query = NoQuery;
    type Answer = Status;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&status(app).await?)
    }
}

async fn status(app: &App) -> Result<Status, Problem> {
    let settings = &app.settings;
    let (key, peers) = (message_key(app).await?.domain_key(), known_peers(app).await?);
    let record = key.record().unwrap_or_default();
    let (name, domain) = (own_server_name(settings), domain(settings));
    let records = own_records(app).await;
    let lookup =
        Lookup::of(settings, records.as_deref(), |records| &records.at_domain, |found| judge(&key, found));
    let listed = listed(&peers);
    let description = settings.url(OwnServerDescription::PATHS[0]);
    let auth = settings.url(RegistryAuth::PATHS[0]);
    let is_public = domain.is_some() && auth.starts_with("https://");
    let search = |registry: &str| format!("{registry}/v0.1/servers?search={name}");
    Ok(Status {
        ok: true,
        listed,
        published_name: listed.is_some_and(|listed| listed).then(|| name.clone()),
        version: registry_model::VERSION,
        official_search: search(OFFICIAL),
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
            domain.as_deref().filter(|_| is_public),
            &description,
            &record,
            &search(OFFICIAL),
        ),
        dns: DnsProof { name: domain, expected_txt: record.clone(), lookup },
        http: HttpProof { url: auth.clone(), text: record, is_public },
        mcp_registry_auth: auth,
        discovery_record: settings.url(DnsStatus::PATHS[0]),
        server_json: description,
        recommended_names: [name],
        note: "One of the two proofs is enough. Both show the public half of the key that signs this registry's \
            requests; the private half is in its table, for its operator alone.",
    })
}

/// `None` unless the official registry is among the configured peers.
fn listed(peers: &[PeerRegistry]) -> Option<bool> {
    let official = HostName::of_url(OFFICIAL);
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
fn steps(domain: Option<&str>, description: &str, record: &str, search: &str) -> Vec<Step> {
    let Some(domain) = domain else {
        let what = "Give this registry an https URL with a public domain (BASE_URL): its name is made of the domain.";
        return vec![Step { step: 1, what, command: None }];
    };
    let key = "PRIVATE_KEY=$(aws dynamodb query --table-name \"$TABLE_NAME\" \
        --key-condition-expression 'pk = :key' --expression-attribute-values '{\":key\":{\"S\":\"KEY#MESSAGE\"}}' \
        --query 'Items[0].secret.S' --output text | sed 's/$/=/' | basenc --decode --base64url | xxd -p -c 32)";
    let login =
        |how: &str| format!("mcp-publisher login {how} --domain={domain} --private-key=\"$PRIVATE_KEY\"");
    let steps = [
        ("Take the description.", Some(format!("curl -fsS {description} -o server.json"))),
        ("Read the private key from the table of this registry.", Some(key.to_owned())),
        ("Prove the domain by HTTPS: its record is served already.", Some(login("http"))),
        ("Or prove it by the DNS: publish this record, and log in by it.", Some(zone_line(domain, record))),
        ("The login by the DNS, in the place of the one by HTTPS.", Some(login("dns"))),
        ("Publish.", Some("mcp-publisher publish".to_owned())),
        ("See that it is listed.", Some(format!("curl -fsS '{search}'"))),
    ];
    let numbered = steps.into_iter().zip(1..);
    numbered.map(|((what, command), step)| Step { step, what, command }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(url: &str, lists_this: Option<bool>) -> PeerRegistry {
        PeerRegistry {
            url: url.to_owned(),
            name: "r".to_owned(),
            search_url: None,
            asked_at: Moment::UNIX_EPOCH,
            answered_at: None,
            failure: None,
            lists_this,
            referrals: Vec::new(),
        }
    }

    #[test]
    fn only_the_official_registry_tells_what_it_lists() {
        let other = peer("https://r.example.org", Some(true));
        assert_eq!(listed(std::slice::from_ref(&other)), None);
        for said in [None, Some(true), Some(false)] {
            assert_eq!(listed(&[other.clone(), peer(OFFICIAL, said)]), said);
        }
    }

    #[test]
    fn one_record_of_the_key_proves_the_domain() {
        let (own, other) = (PublicKey::Ed25519([7; 32]), PublicKey::Ed25519([8; 32]));
        let spf = "v=spf1 -all".to_owned();
        let state = |keys: &[&PublicKey]| {
            let records = keys.iter().filter_map(|key| key.record());
            judge(&own, &records.chain([spf.clone()]).collect::<Vec<_>>())
        };
        assert_eq!(state(&[]), RecordState::Missing);
        assert_eq!(state(&[&other]), RecordState::Differs);
        assert_eq!(state(&[&other, &own]), RecordState::Matches);
    }

    #[test]
    fn without_a_domain_there_is_one_thing_to_do() {
        let of =
            |domain| steps(domain, "https://r.example.org/server.json", "v=MCPv1", "https://o.example.org");
        assert_eq!(of(None).len(), 1);
        assert!(of(Some("r.example.org")).iter().all(|step| step.command.is_some()));
        assert_eq!(of(Some("r.example.org")).last().unwrap().step, 7);
    }
}
