//! Probes side by side and delivered twice: whatever is done at once or again comes to what it comes to when done
//! once. Held against the whole table, so that no counter, item of news or record can be forgotten.

use std::sync::{Arc, Barrier};

use futures::future::join_all;
use registry::model::Caller;
use registry::operations::RawArguments;
use serde_json::json;
use tests::peers::{Peer, agents, empty, json_answer, servers};
use tests::world::{HOUR, TICK, World, id_of};

/// Through the gateway, and as calls of one task, which all read before the first of them writes.
#[tokio::test(flavor = "multi_thread")]
async fn thirty_two_publishes_at_once_make_one_listing() {
    for by_http in [true, false] {
        let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
        let body = json!({ "agent_card_url": peer.card(), "contact_email": "a@example.org" });
        let answers = join_all((0..32).map(|_| async {
            if by_http {
                return world.publish(&body).await;
            }
            let publish = registry::operations::named("list_yourself").unwrap().run;
            publish(world.app.clone(), Caller::default(), RawArguments::Json(body.clone())).await.unwrap()
        }))
        .await;
        let id = id_of(&answers[0]);
        assert!(answers.iter().all(|answer| id_of(answer) == id));
        let first = answers.iter().filter(|answer| answer["status"] == "queued").count();
        assert_eq!(first, 1, "one was first, the others met it");
        let table = world.table().await;
        assert_eq!((table.under("LISTING#").len(), table.under("CONTACT#").len()), (1, 1));
        assert_eq!(world.feed().await, ["listing_queued"]);
        world.deliver().await;
        assert_eq!((world.lane(&id).await.as_str(), world.counts().await), ("active", (1, 0)));
        assert_eq!(peer.times("SendMessage"), 1, "the event of each publish asks for the same probe");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_two_first_probes_at_once_make_one_probe() {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let id = world.publish_card(&peer.card()).await;
    join_all((0..32).map(|_| world.first_probe(&id))).await;
    assert_eq!(peer.whats(), ["GET /.well-known/agent-card.json", "GetTask", "SendMessage"]);
    let statistics = world.probes().await;
    assert_eq!((&statistics["used"], &statistics["outcomes"]["handshake"]["ok"]), (&json!(1), &json!(1)));
    assert_eq!((world.lane(&id).await.as_str(), world.counts().await), ("active", (1, 0)));
    assert_eq!(world.feed().await.len(), 2);
}

/// Eight cards that name one interface; none is answered before all have asked, so that all come to their verdict at
/// the same moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_listings_with_one_endpoint_one_goes_live() {
    let world = World::start().await;
    let all_asked = Arc::new(Barrier::new(8));
    let peer = Peer::start(move |asked| {
        if asked.method() == Some("SendMessage") {
            tokio::task::block_in_place(|| all_asked.wait());
        }
        match asked.verb.as_str() {
            "GET" => json_answer(200, &agents::card(asked, "Twin")),
            _ => agents::speaks_newest(asked),
        }
    })
    .await;
    let mut ids = Vec::new();
    for twin in 0..8 {
        ids.push(world.publish_card(&peer.url(&format!("/{twin}/agent-card.json"))).await);
    }
    join_all(ids.iter().map(|id| world.first_probe(id))).await;
    let (mut live, mut held) = (Vec::new(), 0);
    for id in &ids {
        match world.lane(id).await.as_str() {
            "active" => live.push(id.clone()),
            lane => {
                assert_eq!(
                    (lane, world.reasons(id).await),
                    ("needs_fix", vec!["endpoint_unique".to_owned()])
                );
                held += 1;
            }
        }
    }
    assert_eq!((live.len(), held, world.counts().await), (1, 7, (1, 0)));
    let holders = world.table().await;
    let holders = holders.under("ENDPOINT#");
    assert_eq!((holders.len(), &holders[0]["listing_id"]), (1, &json!(live[0])));
    let seen = world.status(ids.iter().find(|id| **id != live[0]).unwrap()).await;
    assert!(
        seen["reasons"][0]["seen"].as_str().unwrap().contains(live[0].as_str()),
        "the holder is named: {seen}"
    );
}

#[tokio::test]
async fn an_endpoint_is_free_again_when_its_holder_has_moved_or_fallen() {
    let (world, peer) = (World::start().await, Peer::start(agents::fleet).await);
    let first = world.live_card(&peer.url("/one/card.json")).await;
    let second_card = peer.url("/two/card.json");
    let (one, origin) = (peer.url("/one/rpc"), peer.origin.clone());
    let shared = one.clone();
    peer.becomes(move |asked| match asked.verb.as_str() {
        "GET" if asked.path.starts_with("/two") => json_answer(200, &agents::card_at("Two", &shared)),
        _ => agents::fleet(asked),
    });
    let second = world.publish_card(&second_card).await;
    world.deliver().await;
    assert_eq!(world.reasons(&second).await, ["endpoint_unique"]);

    // The first moves its interface; its recheck lets go of the old one.
    peer.becomes(move |asked| match asked.verb.as_str() {
        "GET" if asked.path.starts_with("/two") => json_answer(200, &agents::card_at("Two", &one)),
        "GET" => json_answer(200, &agents::card_at("One", &format!("{origin}/elsewhere/rpc"))),
        _ => agents::fleet(asked),
    });
    world.advance(HOUR * 24 * 7);
    world.recheck().await;
    assert_eq!(world.status(&first).await["probe"]["target"], peer.url("/elsewhere/rpc"));
    world.publish_card(&second_card).await;
    world.deliver().await;
    assert_eq!(world.lane(&second).await, "active", "{}", world.status(&second).await);
    assert_eq!((world.counts().await, world.table().await.under("ENDPOINT#").len()), ((2, 0), 2));
}

#[tokio::test]
async fn an_event_delivered_twice_is_as_delivered_once() {
    let world = World::start().await;
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(agents::only(404)).await);
    let ids = [world.publish_card(&agent.card()).await, world.publish_card(&server.card()).await];
    for id in &ids {
        world.first_probe(id).await;
    }
    let (once, told) = (world.table().await, world.events().len());
    for _ in 0..3 {
        for id in &ids {
            world.first_probe(id).await;
        }
        world.advance(TICK / 4);
    }
    assert_eq!(once.difference(&world.table().await), [""; 0]);
    assert_eq!((told, world.events().len()), (4, 0), "nothing is announced twice either");
}

