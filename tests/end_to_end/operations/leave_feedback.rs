//! Tests `leave_feedback`: a listing can complete the funnel once. It gets a seat while there are free seats,
//! and a discount code after that. The reply with the seat or code is sent only once.

use insta::assert_snapshot;
use registry::model::LimitedAction;
use tests::fixtures::insert_live_listings;
use tests::peers::stripe::Stripe;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_agent_with, members, own_words, refused_bodies, shown};

const FEEDBACK: &str = "/api/products/feedback";

#[tokio::test]
async fn unchanged_draft_is_accepted_and_grants_a_seat() {
    let (registry, _peer, id) = live_agent().await;
    let draft = registry.draft(&id).await;
    let reply = registry.feedback(&draft).await;
    let token = reply.body["access_token"].as_str().unwrap();
    assert!(token.starts_with("at_") && token.len() == 46, "{token}");

    let list = registry.settled("/api/listings/active").await;
    let row = &list["agents"][0];
    let deals = [&list["deal"], &registry.call_tool("get_founding_deal", &json!({})).await["deal"]];
    let seat = json!({
        "answer": reply.body, "feed": registry.feed_types().await[1..3], "feedbacked": row["feedbacked"],
        "offer": row["deal"]["message"], "demo": registry.status(&id).await["take_demo"],
        "deals": deals.map(|deal| members(deal, &["claimed", "remaining"])),
    });
    assert_snapshot!(shown(&registry, &seat));

    let again = registry.feedback(&draft).await;
    again.assert_refused(409, "already_completed");
    assert!(!again.body.to_string().contains(token));
    assert_eq!(registry.app.store.live().await.unwrap().funnel.seats_claimed, 1);
}

#[tokio::test]
async fn feedback_after_the_last_seat_grants_a_discount_code() {
    let options = TestOptions::default()
        .with(|settings| settings.founding_seats = 1)
        .with(|settings| settings.payments_open_after = 2);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    let mut rewards = Vec::new();
    for id in registry.live_agents(&peer, 0..2).await {
        let answer = registry.complete(&id).await;
        rewards.push(members(&answer, &["access_token", "discount", "founding_free", "unlock"]));
    }
    assert_snapshot!(shown(&registry, &json!(rewards)));
}

#[tokio::test]
async fn error_for_invalid_feedback_contains_the_field() {
    let (registry, _peer, id) = live_agent().await;
    let whole = json!({ "listing_id": id, "rating": 5, "answers": {
        "tried": "a", "ux_friction": "b", "product_one_ship": "c", "overall": "d", "would_buy": "no" } });
    let queued = registry.publish_card("https://agents.example.com/card.json").await;
    let early = [json!({}), json!({ "answers": {} }), json!({ "listing_id": queued })];
    let early = refused_bodies(&registry, FEEDBACK, &whole, early).await;

    let draft = registry.draft(&id).await;
    let invalid = [
        json!({ "rating": 6 }),
        json!({ "rating": "five" }),
        json!({ "kind": "mcp" }),
        json!({ "contact_email": "nonsense" }),
        json!({ "answers": { "tried": "a", "pets": "b" } }),
        json!({ "body": "\u{202e}txt" }),
        json!({ "idempotency_key": "demo" }),
        json!({ "order_id": "ord_0123456789abcdef01234567" }),
        json!({ "order_id": "ord_none" }),
        json!({ "listing_id": "mcp-unknown" }),
    ];
    assert_snapshot!(early + &refused_bodies(&registry, FEEDBACK, &draft, invalid).await);
    // Answers of one letter are no words of its own.
    let whole = with_members(whole, &json!({ "contact_email": "somebody@example.org" }));
    let accepted = registry.feedback(&whole).await;
    accepted.assert_body(200, &json!({ "/feedback/is_draft": true }));
    assert!(!accepted.body.to_string().contains("somebody"), "{accepted:?}");
}

