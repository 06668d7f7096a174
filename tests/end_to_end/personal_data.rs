//! Tests which personal data is stored, where and for how long. The list of this data is the table in
//! `SECURITY.md`.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::Caller;
use tests::peers::stripe::Stripe;
use tests::prelude::*;

use crate::fixtures::{live_agent, own_words};

/// The address of the caller in these tests. No peer has it.
const CALLER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 77));
const EMAIL: &str = "jane.doe@private.example.org";
const OTHER_EMAIL: &str = "someone.else@private.example.org";

struct Filled {
    registry: TestRegistry,
    agent: ListingId,
    server: ListingId,
    _stripe: Stripe,
    _peers: Vec<Peer>,
}

impl Filled {
    async fn post(&self, path: &str, body: &Value) -> Reply {
        self.registry.post_from(CALLER, path, body).await
    }

    async fn post_ok(&self, path: &str, body: &Value) -> Value {
        self.post(path, body).await.ok()
    }

    async fn a2a(&self, method: &str, params: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.post_ok("/api/a2a", &call).await
    }

    async fn tool(&self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let answer = self.post_ok("/api/protocol", &call).await;
        assert_eq!(answer["result"]["isError"], false, "{name}: {answer}");
        answer["result"]["structuredContent"].clone()
    }

    async fn feedback(&self, id: &ListingId) -> Value {
        let demo = self.post_ok("/api/products/demo", &json!({ "listing_id": id })).await;
        let mut draft = own_words(&demo["next_steps"]["example_body"]);
        draft["contact_email"] = json!(EMAIL);
        draft["body"] = json!(format!("Please write to {EMAIL}."));
        self.post_ok("/api/products/feedback", &draft).await
    }

    async fn command(&self, command: Value) -> Value {
        ::operator::handle(&self.registry.app, command).await.unwrap()
    }
}

