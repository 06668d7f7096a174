//! Tests what callers can leave at listings: traces, endorsements and reports that two listings were used together. Each
//! source counts once, and never for its own listing. Withdrawn listings accept no marks and are not shown. The operator can
//! delete (`evaporate`) the trails of a listing.

use tests::prelude::*;

use super::{STIGMERGY, assert_close, number, sensed, trail};
use crate::fixtures::{
    LivePair, call_as, live_agent, live_fleet, live_pair, members, refused_bodies, values_of,
};

#[tokio::test]
async fn trail_marks_are_shown_with_the_newest_first() {
    let (registry, _peer, id) = live_agent().await;
    let noted = json!({ "body": "Met twice.", "from": "mesh", "kind": "note", "tags": ["weather"] });
    for more in [json!({ "body": "Quick and correct." }), noted, json!({ "body": "Found by chance." })] {
        let mark = with_members(json!({ "listing_id": id, "from": "scout" }), &more);
        // Only the first mark of a caller counts.
        let counted = registry.call_tool("leave_trace", &mark).await["counted"].clone();
        assert_eq!(counted, mark["body"] == "Quick and correct.", "{mark}");
        registry.advance(HOUR);
    }
    let sensed = sensed(&registry, &id).await;
    let marks = &sensed["marks"];
    assert_eq!(values_of(marks, "body"), ["Found by chance.", "Met twice.", "Quick and correct."]);
    assert_members(&marks[1], &json!({ "kind": "note", "from": "mesh", "tags": ["weather"] }));
    assert!(marks[0]["id"].as_str().unwrap().starts_with("tr_"));
    assert_members(&sensed, &json!({ "version": "2.9.0", "/totals/marks": 3 }));
    // Without `listing_id`, the marks of all listings are returned; here they are the same.
    let sense = async |arguments: Value| registry.call_tool("sense_traces", &arguments).await;
    assert_eq!(&sense(json!({})).await["marks"], marks);
    assert_eq!(values_of(&sense(json!({ "q": "twice" })).await["marks"], "body"), ["Met twice."]);
    let one = sense(json!({ "limit": 1 })).await;
    assert_eq!(["marks", "trails"].map(|list| one[list].as_array().unwrap().len()), [1, 1]);
    let table = registry.table().await;
    for prefix in ["TRAIL#", "TRACED#"] {
        let items = json!(table.items_under(prefix)).to_string();
        assert!(items.len() > 2 && !items.contains("127.0.0.1"), "{items}");
    }
}

#[tokio::test]
async fn trail_mark_decays_and_expires() {
    let (registry, _peer, id) = live_agent().await;
    let before = number(&trail(&registry, &id).await["attraction"]);
    let trace = json!({ "listing_id": id, "intensity": 50, "from": "planner" });
    let answer = registry.call_tool("leave_trace", &trace).await;
    // 6 + 50 / 2.
    for row in [&answer["trail"], &trail(&registry, &id).await] {
        assert_close(row, "attraction", before + 31.0);
    }
    registry.advance(7 * DAY);
    assert_close(&trail(&registry, &id).await, "attraction", (before + 31.0) / 2.0);
    registry.advance(3 * DAY);
    let mark = &sensed(&registry, &id).await["marks"][0];
    assert_close(mark, "strength", 25.0);
    assert_eq!(mark["intensity"], 50);
    // After ten half-lives 50 / 2^10 is less than 0.05.
    registry.advance(90 * DAY);
    assert_eq!(sensed(&registry, &id).await["marks"], json!([]), "an expired mark is returned");
    assert!(registry.sweep_expired() > 0);
}

#[tokio::test]
async fn endorsement_counts_once_per_source_and_a_listing_cannot_endorse_itself() {
    let (registry, _peer, id) = live_agent().await;
    let before = trail(&registry, &id).await;
    let name = registry.status(&id).await["name"].as_str().unwrap().to_uppercase();
    // A source counts once in 30 days; names and addresses of the listing are the listing itself.
    let mark = json!({ "kind": "endorse", "intensity": 50 });
    for (source, tool, more, counted) in [
        (1, "endorse", json!({ "from": "planner" }), true),
        (1, "endorse", json!({ "from": "planner" }), false),
        (2, "endorse", json!({ "from": id }), false),
        (3, "endorse", json!({ "from": name }), false),
        (4, "endorse", json!({ "from": "http://127.0.0.1/about" }), false),
        (9, "endorse", json!({}), true),
        (10, "leave_trace", mark, true),
    ] {
        let arguments = with_members(json!({ "listing_id": id }), &more);
        let answer = call_as(&registry, source, tool, arguments).await.unwrap();
        assert_eq!(answer["counted"], counted, "{more}: {answer}");
        assert_eq!(answer["not_counted_because"].is_null(), counted, "{answer}");
        assert!(tool == "endorse" || answer["mark"]["intensity"] == 12, "more than an endorsement: {answer}");
        if source == 1 {
            assert_close(&answer["trail"], "attraction", number(&before["attraction"]) + 12.0);
            assert_close(&answer["trail"], "trail_score", number(&before["trail_score"]) + 15.0);
        }
    }
    let after = trail(&registry, &id).await;
    assert_members(&after, &json!({ "endorsements": 3, "marks": 7 }));
}

