//! Tests how others follow what changes: by cursor and as an Atom feed.

use futures::future::join_all;
use tests::instrumented::as_function;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_server, texts, values_of};

async fn changes(registry: &TestRegistry, query: &str) -> Value {
    registry.get(&format!("/api/changes?{query}")).await.ok()
}

/// The number and the type of each change.
fn kinds(answer: &Value) -> Vec<(u64, &str)> {
    let all = answer["changes"].as_array().unwrap();
    all.iter().map(|change| (change["cursor"].as_u64().unwrap(), change["type"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn followers_see_each_change_of_a_listing_in_order() {
    let (registry, peer, id) = live_agent().await;
    let first = changes(&registry, "since=0").await;
    assert_eq!(kinds(&first), [(1, "listing_live")], "publishing is no change: {first}");
    assert_eq!(first["changes"][0]["listing_id"], id.as_str());
    assert_eq!((&first["cursor"], &first["more"]), (&json!(1), &json!(false)));
    // A renewed proof is no change.
    assert_eq!(registry.tick_after(HOUR * 9).await["renewed"], 1);
    assert_eq!(kinds(&changes(&registry, "since=1").await), []);

    drop(peer);
    for wait in [HOUR; 5].into_iter().chain([HOUR * 6; 28]) {
        registry.recheck_after(wait).await;
    }
    let both = [(1, "listing_live"), (2, "listing_demoted")];
    for (query, expected, more) in [
        ("since=1", &both[1..], false),
        ("since=0&limit=1", &both[..1], true),
        ("", &both, false),
        ("kind=mcp", &[], false),
        ("kind=agent&limit=1", &both[1..], false),
        ("listing_id=agent-other", &[], false),
    ] {
        let read = changes(&registry, query).await;
        assert_eq!((kinds(&read).as_slice(), &read["more"]), (expected, &json!(more)), "{query}: {read}");
    }
    assert_eq!(changes(&registry, "since=2").await["cursor"], 2);
}

#[tokio::test]
async fn changed_tools_and_names_are_changes() {
    let (registry, peer, _) = live_server(servers::modern_with(&["add"])).await;
    peer.answer_with(servers::modern_with(&["add", "steal"]));
    registry.tick_after(HOUR * 9).await;
    let seen = changes(&registry, "since=0").await;
    assert_eq!(kinds(&seen), [(1, "listing_live"), (2, "listing_tools_changed")], "{seen}");
    assert!(seen["changes"][1]["severity"].is_string(), "{seen}");

    let peer = Peer::start(agents::newest_called("Before")).await;
    registry.live_card(&peer.card()).await;
    peer.answer_with(agents::newest_called("After"));
    registry.tick_after(HOUR * 9).await;
    let seen = changes(&registry, "since=2").await;
    assert_eq!(kinds(&seen), [(3, "listing_live"), (4, "listing_renamed")], "{seen}");
    assert_eq!(seen["changes"][1]["text"], "After was renamed; its name was Before.");
}

#[tokio::test]
async fn processes_that_number_at_once_leave_no_gap() {
    let registry = TestRegistry::start_for_fleet().await;
    let peer = Peer::start(agents::fleet).await;
    let cards: Vec<String> = (0..60).map(|n| peer.url(&format!("/{n}/card.json"))).collect();
    let ids: Vec<ListingId> = join_all(cards.iter().map(|card| registry.publish_card(card))).await;
    join_all(ids.iter().map(|id| registry.first_probe(id))).await;
    join_all((0..6).map(|_| registry::listing::change_feed::number_or_warn(&registry.app))).await;
    let (mut cursor, mut about) = (0, Vec::new());
    loop {
        let page = changes(&registry, &format!("since={cursor}&limit=7")).await;
        for (number, kind) in kinds(&page) {
            cursor += 1;
            assert_eq!((number, kind), (cursor, "listing_live"));
        }
        about.extend(values_of(&page["changes"], "listing_id"));
        if page["more"] == false {
            break;
        }
    }
    about.sort_unstable();
    assert_eq!(about, texts(ids));
}

#[tokio::test]
async fn cursor_that_is_too_old_or_unknown_is_refused_with_the_way_out() {
    let (registry, _peer, _) = live_agent().await;
    registry.get("/api/changes?since=2").await.assert_refused(404, "cursor_gone");
    registry.advance(DAY * 95);
    registry.sweep_expired();
    registry.get("/api/changes?since=0").await.assert_body(404, &json!({ "cursor": 1 }));
    assert_eq!(kinds(&changes(&registry, "since=1").await), [], "a follower who knows it may go on");
    assert_eq!(changes(&registry, "").await["cursor"], 1);

    // After a long silence, the next change that is stored is new.
    registry.tick().await;
    registry.tick_after(TICK).await;
    registry.advance(TICK);
    registry.get("/api/changes?since=0").await.assert_body(404, &json!({ "cursor": 2 }));
    let latest = changes(&registry, "").await;
    assert_eq!((kinds(&latest), &latest["cursor"]), (vec![(2, "listing_live")], &json!(2)), "{latest}");
}

/// Replicas that lag behind must not make a cursor unknown that was just given.
#[tokio::test]
async fn newest_cursor_is_known_at_once() {
    let (registry, _peer, id) = live_agent().await;
    assert_eq!(changes(&registry, "kind=agent").await["cursor"], 1);
    let (_, calls) = registry.counted(changes(&registry, &format!("listing_id={id}"))).await;
    assert_eq!(calls.total(), 1, "only the last number is read again");
    registry.withdraw(&id, "Test.").await;
    as_function("probe-tick", registry::listing::change_feed::number_or_warn(&registry.app)).await;
    assert_eq!(changes(&registry, "kind=agent").await["cursor"], 2);
    let read = changes(&registry, "since=1").await;
    assert_eq!((kinds(&read), &read["cursor"]), (vec![(2, "listing_withdrawn")], &json!(2)));
    assert_eq!(changes(&registry, "since=2").await["cursor"], 2);
}

#[tokio::test]
async fn atom_feeds_contain_the_changes_of_a_listing_a_kind_or_a_host() {
    let registry = TestRegistry::start().await;
    let hostile = Peer::start(agents::newest_called("Fish & \"Chips\"")).await;
    let id = registry.live_card(&hostile.card()).await;
    registry.tick_after(TICK).await;
    let feed = async |query: &str| registry.text(&format!("/feeds/changes.atom{query}")).await;
    let all = feed("").await;
    assert!(all.contains("<entry>") && !all.contains("Fish & "), "{all}");
    let entries = async |query: &str| feed(query).await.matches("<entry>").count();
    assert_eq!(entries("?kind=agent").await, 1);
    let (mcp, calls) = registry.counted(entries("?kind=mcp")).await;
    assert_eq!((mcp, calls.total()), (0, 1), "another feed reads only the last number again");
    assert_eq!(entries(&format!("?listing_id={id}")).await, 1);
    let other = registry.get("/feeds/changes.atom?listing_id=agent-other").await;
    other.assert_refused(404, "listing_not_found");
    assert_eq!(entries("?domain=127.0.0.1").await, 1);
    assert_eq!(entries("?domain=example.com").await, 0);
    assert_eq!(entries("?domain=%20").await, 0);
    registry.withdraw(&id, "Test.").await;
    registry.tick_after(TICK).await;
    assert_eq!(entries("?domain=127.0.0.1").await, 2, "the withdrawal");
    registry.restore(&id).await;
    registry.withdraw(&id, "Test.").await;
    registry.tick_after(TICK).await;
    assert_eq!(entries("?domain=127.0.0.1").await, 4, "the second withdrawal");
    assert_eq!(entries("?domain=example.com").await, 0);
}