/// Sends personal data in every way in which the registry accepts it.
async fn filled() -> Filled {
    let stripe = Stripe::start().await;
    let options = stripe.options(TestOptions::default().with_rates());
    let options = options
        .with_setting("PAYMENTS", "on")
        .with(|settings| settings.payments_open_after = 1)
        .with(|settings| settings.founding_seats = 1);
    let registry = TestRegistry::start_with(options).await;
    stripe.keep_time(&registry.app.clock);
    let mut peers = vec![Peer::start(agents::newest).await, Peer::start(servers::modern).await];
    for _ in 0..2 {
        peers.push(Peer::start(agents::fleet).await);
    }
    let card = json!({ "agent_card_url": peers[0].card(), "contact_email": EMAIL, "source": "a friend" });
    let published = registry.post_from(CALLER, "/api/publish", &card).await.body;
    let agent = id_of(&published);
    let mut filled = Filled { registry, server: agent.clone(), agent, _stripe: stripe, _peers: Vec::new() };
    let mcp = json!({ "mcp_url": peers[1].url("/mcp"), "contact_email": EMAIL });
    filled.server = id_of(&filled.tool("list_yourself", mcp).await);
    let message = |parts: Value| json!({ "message": { "role": "user", "messageId": "m", "parts": parts } });
    let text = format!(
        "list my agent at {}, my contact is {EMAIL}, idempotency_key=my-own-key-1, token: abcd12345678",
        peers[2].url("/1/card.json")
    );
    filled.a2a("message/send", message(json!([{ "kind": "text", "text": text }]))).await;
    let call = json!({ "operation": "list_yourself", "arguments": {
        "url": peers[3].url("/1/card.json"), "contact_email": EMAIL } });
    filled.a2a("message/send", message(json!([{ "kind": "data", "data": call }]))).await;
    let question = message(json!([{ "kind": "text", "text": format!("list my agent, I am {EMAIL}") }]));
    filled.a2a("message/send", question.clone()).await;
    let oldest = with_members(question, &json!({ "id": "my-task-9f86d081884c7d65" }));
    filled.a2a("tasks/send", oldest).await;
    filled.registry.deliver_events().await;

    let (agent, server) = (filled.agent.clone(), filled.server.clone());
    let about = format!("check the status of {agent} and of {server}");
    let mut about = message(json!([{ "kind": "text", "text": about }]));
    about["id"] = json!("my-status-9f86d081884c7d65");
    filled.a2a("tasks/send", about).await;
    let token = filled.feedback(&agent).await["access_token"].as_str().unwrap().to_owned();
    filled.feedback(&server).await;
    filled.registry.advance(Duration::from_secs(1));
    let refused = json!({ "listing_id": agent, "action": "message", "text": format!("I am {EMAIL}.") });
    assert_eq!(filled.post("/api/talk", &refused).await.status, 422);
    filled.post_ok("/api/talk", &json!({ "listing_id": agent, "action": "message", "text": "Hello." })).await;
    for (tool, arguments) in [
        ("leave_trace", json!({ "listing_id": agent, "from": "somebody", "body": "It works." })),
        ("endorse", json!({ "listing_id": agent, "from": "somebody" })),
        ("used_with", json!({ "listing_id": agent, "listing_b": server, "from": "somebody" })),
        ("deposit_outcome", json!({ "listing_id": agent, "ok": true })),
        ("attest", json!({ "listing_id": agent })),
        ("outreach_opt_out", json!({ "listing_id": agent })),
    ] {
        filled.tool(tool, arguments).await;
    }
    let open = json!({ "action": "open", "listing_id": agent, "agent_name": "Planner" });
    let session = filled.tool("interop_session", open).await["session_id"].clone();
    let append = json!({ "action": "append", "session_id": session, "step_action": "called" });
    filled.tool("interop_session", append).await;
    let refused = json!({ "action": "open", "agent_name": EMAIL });
    let params = json!({ "name": "interop_session", "arguments": refused });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    assert_eq!(filled.post_ok("/api/protocol", &call).await["result"]["isError"], true);
    let buy = json!({ "sku": "mcp_mesh", "listing_id": server, "contact_email": EMAIL });
    filled.post_ok("/api/products/checkout", &buy).await;
    for goals in [json!([format!("Write to {EMAIL}")]), json!(format!("Answer mail\nAsk {EMAIL}"))] {
        for (path, mut body) in [
            ("/api/products/demo", json!({ "listing_id": agent })),
            ("/api/products/checkout", json!({ "sku": "mcp_mesh", "listing_id": server })),
        ] {
            body["goals"] = goals.clone();
            filled.post(path, &body).await.assert_refused(422, "email_address");
        }
    }
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
        filled.tool(tool, arguments).await;
    }
    let report = json!({ "listing_id": server, "reason": format!("Spam. I am {EMAIL}."), "contact": EMAIL });
    filled.post_ok("/api/report", &report).await;
    filled._peers = peers;
    filled
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
        let outcome = filled.command(json!({ "command": "erase", "listing_id": id })).await;
        assert_eq!(outcome["changed"], true, "{outcome}");
        let again = filled.command(json!({ "command": "erase", "listing_id": id })).await;
        assert_eq!(again["changed"], false, "{again}");
    }
    let table = registry.table().await;
    for id in [&filled.agent, &filled.server] {
        for prefix in ["CONTACT#", "TASK", "SESSION#", "REPORTS"] {
            let left: Vec<_> = table.items_under(prefix);
            let left = left.iter().find(|item| item.to_string().contains(id.as_str()));
            assert!(left.is_none(), "{prefix}: {left:?}");
        }
    }
    assert!(table.items_under("FEEDBACK#").iter().all(|item| item["sk"] == "FEEDBACK"));
    let left = registry.items("CONTACT#").await.len();
    assert!(left > 0 && left < others, "contacts of other listings were erased");
    assert_eq!(registry.feed_types().await[0], "contact_erased");
    // The completions stay, so a listing cannot send feedback twice.
    let demo = filled.post_ok("/api/products/demo", &json!({ "listing_id": filled.agent })).await;
    assert_eq!((&demo["next_steps"]["step"], demo["next_steps"].get("example_body")), (&json!("done"), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn erasure_of_an_email_address_leaves_no_item_with_it() {
    let filled = filled().await;
    let registry = &filled.registry;
    let report = json!({ "listing_id": filled.server, "reason": "Spam.", "contact": OTHER_EMAIL });
    filled.post_ok("/api/report", &report).await;
    // Older versions stored addresses in tasks.
    let task = registry.table().await.items_under("TASK#")[0]["pk"].as_str().unwrap().to_owned();
    let content = AttributeValue::S(json!({ "text": format!("I am {EMAIL}.") }).to_string());
    registry.overwrite(&task, "TASK", "content", content).await;
    let outcome = filled.command(json!({ "command": "erase", "email": EMAIL.to_uppercase() })).await;
    assert_eq!(outcome["changed"], true, "{outcome}");
    assert_eq!(places(registry, EMAIL).await, BTreeSet::new());
    assert!(!places(registry, OTHER_EMAIL).await.is_empty(), "another address was erased");
    for wrong in
        [json!({}), json!({ "email": "jane" }), json!({ "email": EMAIL, "listing_id": filled.agent })]
    {
        let mut command = json!({ "command": "erase" });
        command.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let refused = ::operator::handle(&registry.app, command).await.unwrap_err().to_string();
        assert!(refused.contains("whose_data"), "{refused}");
    }
}

/// Anyone can read them.
#[tokio::test]
async fn texts_with_a_phone_number_are_refused() {
    let (registry, _peer, id) = live_agent().await;
    for (tool, mut arguments, field) in [
        ("talk", json!({ "listing_id": id }), "text"),
        ("talk", json!({ "listing_id": id, "action": "owner" }), "text"),
        ("leave_trace", json!({ "listing_id": id }), "body"),
        ("endorse", json!({ "listing_id": id }), "body"),
        ("deposit_outcome", json!({ "listing_id": id, "ok": true }), "body"),
        ("interop_session", json!({ "action": "open" }), "match_q"),
        ("publish_collection", json!({ "name": "com.example.a", "title": "A" }), "description"),
    ] {
        arguments[field] = json!("Call me at +49 170 1234567.");
        let refused = registry.refused_tool(tool, &arguments).await;
        let why = (&refused["code"], &refused["field"]);
        assert_eq!(why, (&json!("phone_number"), &json!(field)), "{refused}");
    }
}

/// A text can harm a person although it passes all checks.
#[tokio::test(flavor = "multi_thread")]
async fn operator_erases_one_public_text() {
    const HARM: &str = "Jane Doe lives in Long Street 1.";
    let (registry, _peer, id) = live_agent().await;
    let kept =
        registry.post("/api/talk", &json!({ "listing_id": id, "action": "social", "text": "Hello." })).await;
    let social = json!({ "listing_id": id, "action": "social", "text": HARM });
    let mark = json!({ "listing_id": id, "body": HARM, "from": "somebody" });
    let outcome = json!({ "action": "deposit_outcome", "listing_id": id, "ok": true, "body": HARM });
    let talk = registry.post("/api/talk", &social).await.body;
    let mark = registry.call_tool("leave_trace", &mark).await;
    let outcome = registry.post("/api/products/interop", &outcome).await.body;
    let pages = ["/api/talk/feed".to_owned(), format!("/api/talk?listing_id={id}")];
    for (text_id, kinds) in
        [(&talk["message"]["id"], 2), (&mark["mark"]["id"], 1), (&outcome["outcome"]["id"], 1)]
    {
        let text_id = text_id.as_str().unwrap_or_else(|| panic!("{talk} {mark} {outcome}"));
        let erase = json!({ "command": "erase", "text_id": text_id });
        let erased = registry.run("operator", erase.clone()).await;
        let expected = format!("Talk messages, marks and outcomes ({kinds})");
        assert!(erased["note"].as_str().unwrap().contains(&expected), "{erased}");
        assert_eq!(registry.run("operator", erase).await["changed"], false);
    }
    assert!(
        !registry.table().await.items_under("").iter().any(|item| item.to_string().contains("Long Street"))
    );
    for page in pages {
        assert!(registry.get(&page).await.body.to_string().contains("Hello."), "erased, too: {kept:?}");
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
    let endorse = async || {
        let answer = registry.call_tool("endorse", &json!({ "listing_id": id, "from": "somebody" })).await;
        answer["counted"].clone()
    };
    // The key changes at the latest after 30 days, so one of these days is in the next period.
    assert_eq!(endorse().await, true);
    for _ in 0..29 {
        registry.advance(DAY);
        assert_eq!(endorse().await, false);
    }
    registry.advance(DAY);
    assert_eq!(endorse().await, true);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_cannot_push_out_the_contact_of_an_owner_or_of_an_earlier_publisher() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(|request| tests::peers::error(request, -32603, "out of order")).await;
    let publish = async |email: &str| {
        registry.publish(&json!({ "url": peer.url("/card.json"), "contact_email": email })).await
    };
    let id = id_of(&publish("first@example.org").await);
    let listing = registry.app.store.listing(&id).await.unwrap().unwrap();
    for number in 0..80 {
        publish(&format!("stranger-{number}@example.org")).await;
    }
    let contact = registry::model::Contact {
        email: Some("owner@example.org".to_owned()),
        source: None,
        from: registry::model::ContactFrom::Owner,
    };
    let listing = registry.app.store.listing(&id).await.unwrap().unwrap_or(listing);
    let now = registry.now();
    assert!(registry.app.store.republish(&listing, &listing, None, &contact, None, now).await.unwrap());
    for number in 80..160 {
        publish(&format!("stranger-{number}@example.org")).await;
    }
    let table = registry.table().await;
    let stored: Vec<&str> =
        table.items_under("CONTACT#").iter().map(|item| item["email"].as_str().unwrap()).collect();
    assert!(stored.contains(&"owner@example.org") && stored.contains(&"first@example.org"), "{stored:?}");
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
        let message = json!({ "role": "user", "messageId": "m", "parts": parts });
        let task = send(json!({ "message": message })).await;
        assert_eq!(task["status"]["state"], "input-required", "{task}");
        let next =
            json!({ "role": "user", "messageId": "n", "taskId": task["id"], "parts": [text(&peer.card())] });
        let done = send(json!({ "message": next })).await;
        assert_eq!(done["status"]["state"], "completed", "{done}");
    }
}
