//! Tests which personal data is stored, where and for how long. The list of this data is the table in
//! `SECURITY.md`.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::{Caller, Contact, ContactFrom};
use tests::peers::stripe::Stripe;
use tests::prelude::*;

use crate::fixtures::{live_agent, own_words, values_of};

/// The address of the caller in these tests. No peer has it.
const CALLER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 77));
const EMAIL: &str = "jane.doe@private.example.org";
const OTHER_EMAIL: &str = "someone.else@private.example.org";

/// A registry that got personal data in every way in which it accepts them, all from [`CALLER`].
struct Filled {
    registry: TestRegistry,
    agent: ListingId,
    server: ListingId,
    _stripe: Stripe,
    _peers: [Peer; 4],
}

async fn feedback_with_email(registry: &TestRegistry, id: &ListingId) -> Value {
    let mut draft = own_words(&registry.draft(id).await);
    draft["contact_email"] = json!(EMAIL);
    draft["body"] = json!(format!("Please write to {EMAIL}."));
    registry.feedback(&draft).await.ok()
}

async fn filled() -> Filled {
    let stripe = Stripe::start().await;
    let options = stripe.options(TestOptions::default().with_rates());
    let options = options
        .with_setting("PAYMENTS", "on")
        .with(|settings| settings.payments_open_after = 1)
        .with(|settings| settings.founding_seats = 1);
    let registry = TestRegistry::start_with(options).await.called_from(CALLER);
    stripe.keep_time(&registry.app.clock);
    let peers = [
        Peer::start(agents::newest).await,
        Peer::start(servers::modern).await,
        Peer::start(agents::fleet).await,
        Peer::start(agents::fleet).await,
    ];
    let card = json!({ "agent_card_url": peers[0].card(), "contact_email": EMAIL, "source": "a friend" });
    let agent = id_of(&registry.publish(&card).await);
    let mcp = json!({ "mcp_url": peers[1].url("/mcp"), "contact_email": EMAIL });
    let server = id_of(&registry.call_tool("list_yourself", &mcp).await);
    publish_in_words(&registry, &peers).await;
    registry.deliver_events().await;

    let about = format!("check the status of {agent} and of {server}");
    let about = with_members(message("text", &json!(about)), &json!({ "id": "my-status-9f86d081884c7d65" }));
    registry.rpc("/api/a2a", "tasks/send", about).await;
    let token = feedback_with_email(&registry, &agent).await["access_token"].clone();
    feedback_with_email(&registry, &server).await;
    registry.advance(Duration::from_secs(1));
    leave_texts(&registry, &agent, &server).await;
    let buy = json!({ "sku": "mcp_mesh", "listing_id": server, "contact_email": EMAIL });
    registry.post("/api/products/checkout", &buy).await.ok();
    // Every operation that makes product files.
    for (tool, arguments) in [
        ("preview_product", json!({ "sku": "kernel", "listing_id": agent })),
        ("preview_product", json!({ "sku": "kernel", "agent_name": "Planner" })),
        ("export_product", json!({ "token": token, "format": "zip" })),
        ("get_access", json!({ "token": token })),
        ("verify_product", json!({ "token": token })),
        ("product_agent", json!({ "tool": "demo_alive", "listing_id": agent })),
        ("product_agent", json!({ "tool": "one_click_demo", "agent_name": "Planner" })),
        ("run_product", json!({ "listing_id": agent })),
    ] {
        registry.call_tool(tool, &arguments).await;
    }
    Filled { registry, agent, server, _stripe: stripe, _peers: peers }
}

/// A message with one part.
fn message(kind: &str, content: &Value) -> Value {
    let part = json!({ "kind": kind, kind: content });
    json!({ "message": { "role": "user", "messageId": "m", "parts": [part] } })
}

/// Publishes agents, and asks for it, by messages.
async fn publish_in_words(registry: &TestRegistry, peers: &[Peer]) {
    let [named, called] = [2, 3].map(|number: usize| peers[number].url("/1/card.json"));
    let text = format!(
        "list my agent at {named}, my contact is {EMAIL}, idempotency_key=my-own-key-1, token: abcd12345678"
    );
    let call =
        json!({ "operation": "list_yourself", "arguments": { "url": called, "contact_email": EMAIL } });
    let question = message("text", &json!(format!("list my agent, I am {EMAIL}")));
    let with_id = with_members(question.clone(), &json!({ "id": "my-task-9f86d081884c7d65" }));
    for (method, params) in [
        ("message/send", message("text", &json!(text))),
        ("message/send", message("data", &call)),
        ("message/send", question),
        ("tasks/send", with_id),
    ] {
        registry.rpc("/api/a2a", method, params).await;
    }
}

