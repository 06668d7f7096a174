//! Provides registries that contain Live listings, and the schemas for checking documents.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use axum::response::Response;
use registry::app::App;
use registry::discovery::GUIDES;
use registry::documents::{AnyDocument, DOCUMENTS};
use registry::error::Problem;
use registry::events::Bus;
use registry::features::{self, RawArguments};
use registry::federation::dump::{self, DumpLimits};
use registry::model::{Caller, Contact, Listed, Listing, Moment, Random};
use registry::pages::{ASSETS, PAGES};
use registry::search::{Query, Text};
use tests::fixtures::insert_live_listings;
use tests::prelude::*;
use tests::test_registry::snapshot_of;

pub(crate) const AGENT: &str = "application/a2a-agent-card+json";
pub(crate) const SERVER: &str = "application/mcp-server-card+json";

/// The handler of an agent that forecasts the weather.
pub(crate) fn forecaster(request: &PeerRequest) -> Response {
    let skill = json!({ "id": "forecast", "name": "Weather forecast",
        "description": "Tells the weather of the coming days.", "tags": ["weather"] });
    let text = "Forecasts the weather of any place on earth.";
    agents::newest_with(json!({ "name": "Nimbus", "description": text, "skills": [skill] }))(request)
}

/// A `server.json` with one remote.
pub(crate) fn server_json(name: &str, remote: &str) -> Value {
    json!({ "name": name, "description": "Adds numbers.", "version": "1.0.0",
        "remotes": [{ "type": "streamable-http", "url": remote }] })
}

/// Calls an operation as the caller with the address 192.0.2.`number`.
pub(crate) async fn call_as(
    registry: &TestRegistry,
    number: u8,
    name: &str,
    arguments: Value,
) -> Result<Value, Problem> {
    let caller = Caller { address: Some([192, 0, 2, number].into()), bearer: None };
    let operation = features::named(name).unwrap();
    operation.run(registry.app.clone(), caller, RawArguments::Json(arguments)).await
}

/// A registry with a Live agent (it forecasts the weather) and a Live MCP server (it adds numbers).
pub(crate) struct LivePair {
    pub(crate) registry: TestRegistry,
    pub(crate) agent: ListingId,
    pub(crate) server: ListingId,
    pub(crate) peers: [Peer; 2],
}

pub(crate) async fn live_pair() -> LivePair {
    live_pair_with(TestOptions::default()).await
}

pub(crate) async fn live_pair_with(options: TestOptions) -> LivePair {
    let registry = TestRegistry::start_with(options.with_setting("DUMP_LICENSE", "CC0-1.0")).await;
    let peers = [Peer::start(forecaster).await, Peer::start(servers::modern).await];
    let agent = registry.publish_card(&peers[0].card()).await;
    let server = registry.publish_mcp(&peers[1].url("/mcp")).await;
    assert_eq!(registry.delivered_counts().await, (1, 1));
    LivePair { registry, agent, server, peers }
}

/// Values that exist for the placeholders in paths, by placeholder or, where it has several meanings, by path.
pub(crate) async fn placeholders(pair: &LivePair) -> BTreeMap<&'static str, String> {
    let registry = &pair.registry;
    let skills = registry.get("/.well-known/agent-skills/index.json").await.body;
    let skill = skills["skills"][0]["name"].as_str().unwrap().to_owned();
    // The dump of the day is written if it is missing.
    drop(dump::run(&registry.app, &DumpLimits::default()).await.unwrap());
    let dump = registry.app.store.dumps().await.unwrap().remove(0).dump;
    let tile = format!("000.p/{}", registry.get("/log").await.body["tree_size"]);
    let tools = registry.get(&format!("/api/listings/tools?id={}", pair.server)).await.body;
    let score = registry.get(&format!("/api/score?url={}", pair.peers[0].card())).await.body;
    let report = score["report_url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    BTreeMap::from([
        ("id", pair.agent.to_string()),
        ("hash", tools["tools"][0]["hash"].as_str().unwrap().to_owned()),
        ("index", "0".to_owned()),
        ("/badge/{name}", "live".to_owned()),
        ("/skills/{name}", format!("{skill}.md")),
        ("/skills/{name}.md", skill),
        ("/list/{id}/tools", pair.server.to_string()),
        ("/check/{id}", report.clone()),
        ("/check/{id}/report.json", report),
        ("/dumps/{part}", format!("{}.jsonl.gz", dump.parts[0].sha256)),
        ("/log/tile/{tile}", format!("0/{tile}")),
        ("/log/tile/{*tile}", format!("0/{tile}")),
        ("tile", tile),
    ])
}