#[tokio::test]
async fn order_id_alone_identifies_the_listing() {
    let (registry, _peer, id) = live_agent().await;
    let mut draft = registry.draft(&id).await;
    draft.as_object_mut().unwrap().remove("listing_id");
    let answer = registry.call_tool("leave_feedback", &draft).await;
    assert_eq!((&answer["listing_id"], &answer["sku"]), (&json!(id), &json!("alive")));
}

/// Without the rule, one machine with many paths would take all seats.
#[tokio::test]
async fn domain_gets_one_seat_in_public_mode() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let mut rewards = Vec::new();
    // All are below example.org.
    for id in insert_live_listings(&registry.app, Kind::Agent, 3).await {
        let answer = registry.feedback(&registry.draft(&id).await).await.body;
        rewards.push(members(&answer, &["founding_free", "discount", "message"]));
    }
    assert_snapshot!(shown(&registry, &json!(rewards)));
    assert_eq!(registry.app.store.live().await.unwrap().funnel.seats_claimed, 1);
}

#[tokio::test]
async fn drafts_and_the_switch_of_the_operator_keep_payments_closed() {
    let stripe = Stripe::start().await;
    for (switch, is_draft, is_open) in [("on", false, true), ("on", true, false), ("off", false, false)] {
        let options =
            stripe.options(TestOptions::default()).with(|settings| settings.payments_open_after = 1);
        let registry = TestRegistry::start_with(options.with_setting("PAYMENTS", switch)).await;
        let mut unlock = Value::Null;
        for kind in [Kind::Agent, Kind::Mcp] {
            let ids = insert_live_listings(&registry.app, kind, 1).await;
            let mut draft = registry.draft(&ids[0]).await;
            draft["answers"]["would_buy"] = json!("no");
            let feedback = if is_draft { draft } else { own_words(&draft) };
            unlock = registry.feedback(&feedback).await.body["unlock"].clone();
        }
        let counted = i32::from(!is_draft);
        assert_eq!(unlock["payments_open"], is_open, "{switch} {is_draft}: {unlock}");
        assert_members(&unlock, &json!({ "feedback_agents": counted, "feedback_mcps": counted }));
        assert_eq!(registry.get("/discovery.json").await.body["payments_open"], is_open);
    }
}

#[tokio::test]
async fn attempts_to_reissue_a_reward_are_limited() {
    let guess = json!({ "reissue": true, "idempotency_key": "7c9e6679-7425-40de-944b-e07fc1f90ae7" });
    // Callers together are limited at one listing.
    for (per_caller, per_listing, allowance) in [(3, 1000, "caller"), (30, 1, "listing")] {
        let options = TestOptions::default().with_rate(LimitedAction::Reissue, move |rate| {
            (rate.caller, rate.target) = (per_caller, per_listing);
        });
        let (registry, _peer, id) = live_agent_with(options).await;
        let draft = registry.draft(&id).await;
        registry.feedback(&draft).await.ok();
        let guess = with_members(draft, &guess);
        for _ in 0..3 {
            registry.feedback(&guess).await.assert_refused(409, "already_completed");
        }
        registry.feedback(&guess).await.assert_body(429, &json!({ "allowance": allowance }));
    }
}

#[tokio::test]
async fn reissued_token_keeps_the_goals_of_its_holder() {
    let (registry, _peer, id) = live_agent().await;
    let goals = json!({ "listing_id": id, "goals": ["Answer in Portuguese"] });
    let demo = registry.post("/api/products/demo", &goals).await.body;
    let mut draft = demo["next_steps"]["example_body"].clone();
    assert_eq!(draft["goals"], goals["goals"]);
    registry.feedback(&draft).await;
    draft["reissue"] = json!(true);
    let token = registry.feedback(&draft).await.body["access_token"].clone();
    let files = registry.access(&token).await.body["files"].to_string();
    assert_contains(&files, &["Answer in Portuguese"]);
}