/// Sends texts about the listings; those with an address are refused.
async fn leave_texts(registry: &TestRegistry, agent: &ListingId, server: &ListingId) {
    let open = json!({ "action": "open", "listing_id": agent, "agent_name": "Planner" });
    let session = registry.call_tool("interop_session", &open).await["session_id"].clone();
    let report = json!({ "listing_id": server, "reason": format!("Spam. I am {EMAIL}."), "contact": EMAIL });
    for (tool, arguments) in [
        ("talk", json!({ "listing_id": agent, "action": "message", "text": "Hello." })),
        ("leave_trace", json!({ "listing_id": agent, "from": "somebody", "body": "It works." })),
        ("endorse", json!({ "listing_id": agent, "from": "somebody" })),
        ("used_with", json!({ "listing_id": agent, "listing_b": server, "from": "somebody" })),
        ("deposit_outcome", json!({ "listing_id": agent, "ok": true })),
        ("attest", json!({ "listing_id": agent })),
        ("outreach_opt_out", json!({ "listing_id": agent })),
        ("interop_session", json!({ "action": "append", "session_id": session, "step_action": "called" })),
        ("report_listing", report),
    ] {
        registry.call_tool(tool, &arguments).await;
    }
    let (one, lines) = (json!([format!("Write to {EMAIL}")]), json!(format!("Answer mail\nAsk {EMAIL}")));
    let product = json!({ "sku": "mcp_mesh", "listing_id": server });
    for (tool, arguments) in [
        ("talk", json!({ "listing_id": agent, "action": "message", "text": format!("I am {EMAIL}.") })),
        ("interop_session", json!({ "action": "open", "agent_name": EMAIL })),
        ("take_demo", json!({ "listing_id": agent, "goals": one })),
        ("take_demo", json!({ "listing_id": agent, "goals": lines })),
        ("checkout", with_members(product.clone(), &json!({ "goals": one }))),
        ("checkout", with_members(product, &json!({ "goals": lines }))),
    ] {
        assert_eq!(registry.refused_code(tool, &arguments).await, "email_address", "{tool} {arguments}");
    }
}

/// The places where an attribute contains a word, as in `SECURITY.md`: a prefix of the partition key and an attribute.
async fn places(registry: &TestRegistry, word: &str) -> BTreeSet<(String, String)> {
    let mut places = BTreeSet::new();
    let table = registry.table().await;
    for item in table.items_under("") {
        let partition = item["pk"].as_str().unwrap();
        let prefix = partition.find('#').map_or(partition, |end| &partition[..=end]);
        for (name, value) in item.as_object().unwrap() {
            if value.to_string().to_lowercase().contains(word) {
                places.insert((prefix.to_owned(), name.clone()));
            }
        }
    }
    places
}

/// The places of the rows of the table in `SECURITY.md` whose first column contains `what`.
fn documented(what: &str) -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../SECURITY.md")).unwrap();
    let (_, section) = text.split_once("## Personal data").unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|')).map(|line| line.split('|').collect());
    let rows = rows.filter(|columns: &Vec<&str>| columns[1].contains(what));
    let places = rows
        .flat_map(|columns| columns[2].split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    let places: BTreeSet<_> =
        places.filter_map(|place| place.split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned()))).collect();
    assert!(!places.is_empty(), "SECURITY.md has no row for {what}");
    places
}