#[tokio::test]
async fn composition_is_shown_for_both_listings_and_raises_partner_trails() {
    let (registry, _peers, [agents, servers]) = live_fleet(1, 3).await;
    let (a, b, c) = (&agents[0], &servers[0], &servers[1]);
    let use_of = |a: &ListingId, b: &ListingId| json!({ "listing_id": a, "listing_b": b });
    let before = trail(&registry, c).await;
    for (source, pair, counted) in
        [(1, (a, c), true), (1, (a, b), true), (2, (b, a), true), (2, (a, b), false)]
    {
        let answer = call_as(&registry, source, "used_with", use_of(pair.0, pair.1)).await.unwrap();
        assert_eq!(answer["counted"], counted, "{answer}");
    }
    for id in [a, b] {
        let pair = &sensed(&registry, id).await["compositions"][0];
        assert!(pair["listing_a"].as_str() < pair["listing_b"].as_str());
        assert_eq!(pair["count"], 2, "{pair}");
        assert_close(pair, "intensity", 8.0);
    }
    // C was used with A before A was used with B twice; both uses spread to C.
    let after = trail(&registry, c).await;
    assert_close(&after, "attraction", number(&before["attraction"]) + 4.0 + 2.0 * 0.5);
    assert_close(&after, "demand", number(&before["demand"]) + 2.0 + 2.0 * 3.0);
    let totals = json!({ "compositions": 2, "/events/used_with": 3, "/events/contagion": 2 });
    assert_members(&sensed(&registry, a).await["totals"], &totals);
    let board = registry.call_tool("follow_trail", &json!({ "kind": "composition" })).await;
    assert_members(&board, &json!({ "mode": "composition", "/items/0/count": 2 }));
    assert_eq!(board["items"].as_array().unwrap().len(), 2);
    assert_eq!(registry.refused_code("used_with", &use_of(a, a)).await, "same_listing");
}

#[tokio::test]
async fn rankings_are_sorted_by_strength_after_decay() {
    let (registry, _peers, [_, servers]) = live_fleet(0, 3).await;
    let [old, new, mild] = [0, 1, 2].map(|number| servers[number].as_str());
    let act = async |source: u8, tool: &str, id: &str, more: Value| {
        let arguments = with_members(json!({ "listing_id": id }), &more);
        call_as(&registry, source, tool, arguments).await.unwrap();
    };
    let danger = |intensity: u8| json!({ "kind": "danger", "intensity": intensity });
    act(1, "endorse", old, json!({})).await;
    act(1, "leave_trace", old, danger(50)).await;
    registry.advance(6 * DAY);
    act(2, "endorse", new, json!({})).await;
    act(3, "endorse", new, json!({})).await;
    act(2, "leave_trace", mild, danger(6)).await;
    let hot = registry.call_tool("follow_trail", &json!({ "kind": "hot" })).await;
    assert_eq!(values_of(&hot["items"], "listing_id")[..2], [new, old], "{hot}");
    // 31 from six days (two half-lives) ago is now less than 9.
    let dangerous = registry.call_tool("follow_trail", &json!({ "kind": "dangerous", "limit": 40 })).await;
    assert_eq!(values_of(&dangerous["items"], "listing_id"), [mild, old], "{dangerous}");
    assert_eq!(registry.refused_code("follow_trail", &json!({ "limit": 41 })).await, "out_of_range");
}

#[tokio::test]
async fn listings_that_are_not_live_take_no_place_of_a_small_limit() {
    let (registry, _peers, [_, servers]) = live_fleet(0, 2).await;
    let (one, other) = (&servers[0], &servers[1]);
    let use_of = |listing: &ListingId| json!({ "listing_id": one, "listing_b": listing });
    call_as(&registry, 1, "used_with", use_of(other)).await.unwrap();
    for name in ["a", "b"] {
        let queued = registry.publish_card(&format!("https://agents.example.com/{name}.json")).await;
        for source in [1, 2] {
            call_as(&registry, source, "used_with", use_of(&queued)).await.unwrap();
            call_as(&registry, source, "endorse", json!({ "listing_id": queued })).await.unwrap();
        }
    }
    registry.settle();
    let hot = registry.call_tool("follow_trail", &json!({ "kind": "hot", "limit": 1 })).await;
    assert_eq!(values_of(&hot["items"], "listing_id"), [one.as_str()], "{hot}");
    let peers = registry.call_tool("compose_peers", &json!({ "listing_id": one, "limit": 1 })).await;
    assert_eq!(values_of(&peers["compositions"], "peer_focus"), [other.as_str()], "{peers}");
}