/// The path with all placeholders filled; `None` if one of them has no value.
pub(crate) fn filled(path: &str, values: &BTreeMap<&str, String>) -> Option<String> {
    let mut path = path.to_owned();
    while let Some(start) = path.find('{') {
        let end = start + path[start..].find('}')?;
        let whole = path.split('?').next().unwrap_or_default();
        let name = path[start + 1..end].trim_start_matches('*');
        let value = values.get(whole).or_else(|| values.get(name))?;
        path.replace_range(start..=end, value);
    }
    Some(path)
}

/// Every document and page at each of its paths. Placeholders in a path are replaced by values that exist.
pub(crate) async fn all_documents(pair: &LivePair) -> Vec<(&'static AnyDocument, String)> {
    let values = placeholders(pair).await;
    let mut all = Vec::new();
    for document in [DOCUMENTS, GUIDES, PAGES, ASSETS].into_iter().flatten() {
        for path in document.paths {
            let path = filled(path, &values).unwrap_or_else(|| panic!("{path}: a placeholder has no value"));
            all.push((*document, path));
        }
    }
    all
}

/// A registry with the given numbers of Live agents and MCP servers.
pub(crate) async fn live_fleet(
    agents: usize,
    servers: usize,
) -> (TestRegistry, [Peer; 2], [Vec<ListingId>; 2]) {
    let registry = TestRegistry::start_for_fleet().await;
    let peers = [Peer::start(agents::fleet).await, Peer::start(servers::modern).await];
    let mut ids = [registry.publish_fleet(&peers[0], 0..agents).await, Vec::new()];
    for number in 0..servers {
        ids[1].push(registry.publish_mcp(&peers[1].url(&format!("/{number}/mcp"))).await);
    }
    registry.deliver_events().await;
    (registry, peers, ids)
}

pub(crate) fn texts(ids: impl IntoIterator<Item = ListingId>) -> Vec<String> {
    let mut texts: Vec<String> = ids.into_iter().map(|id| id.to_string()).collect();
    texts.sort_unstable();
    texts
}

pub(crate) fn entry_schema() -> jsonschema::Validator {
    let mut schema = catalog_schema();
    schema["$ref"] = json!("#/$defs/catalogEntry");
    for member in ["required", "properties", "additionalProperties", "type"] {
        schema.as_object_mut().unwrap().remove(member);
    }
    jsonschema::validator_for(&schema).unwrap()
}

pub(crate) fn catalog_schema() -> Value {
    serde_json::from_str(include_str!("../harness/fixtures/ai-catalog.schema.json")).unwrap()
}

/// A document for a snapshot; see [`numbered`].
pub(crate) fn shown(registry: &TestRegistry, document: &Value) -> String {
    numbered(&snapshot_of(document, &[(&registry.url(""), "[registry]")]))
}

/// A text for a snapshot. Ports, and words of 20 or more characters with a digit (ids, tokens and hashes), differ in each run.
/// They get numbers in the order in which they first appear, so that equal numbers mean equal values.
fn numbered(text: &str) -> String {
    let (mut shown, mut known) = (String::new(), Vec::new());
    let ends_word = |c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c));
    let mut is_escaped = false;
    let ends_piece = |c: char| std::mem::replace(&mut is_escaped, c == '\\') || ends_word(c);
    for piece in text.split_inclusive(ends_piece) {
        let word = piece.trim_end_matches(ends_word);
        let follows_host = shown.ends_with("127.0.0.1:") || shown.ends_with("localhost:");
        let is_port = follows_host && word.parse::<u16>().is_ok();
        if !is_port && (word.len() < 20 || !word.bytes().any(|byte| byte.is_ascii_digit())) {
            shown.push_str(piece);
            continue;
        }
        let place = known.iter().position(|other| *other == word);
        let place = place.unwrap_or_else(|| {
            known.push(word);
            known.len() - 1
        });
        let prefix = word.find('_').filter(|end| *end < 8).map_or("", |end| &word[..=end]);
        let _ = write!(shown, "{prefix}[{}]{}", place + 1, &piece[word.len()..]);
    }
    shown
}

/// A document with only these members; null stands for a missing one. A name that begins with `/` is a JSON pointer.
pub(crate) fn members(document: &Value, names: &[&str]) -> Value {
    let member = |name: &str| match name.starts_with('/') {
        true => document.pointer(name).cloned().unwrap_or_default(),
        false => document[name].clone(),
    };
    names.iter().map(|name| ((*name).to_owned(), member(name))).collect()
}