#[tokio::test(flavor = "multi_thread")]
async fn personal_data_is_stored_only_where_the_table_in_the_documents_says() {
    let filled = filled().await;
    let registry = &filled.registry;
    let address = CALLER.to_string();
    assert_eq!(places(registry, &address).await, BTreeSet::new(), "an address is stored in clear");
    let caller = Caller { address: Some(CALLER), bearer: None };
    let digest = registry.app.caller_digest(&caller).await.unwrap();
    assert_eq!(places(registry, &digest).await, documented("digest of the caller's address"));
    assert_eq!(places(registry, EMAIL).await, documented("e-mail address"));
    for secret in ["my-own-key-1", "abcd12345678"] {
        assert_eq!(places(registry, secret).await, BTreeSet::new(), "{secret}");
    }
    // Everything expires that people wrote and that is not public.
    let table = registry.table().await;
    for (prefix, _) in documented("e-mail address").into_iter().chain(documented("text")) {
        for item in table.items_under(&prefix).into_iter().filter(|item| item["sk"] != "FEEDBACK") {
            assert!(item["ttl"].is_number(), "{item}");
        }
    }
    registry.advance(DAY * 366);
    registry.sweep_expired();
    assert_eq!(places(registry, EMAIL).await, BTreeSet::new());
    assert_eq!(places(registry, &digest).await, BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn erasure_of_listings_erases_all_that_was_sent_about_them() {
    let filled = filled().await;
    let registry = &filled.registry;
    let others = registry.items("CONTACT#").await.len();
    for id in [&filled.agent, &filled.server] {
        for changed in [true, false] {
            let outcome = registry.run("operator", json!({ "command": "erase", "listing_id": id })).await;
            assert_eq!(outcome["changed"], changed, "{outcome}");
        }
    }
    let table = registry.table().await;
    for prefix in ["CONTACT#", "TASK", "SESSION#", "REPORTS"] {
        for left in table.items_under(prefix) {
            let mentions = |id: &ListingId| left.to_string().contains(id.as_str());
            assert!(!mentions(&filled.agent) && !mentions(&filled.server), "{prefix}: {left}");
        }
    }
    assert!(table.items_under("FEEDBACK#").iter().all(|item| item["sk"] == "FEEDBACK"));
    let left = registry.items("CONTACT#").await.len();
    assert!(left > 0 && left < others, "contacts of other listings were erased");
    assert_eq!(registry.feed_types().await[0], "contact_erased");
    // The completions stay, so a listing cannot send feedback twice.
    let done = json!({ "step": "done", "example_body": null });
    assert_members(&registry.demo(&filled.agent).await["next_steps"], &done);
}

#[tokio::test(flavor = "multi_thread")]
async fn erasure_of_an_email_address_leaves_no_item_with_it() {
    let filled = filled().await;
    let registry = &filled.registry;
    let report = json!({ "listing_id": filled.server, "reason": "Spam.", "contact": OTHER_EMAIL });
    registry.post("/api/report", &report).await.ok();
    // Older versions stored addresses in tasks.
    let task = registry.table().await.items_under("TASK#")[0]["pk"].as_str().unwrap().to_owned();
    let content = AttributeValue::S(json!({ "text": format!("I am {EMAIL}.") }).to_string());
    registry.overwrite(&task, "TASK", "content", content).await;
    let erase = |what: &Value| with_members(json!({ "command": "erase" }), what);
    let outcome = registry.run("operator", erase(&json!({ "email": EMAIL.to_uppercase() }))).await;
    assert_eq!(outcome["changed"], true, "{outcome}");
    assert_eq!(places(registry, EMAIL).await, BTreeSet::new());
    assert!(!places(registry, OTHER_EMAIL).await.is_empty(), "another address was erased");
    for wrong in
        [json!({}), json!({ "email": "jane" }), json!({ "email": EMAIL, "listing_id": filled.agent })]
    {
        let refused = registry.try_run("operator", erase(&wrong)).await.unwrap_err();
        assert_contains(&refused, &["whose_data"]);
    }
}

/// A text can harm a person although it passes all checks.
#[tokio::test(flavor = "multi_thread")]
async fn operator_erases_one_public_text() {
    const HARM: &str = "Jane Doe lives in Long Street 1.";
    let (registry, _peer, id) = live_agent().await;
    let social = |text: &str| json!({ "listing_id": id, "action": "social", "text": text });
    registry.call_tool("talk", &social("Hello.")).await;
    let talk = registry.call_tool("talk", &social(HARM)).await["message"]["id"].clone();
    let mark = json!({ "listing_id": id, "body": HARM, "from": "somebody" });
    let mark = registry.call_tool("leave_trace", &mark).await["mark"]["id"].clone();
    let outcome = json!({ "listing_id": id, "ok": true, "body": HARM });
    let outcome = registry.call_tool("deposit_outcome", &outcome).await["outcome"]["id"].clone();
    for (text_id, kinds) in [(talk, 2), (mark, 1), (outcome, 1)] {
        let erase = json!({ "command": "erase", "text_id": text_id });
        let erased = registry.run("operator", erase.clone()).await;
        let expected = format!("Talk messages, marks and outcomes ({kinds})");
        assert_contains(&erased["note"].to_string(), &[&expected]);
        assert_eq!(registry.run("operator", erase).await["changed"], false);
    }
    assert!(!format!("{:?}", registry.table().await).contains("Long Street"));
    // Other texts stay.
    for page in ["/api/talk/feed", &format!("/api/talk?listing_id={id}")] {
        assert_contains(&registry.get(page).await.body.to_string(), &["Hello."]);
    }
}

#[tokio::test]
async fn digests_of_callers_change_with_the_period_and_old_keys_are_deleted() {
    let registry = TestRegistry::start().await;
    let caller = Caller { address: Some(CALLER), bearer: None };
    let first = registry.app.caller_digest(&caller).await.unwrap();
    let other = Caller { address: Some(Ipv4Addr::new(127, 0, 0, 78).into()), bearer: None };
    assert_ne!(registry.app.caller_digest(&other).await.unwrap(), first);
    registry.advance(DAY * 30);
    let later = registry.app.caller_digests(&caller).await.unwrap();
    assert_ne!(later.current, first);
    assert_eq!(later.previous.as_deref(), Some(first.as_str()), "an item of the last period is not found");
    registry.advance(DAY * 60);
    registry.sweep_expired();
    assert_eq!(registry.app.caller_digests(&caller).await.unwrap().previous, None);
    assert_eq!(registry.items("CALLER_KEYS").await.len(), 1, "an old key was not deleted");
}

#[tokio::test]
async fn endorsement_counts_once_in_thirty_days_also_when_the_key_changes() {
    let (registry, _peer, id) = live_agent().await;
    let endorsement = json!({ "listing_id": id, "from": "somebody" });
    // The key changes at the latest after 30 days, so one of these days is in the next period.
    for day in 0..=30 {
        let answer = registry.call_tool("endorse", &endorsement).await;
        assert_eq!(answer["counted"], day % 30 == 0, "day {day}: {answer}");
        registry.advance(DAY);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_cannot_push_out_the_contact_of_an_owner_or_of_an_earlier_publisher() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(|request| tests::peers::error(request, -32603, "out of order")).await;
    let publish = async |email: String| {
        registry.publish(&json!({ "url": peer.url("/card.json"), "contact_email": email })).await
    };
    let id = id_of(&publish("first@example.org".to_owned()).await);
    let by_strangers = async |numbers: Range<u32>| {
        for number in numbers {
            publish(format!("stranger-{number}@example.org")).await;
        }
    };
    by_strangers(0..80).await;
    let contact =
        Contact { email: Some("owner@example.org".to_owned()), source: None, from: ContactFrom::Owner };
    let (listing, now) = (registry.stored(&id).await, registry.now());
    assert!(registry.app.store.republish(&listing, &listing, None, &contact, None, now).await.unwrap());
    by_strangers(80..160).await;
    let stored = values_of(&json!(registry.table().await.items_under("CONTACT#")), "email");
    for kept in ["owner@example.org", "first@example.org"] {
        assert!(stored.iter().any(|email| email == kept), "{stored:?}");
    }
    assert!(stored.len() <= 17, "{stored:?}");
}

#[tokio::test]
async fn task_with_an_id_that_can_be_guessed_is_readable_only_with_the_id_of_the_registry() {
    let registry = TestRegistry::start().await;
    let call = async |method: &str, params: Value| registry.rpc("/api/a2a", method, params).await;
    let sent = |id: &str, text: &str| json!({ "id": id, "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } });
    for guess in ["1", "task-1", "task-2026-11-24"] {
        let task = call("tasks/send", sent(guess, "list me")).await["result"].clone();
        let id = task["id"].as_str().unwrap().to_owned();
        assert_ne!(id, guess);
        // Another caller behind the same address guesses the id.
        assert_eq!(call("tasks/get", json!({ "id": guess })).await["error"]["code"], -32001);
        assert_eq!(call("tasks/cancel", json!({ "id": guess })).await["error"]["code"], -32001);
        let other = call("tasks/send", sent(guess, "help")).await["result"].clone();
        assert_ne!(other["id"], task["id"], "another caller continued the task");
        // The client reads and continues its task with the id that the registry returned.
        assert_eq!(call("tasks/get", json!({ "id": id })).await["result"]["id"], json!(id));
        let next = call("tasks/send", sent(&id, "no, cancel that")).await["result"].clone();
        assert_eq!((&next["id"], &next["status"]["state"]), (&json!(id), &json!("canceled")), "{next}");
    }
    let hard = "6f1c1f0e-3b1d-4b57-9a53-0d5c4a8f2b11";
    assert_eq!(call("tasks/send", sent(hard, "help")).await["result"]["id"], hard);
    assert_eq!(call("tasks/get", json!({ "id": hard })).await["result"]["id"], hard);
}

#[tokio::test]
async fn conversation_continues_although_the_address_in_it_is_not_stored() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(agents::newest).await;
    let send = async |params: Value| registry.rpc("/api/a2a", "message/send", params).await["result"].clone();
    let text = |text: &str| json!({ "kind": "text", "text": text });
    let data = json!({ "kind": "data", "data": { "contact_email": EMAIL } });
    for parts in
        [vec![text(&format!("list my agent, my e-mail is {EMAIL}"))], vec![text("list my agent"), data]]
    {
        let mut asked = message("text", &json!(""));
        asked["message"]["parts"] = json!(parts);
        let task = send(asked).await;
        assert_eq!(task["status"]["state"], "input-required", "{task}");
        let mut next = message("text", &json!(peer.card()));
        next["message"]["taskId"] = task["id"].clone();
        let done = send(next).await;
        assert_eq!(done["status"]["state"], "completed", "{done}");
    }
}