#[tokio::test]
async fn a_tick_twice_in_its_slot_is_as_once() {
    let (world, peer) = (World::start().await, Peer::start(agents::fleet).await);
    for number in 0..5 {
        world.publish_card(&peer.url(&format!("/{number}/card.json"))).await;
    }
    let report = world.tick().await;
    assert_eq!((&report["claimed"], &report["ok"]), (&json!(5), &json!(5)));
    let once = world.table().await;
    world.advance(TICK - std::time::Duration::from_secs(1));
    assert_eq!(world.tick().await["claimed"], 0);
    assert_eq!(once.difference(&world.table().await), [""; 0]);
    world.advance(std::time::Duration::from_secs(1));
    world.tick().await;
    assert_eq!(world.probes().await["probe_worker"]["ticks"], 2, "the next slot is served");
}

#[tokio::test(flavor = "multi_thread")]
async fn ticks_events_and_rechecks_at_once_come_to_what_one_comes_to() {
    let peers = [
        Peer::start(agents::fleet).await,
        Peer::start(servers::legacy).await,
        Peer::start(agents::only(404)).await,
    ];
    let mut tables = Vec::new();
    for at_once in [1, 6] {
        let world = World::start().await;
        let mut ids = Vec::new();
        for folder in 0..4 {
            ids.push(world.publish_card(&peers[0].url(&format!("/{folder}/card.json"))).await);
        }
        ids.push(world.publish_mcp(&peers[1].url("/mcp")).await);
        ids.push(world.publish_card(&peers[2].card()).await);
        let all = join_all((0..at_once).map(|_| async {
            let events = join_all(ids.iter().map(|id| world.first_probe(id)));
            futures::join!(world.tick(), world.recheck(), events)
        }));
        all.await;
        assert_eq!(world.counts().await, (4, 1));
        // Who was last is told by the tick; which of them that is, is chance.
        tables.push(world.table().await.without(&["CLOCK"]).without_machine_times());
    }
    assert_eq!(tables[0].difference(&tables[1]), [""; 0]);
}

#[tokio::test]
async fn a_recheck_twice_is_as_once() {
    let (world, peer) = (World::start().await, Peer::start(agents::fleet).await);
    for folder in ["good", "bad"] {
        world.live_card(&peer.url(&format!("/{folder}/card.json"))).await;
    }
    peer.becomes(|asked| if asked.path.starts_with("/bad") { empty(410) } else { agents::fleet(asked) });
    world.advance(HOUR * 24 * 7);
    let report = world.recheck().await;
    assert_eq!((&report["claimed"], &report["ok"]), (&json!(2), &json!(1)));
    let once = world.table().await;
    for _ in 0..2 {
        assert_eq!(world.recheck().await["claimed"], 0);
    }
    assert_eq!(once.difference(&world.table().await), [""; 0]);
    let week = world.probes().await["weekly_recheck"].clone();
    let counted =
        ["rechecked_this_week", "still_ok_this_week", "demoted_this_week"].map(|name| week[name].clone());
    assert_eq!(counted, [json!(2), json!(1), json!(0)]);
}

#[tokio::test]
async fn a_late_event_does_not_disturb_what_is_live() {
    let (world, peer) = (World::start().await, Peer::start(agents::newest).await);
    let id = world.live_card(&peer.card()).await;
    peer.becomes(agents::only(503));
    world.advance(HOUR);
    world.first_probe(&id).await;
    let status = world.status(&id).await;
    assert_eq!((&status["lane"], &status["reasons"]), (&json!("active"), &json!([])), "{status}");
    assert_eq!(world.counts().await, (1, 0));
}

/// Publishing again reads the listing and then writes it; a verdict may come in between.
#[tokio::test]
async fn a_publish_that_read_before_a_verdict_does_not_undo_it() {
    let (world, peer) = (World::start().await, Peer::start(agents::only(404)).await);
    let id = world.publish_card(&peer.card()).await;
    let read = world.app.store.listing(&id).await.unwrap().unwrap();
    world.advance(TICK);
    world.first_probe(&id).await;
    let judged = world.table().await;
    let contact = registry::model::Contact { email: None, source: None };
    let mut asked = read.clone();
    asked.due_at = world.now();
    let taken = world.app.store.republish(&read, &asked, &contact, world.now()).await.unwrap();
    assert_eq!((taken, judged.difference(&world.table().await)), (false, vec![]), "the verdict stands");
    assert_eq!(world.lane(&id).await, "needs_fix");
}

#[tokio::test]
async fn an_event_about_nothing_does_no_harm() {
    let world = World::start().await;
    let report = world.first_probe(&"agtpub_00000000000000000000".parse().unwrap()).await;
    assert_eq!(report["claimed"], 0);
    assert_eq!(world.table().await.keys(), [""; 0]);
}