#[tokio::test]
async fn invalid_marks_are_refused_with_the_reason() {
    let (registry, _peer, id) = live_agent().await;
    let mark = json!({ "action": "leave_trace", "listing_id": id });
    let invalid = [
        json!({ "action": "fly" }),
        json!({ "listing_id": "mcp-unknown" }),
        json!({ "action": "sense_traces", "listing_id": "mcp-unknown" }),
        json!({ "action": "used_with", "listing_b": "mcp-unknown" }),
        json!({ "body": "x".repeat(2001) }),
        json!({ "from": "y".repeat(121) }),
        json!({ "intensity": 99 }),
        json!({ "tags": vec!["x"; 13] }),
        json!({ "tags": ["x".repeat(41)] }),
        json!({ "kind": "spell" }),
        json!({ "kind": "x".repeat(900) }),
        json!({ "kind": [] }),
        json!({ "kind": {} }),
    ];
    let mut refused = refused_bodies(&registry, STIGMERGY, &mark, invalid).await;
    // How other operations name what they accept.
    let goals = [json!({ "listing_id": id, "goals": 5 })];
    refused += &refused_bodies(&registry, "/api/products/demo", &json!({}), goals).await;
    let pins = [json!({ "pins": [5] }), json!({ "pins": [{}] })];
    refused += &refused_bodies(&registry, "/api/pins/check", &json!({}), pins).await;
    insta::assert_snapshot!(refused);
    assert_eq!(sensed(&registry, &id).await["marks"], json!([]));
}

#[tokio::test]
async fn withdrawn_listing_accepts_no_marks_and_is_hidden() {
    let LivePair { registry, agent: id, server, peers: _peers } = live_pair().await;
    let mark = json!({ "listing_id": id, "body": "A mark of before.", "ok": true, "listing_b": server });
    for tool in ["leave_trace", "endorse", "used_with", "deposit_outcome"] {
        let names: &[&str] = match tool {
            "endorse" => &["listing_id"],
            "used_with" => &["listing_id", "listing_b"],
            "deposit_outcome" => &["listing_id", "ok", "body"],
            _ => &["listing_id", "body"],
        };
        call_as(&registry, 1, tool, members(&mark, names)).await.unwrap();
    }
    let is_hot = async |kind: &str| {
        let board = registry.call_tool("follow_trail", &json!({ "kind": kind })).await;
        board.to_string().contains(id.as_str())
    };
    assert!(is_hot("hot").await);
    registry.withdraw(&id, "Impersonates a bank.").await;
    for (action, about, other) in
        [("leave_trace", &id, &server), ("used_with", &server, &id), ("sense_traces", &id, &server)]
    {
        let mut body = json!({ "action": action, "listing_id": about });
        if action == "used_with" {
            body["listing_b"] = json!(other);
        }
        let refused = registry.post(STIGMERGY, &body).await;
        refused.assert_body(404, &json!({ "code": "listing_not_found", "/next/action": "check_status" }));
    }
    registry.settle();
    for (tool, arguments) in [
        ("interop", json!({})),
        ("stigmergy", json!({})),
        ("sense_traces", json!({})),
        ("sense_traces", json!({ "listing_id": server })),
        ("follow_trail", json!({})),
        ("follow_trail", json!({ "kind": "composition" })),
        ("follow_trail", json!({ "kind": "demand" })),
    ] {
        let shown = registry.call_tool(tool, &arguments).await.to_string();
        assert!(!shown.contains(id.as_str()), "{tool}: {shown}");
        assert!(
            arguments["listing_id"].is_string() || !shown.contains("A mark of before."),
            "{tool}: {shown}"
        );
    }
    registry.restore_to_live(&id).await;
    assert!(is_hot("hot").await && is_hot("demand").await);
}

#[tokio::test]
async fn only_the_operator_can_evaporate_trails() {
    let token = "0123456789abcdef0123456789abcdef";
    let registry = TestRegistry::start_with_setting("OPERATOR_TOKEN", token).await;
    let ids = tests::fixtures::insert_live_listings(&registry.app, Kind::Mcp, 60).await;
    for (source, other) in (0..).zip(&ids[1..]) {
        let pair = json!({ "listing_id": ids[0], "listing_b": other, "body": "A use." });
        call_as(&registry, source, "used_with", pair).await.unwrap();
    }
    let body = json!({ "action": "evaporate", "listing_id": ids[0] });
    for body in [&json!({ "action": "evaporate", "amount": 10 }), &body] {
        assert_eq!(registry.post(STIGMERGY, body).await.status, 401);
    }
    let other = "another token that is long enough";
    assert_eq!(registry.post_with_token(STIGMERGY, other, &body).await.status, 403);
    assert_eq!(sensed(&registry, &ids[0]).await["marks"].as_array().unwrap().len(), 50);

    let gone = registry.post_with_token(STIGMERGY, token, &body).await;
    gone.assert_body(200, &json!({ "marks": 59, "compositions": 59, "values": true, "complete": true }));
    let nothing =
        json!({ "marks": [], "compositions": [], "/trails/0/attraction": 0.0, "/totals/compositions": 0 });
    assert_members(&sensed(&registry, &ids[0]).await, &nothing);
    assert_eq!(sensed(&registry, &ids[1]).await["compositions"], json!([]), "left at the other listing");
    let repeated = json!({ "listing_id": ids[0], "listing_b": ids[1] });
    let repeated = call_as(&registry, 0, "used_with", repeated).await.unwrap();
    assert_eq!(repeated["counted"], false, "the same source counted again");
}
