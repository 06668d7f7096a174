//! Tests that every surface states the same facts about a listing: its name, version, state, score and the time of its last
//! good probe. The status is compared with the other surfaces.

use std::collections::BTreeMap;

use registry::federation::dump::{self, DumpLimits};
use tests::peers::sign_in;
use tests::prelude::*;

use crate::dumps::{dumps, lines};
use crate::fixtures::{recheck_at, server_json};

/// Each surface whose answer is JSON: its path or tool, and the facts of [`facts`] that it has, with the place in the row.
const SURFACES: &str = "
    /api/listings/active id=id kind=kind name=name score=probe/score handshake=probe/handshake probed_at=probe/probed_at
        live_failing_since=probe/failing_since liveness=liveness/state
    /api/match id=listing_id kind=kind name=name version=version score=probe/score handshake=probe/handshake
        probed_at=probe/probed_at live_failing_since=probe/failing_since
    /api/ard/search id=listing_id kind=kind name=name version=version score=probe/score handshake=probe/handshake
        probed_at=probe/probed_at live_failing_since=probe/failing_since
    /api/catalog id=listing_id kind=kind name=name version=version score=probe/score handshake=probe/handshake
        probed_at=probe/probed_at live_failing_since=probe/failing_since
    /agents/public id=listing_id name=name version=version
    /v0.1/servers name=server/title version=server/version access=_meta/localhost~1evidence/access
        score=_meta/localhost~1evidence/score asked_at=_meta/localhost~1evidence/last_checked
        live_failing_since=_meta/localhost~1evidence/failing_since
    /.well-known/ai-catalog.json name=displayName version=version score=metadata/probe_score
        handshake=metadata/handshake probed_at=metadata/probed_at live_failing_since=metadata/failing_since
    /api/feed name=name kind=kind
    /dumps.json name=name score=probe/score probed_at=probe/probed_at live_failing_since=probe/failing_since
    check_status name=name lane=lane score=probe/score liveness=liveness/state
    check_liveness lane=lane liveness=liveness/state failing_since=liveness/failing_since
    probe_clean lane=lane handshake=handshake probed_at=probed_at liveness=liveness/state
    get_reciprocity name=name kind=kind lane=lane
    score name=name kind=kind handshake=handshake
";

fn surfaces() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let mut all: Vec<(&str, Vec<_>)> = Vec::new();
    for word in SURFACES.split_whitespace() {
        match word.split_once('=') {
            None => all.push((word, Vec::new())),
            Some(fact) => all.last_mut().unwrap().1.push(fact),
        }
    }
    all
}

/// What the status says, by the names of facts.
fn facts(status: &Value, version: &str) -> BTreeMap<&'static str, Value> {
    let at = |pointer: &str| status.pointer(pointer).cloned().unwrap_or_default();
    BTreeMap::from([
        ("id", at("/listing_id")),
        ("kind", at("/kind")),
        ("name", at("/name")),
        ("version", json!(version)),
        ("lane", at("/lane")),
        ("access", at("/access")),
        ("score", at("/probe/score")),
        ("handshake", at("/probe/handshake")),
        ("probed_at", at("/probe/probed_at")),
        ("asked_at", at("/liveness/asked_at")),
        ("liveness", at("/liveness/state")),
        ("failing_since", at("/liveness/failing_since")),
        (
            "live_failing_since",
            if at("/access").is_null() { Value::Null } else { at("/liveness/failing_since") },
        ),
    ])
}

/// The object in a document that is about this listing.
fn row_of<'a>(document: &'a Value, id: &ListingId) -> Option<&'a Value> {
    let is_it = |value: &Value| {
        let of_it = |pointer: &str| value.pointer(pointer).is_some_and(|found| *found == json!(id));
        let status = value.pointer("/_meta/localhost~1evidence/status_url").and_then(Value::as_str);
        of_it("/listing_id")
            || of_it("/id")
            || of_it("/metadata/listing_id")
            || status.is_some_and(|url| url.ends_with(id.as_str()))
    };
    match document {
        _ if is_it(document) => Some(document),
        Value::Array(values) => values.iter().find_map(|value| row_of(value, id)),
        Value::Object(members) => members.values().find_map(|value| row_of(value, id)),
        _ => None,
    }
}