/// The first item of a list that has this value.
pub(crate) fn item<'a>(list: &'a Value, member: &str, value: &str) -> &'a Value {
    let found = list.as_array().and_then(|items| items.iter().find(|item| item[member] == value));
    found.unwrap_or_else(|| panic!("no `{member}` is {value} in {list}"))
}

/// The texts of a member in all items of a list, in their order.
pub(crate) fn values_of(list: &Value, member: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|row| row[member].as_str().unwrap().to_owned()).collect()
}

/// The text of HTML, without its entities.
pub(crate) fn unescaped(text: &str) -> String {
    let entities = [
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&#38;", "&"),
        ("&amp;", "&"),
    ];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// The names in a list of the registry API.
pub(crate) fn server_names(list: &Value) -> Vec<String> {
    let servers = list["servers"].as_array().unwrap().iter();
    servers.map(|entry| entry["server"]["name"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn time(value: &Value) -> Moment {
    value.as_str().unwrap().parse().unwrap()
}

/// The draft of a feedback with an answer of its own.
pub(crate) fn own_words(draft: &Value) -> Value {
    let mut feedback = draft.clone();
    feedback["answers"]["overall"] = json!("We keep AGENTS.md.");
    feedback
}

/// A registry with one agent that waits for its first probe, and the peer that answers for it.
pub(crate) async fn queued_agent(
    script: impl Fn(&PeerRequest) -> Response + Send + Sync + 'static,
) -> (TestRegistry, Peer, ListingId) {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(script).await);
    let id = registry.publish_card(&peer.card()).await;
    (registry, peer, id)
}

/// A registry with one Live agent, and the peer that answers for it.
pub(crate) async fn live_agent() -> (TestRegistry, Peer, ListingId) {
    live_agent_with(TestOptions::default()).await
}

pub(crate) async fn live_agent_with(options: TestOptions) -> (TestRegistry, Peer, ListingId) {
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::newest).await);
    let id = registry.live_card(&peer.card()).await;
    (registry, peer, id)
}

/// A registry with Live agents of one fleet, which the search index does not contain, and the peer that answers for them.
pub(crate) async fn live_agents(options: TestOptions, count: u32) -> (TestRegistry, Peer, Vec<ListingId>) {
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    let ids = registry.live_agents(&peer, 0..count).await;
    (registry, peer, ids)
}

/// A registry with one Live MCP server, and the peer that answers for it.
pub(crate) async fn live_server(
    script: impl Fn(&PeerRequest) -> Response + Send + Sync + 'static,
) -> (TestRegistry, Peer, ListingId) {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(script).await);
    let id = registry.publish_mcp(&peer.url("/mcp")).await;
    registry.deliver_to_live(&id).await;
    (registry, peer, id)
}

/// Publishes a listing, which must go Live, and indexes it.
pub(crate) async fn publish_live(registry: &TestRegistry, body: &Value) -> ListingId {
    probe_to_live(registry, id_of(&registry.publish(body).await)).await
}

/// Probes a listing, which must go Live, and indexes it.
pub(crate) async fn probe_to_live(registry: &TestRegistry, id: ListingId) -> ListingId {
    registry.first_probe(&id).await;
    assert_eq!(registry.lane(&id).await, "active", "{}", registry.status(&id).await);
    registry.index().await;
    id
}

/// Changes a stored listing, as a publish or an older version of the registry did.
pub(crate) async fn rewrite(registry: &TestRegistry, id: &ListingId, change: impl FnOnce(&mut Listing)) {
    let (store, contact, now) = (&registry.app.store, Contact::default(), registry.now());
    let before = store.listing(id).await.unwrap().unwrap();
    let mut after = before.clone();
    change(&mut after);
    assert!(store.republish(&before, &after, None, &contact, None, now).await.unwrap());
}

/// Another process over the same table, with a search index of its own.
pub(crate) fn another_process(app: &App) -> App {
    let settings = app.settings.clone();
    App::new(settings, app.store.clone(), Bus::Silent, app.clock.clone(), Random::seeded(1))
}

/// A search of Live listings.
pub(crate) fn query(text: &str, limit: usize) -> Query {
    let text = Text::parse(text, "q").unwrap();
    Query { text, kind: None, category: None, listed: Listed::Live, skip: 0, limit }
}

/// The number of listings in the index of a process.
pub(crate) async fn count_indexed(app: &App) -> usize {
    app.search.find(&query("", 20), app.clock.now()).await.unwrap().total
}