#[tokio::test]
async fn every_surface_states_the_same_facts() {
    let registry = TestRegistry::start_with_setting("DUMP_LICENSE", "CC0-1.0").await;
    let authorization = Peer::start(sign_in::authorization_server).await;
    let gated = Peer::start(sign_in::gated(&authorization.origin)).await;
    let [agent, server] = [Peer::start(agents::newest).await, Peer::start(servers::modern).await];
    let [broken, failing] = [Peer::start(|_| empty(404)).await, Peer::start(servers::legacy).await];
    let [withdrawn, restored] = [Peer::start(servers::modern).await, Peer::start(servers::modern).await];
    let mut described = server_json("org.example/files", &gated.url("/mcp"));
    described["title"] = json!("Files");
    let listings = [
        (registry.publish_card(&agent.card()).await, "active", agent.card(), "1.2.0"),
        (registry.publish_mcp(&server.url("/mcp")).await, "active", server.url("/mcp"), "3.1.0"),
        (id_of(&registry.publish(&described).await), "gated", gated.url("/mcp"), "1.0.0"),
        (registry.publish_mcp(&broken.url("/mcp")).await, "needs_fix", broken.url("/mcp"), "0.0.0"),
        (registry.publish_mcp(&failing.url("/mcp")).await, "active", failing.url("/mcp"), "0.4.2"),
        (registry.publish_mcp(&withdrawn.url("/mcp")).await, "withdrawn", withdrawn.url("/mcp"), "3.1.0"),
        (registry.publish_mcp(&restored.url("/mcp")).await, "queued", restored.url("/mcp"), "3.1.0"),
    ];
    registry.deliver_events().await;
    registry.advance_to(recheck_at(&registry, &listings[4].0).await);
    failing.answer_with(agents::only(404));
    registry.recheck().await;
    registry.tick_after(HOUR).await;
    for (id, ..) in &listings[5..] {
        registry.withdraw(id, "Test.").await;
    }
    registry.restore(&listings[6].0).await;
    registry.index().await;
    drop(dump::run(&registry.app, &DumpLimits::default()).await.unwrap());
    let dump = lines(&dumps(&registry).await["dumps"][0]).await;

    for (id, lane, url, version) in &listings {
        let status = registry.status(id).await;
        assert_eq!(status["lane"], *lane, "{status}");
        let facts = facts(&status, version);
        let state = facts["liveness"].as_str().unwrap();
        let is_proven = ["active", "gated"].contains(lane);
        for (surface, has) in surfaces() {
            let search = format!("{surface}?q={id}&access=all&limit=100");
            let document = match surface {
                "/dumps.json" => json!(dump.iter().map(|line| &line["listing"]).collect::<Vec<_>>()),
                "/api/match" | "/api/ard/search" | "/v0.1/servers" => registry.get(&search).await.body,
                path if path.starts_with('/') => registry.get(path).await.body,
                "get_reciprocity" if *lane == "withdrawn" => continue,
                // It probes again, and is told nothing about the listing.
                "score" if state != "proven" => continue,
                "score" => registry.call_tool("score", &json!({ "url": url })).await,
                "check_status" => registry.call_tool(surface, &json!({ "id": id })).await,
                tool => registry.call_tool(tool, &json!({ "listing_id": id })).await,
            };
            let row = if surface == "score" { Some(&document) } else { row_of(&document, id) };
            let is_listed = match surface {
                "/api/listings/active" | "/api/catalog" | "/.well-known/ai-catalog.json" => *lane == "active",
                "/agents/public" => *lane == "active" && facts["kind"] == "agent",
                "/api/match" | "/api/ard/search" | "/dumps.json" => is_proven,
                "/v0.1/servers" => is_proven && facts["kind"] == "mcp",
                _ => true,
            };
            assert_eq!(row.is_some(), is_listed, "{surface}: {status}");
            let Some(row) = row else { continue };
            for (fact, place) in has {
                let shown = row.pointer(&format!("/{place}")).cloned().unwrap_or_default();
                assert_eq!(shown, facts[fact], "{fact} at {surface}: {row}");
            }
        }
        let [name, score, at] =
            ["name", "score", "probed_at"].map(|fact| facts[fact].to_string().replace('"', ""));
        let sentence = registry.send_message(&json!({ "text": format!("status of {id}") })).await.to_string();
        let badge = registry.get(&format!("/badge/live.svg?id={id}")).await.body.to_string();
        let page = registry.get_with(&format!("/list/{id}"), ("accept", "text/html")).await.body.to_string();
        let (in_words, on_badge, on_page) = match (*lane, state) {
            ("active", "failing") => (
                "is active (Live). Live, but its last probe failed",
                "live, last probe failed",
                "Live, last probe failed",
            ),
            ("active", _) => ("is active (Live). Live:", "live", "Live"),
            ("gated", _) => ("is gated.", "gated", "Gated"),
            ("withdrawn", _) => ("is withdrawn.", "not live", ""),
            ("queued", _) => ("is queued.", "not live", "Queued"),
            _ => ("is waiting for a fix.", "not live", "Needs a fix"),
        };
        let on_score = format!("Score {score} of 100");
        let title = if name == id.as_str() { "127.0.0.1" } else { &name };
        let failing =
            facts["failing_since"].as_str().map(|since| format!("Its probes have failed since {since}"));
        for (surface, text, words) in [
            ("A2A", &sentence, in_words),
            ("A2A", &sentence, &format!(" at {at}: ")),
            ("A2A", &sentence, &format!(", with a score of {score} of 100")),
            ("A2A", &sentence, &name),
            ("A2A", &sentence, failing.as_deref().unwrap_or_default()),
            ("badge", &badge, &format!(": {on_badge}</title>")),
            ("page", &page, &format!("<bdi>{title}</bdi>")),
            ("page", &page, &format!(">{on_page}</span></h1>")),
            ("page", &page, &at),
            ("page", &page, if *lane == "gated" { "" } else { &on_score }),
        ] {
            if (surface, *lane) == ("page", "withdrawn") {
                continue;
            }
            assert!(text.contains(words), "{surface} of {id} lacks `{words}`: {text}");
        }
    }
    let live = json!({ "agents": 1, "mcps": 2 });
    for (path, agents, mcps) in [
        ("/discovery.json", "/probes/live_active/agents", "/probes/live_active/mcp"),
        ("/api/probes", "/live_active/agents", "/live_active/mcp"),
        ("/api/catalog", "/counts/agents_active", "/counts/mcp_active"),
        ("/api/listings/active", "/counts/agents_active", "/counts/mcp_active"),
    ] {
        let document = registry.get(path).await.body;
        let shown = json!({ "agents": document.pointer(agents), "mcps": document.pointer(mcps) });
        assert_eq!(shown, live, "{path}");
    }
}