pub(crate) async fn with_index(listings: usize) -> (TestRegistry, Vec<ListingId>) {
    let registry = TestRegistry::start_with(TestOptions::default().delivered_once()).await;
    let ids = insert_live_listings(&registry.app, Kind::Agent, listings).await;
    registry.app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap();
    registry.index().await;
    assert_eq!(count_indexed(&registry.app).await, listings);
    (registry, ids)
}

pub(crate) async fn recheck_at(registry: &TestRegistry, id: &ListingId) -> Moment {
    time(&registry.status(id).await["recheck_at"])
}

/// Rechecks a listing when its recheck is due.
pub(crate) async fn recheck_due(registry: &TestRegistry, id: &ListingId) {
    registry.advance_to(recheck_at(registry, id).await);
    registry.recheck().await;
}

/// Runs the recheck of a listing in three different hours.
pub(crate) async fn recheck_three_times(registry: &TestRegistry, id: &ListingId) {
    registry.advance_to(recheck_at(registry, id).await);
    for _ in 0..3 {
        registry.recheck().await;
        registry.advance(HOUR);
    }
}

/// Demotes a Live listing: its recheck fails in three different hours.
pub(crate) async fn demote(registry: &TestRegistry, peer: &Peer, id: &ListingId) {
    peer.answer_with(agents::only(404));
    recheck_three_times(registry, id).await;
    assert_eq!(registry.status(id).await["lane"], "demoted");
}

/// Repairs the agent of a listing that is not Live, and publishes it again; the listing must go Live.
pub(crate) async fn go_live_again(registry: &TestRegistry, peer: &Peer, id: &ListingId) {
    peer.answer_with(agents::newest);
    registry.advance(HOUR);
    registry.publish_card(&peer.card()).await;
    registry.deliver_to_live(id).await;
}

/// The refusals of a public registry, for snapshots: path, status, code, field, text and next step of each query.
pub(crate) async fn refused_queries(paths: &[&str]) -> String {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let mut lines = String::new();
    for path in paths {
        let reply = registry.get(path).await;
        assert!((400..500).contains(&reply.status), "{path} was not refused: {reply:?}");
        reply.assert_problem();
        assert!(reply.status != 422 || reply.body["field"].is_string(), "{path}: no field in {reply:?}");
        let next =
            reply.body["next"]["action"].as_str().map(|next| format!(" -> {next}")).unwrap_or_default();
        let _ = writeln!(lines, "{path}\n  {}{next}", reply.refusal());
    }
    lines
}

/// The refusals of a body with each of these changes, for a snapshot; see [`refusal_lines`].
pub(crate) async fn refused_bodies(
    registry: &TestRegistry,
    path: &str,
    valid: &Value,
    changes: impl IntoIterator<Item = Value>,
) -> String {
    let mut refused = Vec::new();
    for change in changes {
        let body = if change.is_object() { with_members(valid.clone(), &change) } else { change.clone() };
        let reply = registry.post(path, &body).await;
        assert!((400..500).contains(&reply.status), "{change} was not refused: {reply:?}");
        reply.assert_problem();
        assert!(reply.status != 422 || reply.body["field"].is_string(), "{change}: no field in {reply:?}");
        refused.push((change, reply.body));
    }
    refusal_lines(&refused)
}

/// The refusals of the arguments of a tool with each of these changes, for a snapshot; see [`refusal_lines`].
pub(crate) async fn refused_arguments(
    registry: &TestRegistry,
    tool: &str,
    valid: &Value,
    changes: impl IntoIterator<Item = Value>,
) -> String {
    let mut refused = Vec::new();
    for change in changes {
        let problem = registry.refused_tool(tool, &with_members(valid.clone(), &change)).await;
        refused.push((change, problem));
    }
    refusal_lines(&refused)
}

/// Status, code, field and text of each refusal, and below it the starts of the changes that cause it.
fn refusal_lines(refused: &[(Value, Value)]) -> String {
    let (mut lines, mut last) = (String::new(), String::new());
    // Terminals and editors may show other characters differently.
    let printable = |c: char| match c {
        ' '..='~' => c.to_string(),
        _ => c.escape_unicode().to_string(),
    };
    for (change, problem) in refused {
        let text = |name: &str| problem[name].as_str().unwrap_or("-");
        let why = [text("code"), &format!("`{}`:", text("field")), text("detail")].join(" ");
        let refusal = numbered(&format!("{} {why}", problem["status"]));
        if refusal != last {
            let _ = writeln!(lines, "{refusal}");
            last = refusal;
        }
        let change: String = numbered(&change.to_string()).chars().take(110).map(printable).collect();
        let _ = writeln!(lines, "  {change}");
    }
    lines
}
