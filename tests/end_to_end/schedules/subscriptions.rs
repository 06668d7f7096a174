//! Tests subscriptions: confirmation, messages to webhooks and e-mail addresses, retries, and the end of a subscription.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tests::peers::mail_server::MailServer;
use tests::peers::{Peer, PeerRequest, agents, empty, json_answer};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry};

const MINUTE: std::time::Duration = std::time::Duration::from_secs(60);

async fn tell(registry: &TestRegistry) -> Value {
    registry.run("tell-subscribers", json!({ "detail-type": "tell-subscribers" })).await
}

async fn subscribe(registry: &TestRegistry, body: Value) -> Value {
    let answer = registry.post("/api/subscriptions", &body).await;
    assert_eq!(answer.status, 200, "{body}: {answer:?}");
    answer.body
}

/// A webhook that confirms.
fn confirming(request: &PeerRequest) -> axum::response::Response {
    match &request.body["data"]["challenge"] {
        Value::Null => empty(204),
        challenge => json_answer(200, &json!({ "challenge": challenge })),
    }
}

/// The messages about changes, as their numbers and types.
fn told(webhook: &Peer) -> Vec<Vec<(u64, String)>> {
    let messages = webhook.requests().into_iter().filter(|request| request.body["type"] == "listing.changes");
    let change =
        |change: &Value| (change["cursor"].as_u64().unwrap(), change["type"].as_str().unwrap().to_owned());
    messages.map(|m| m.body["data"]["changes"].as_array().unwrap().iter().map(change).collect()).collect()
}

fn live(number: u64) -> Vec<(u64, String)> {
    vec![(number, "listing_live".to_owned())]
}

async fn new_live_agent(registry: &TestRegistry) -> Peer {
    let peer = Peer::start(agents::newest).await;
    registry.live_card(&peer.card()).await;
    peer
}

/// Checks the HMAC as a library of Standard Webhooks does.
fn verify(request: &PeerRequest, secret: &str) {
    let header = |name| request.header(name).unwrap();
    let signed = format!("{}.{}.{}", header("webhook-id"), header("webhook-timestamp"), request.text);
    let key = BASE64.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let tag = BASE64.decode(header("webhook-signature").strip_prefix("v1,").unwrap()).unwrap();
    hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, &key), signed.as_bytes(), &tag).unwrap();
    let digest = format!("sha-256=:{}:", BASE64.encode(Sha256::digest(&request.text)));
    assert_eq!(header("content-digest"), digest);
    assert!(header("signature-input").contains(r#""content-digest""#), "{request:?}");
}

#[tokio::test]
async fn webhook_confirms_and_gets_each_change_once() {
    let registry = TestRegistry::start().await;
    let _before = new_live_agent(&registry).await;
    let webhook = Peer::start(confirming).await;
    let answer = subscribe(&registry, json!({ "url": webhook.url("/hook") })).await;
    assert_eq!(answer["state"], "pending");
    assert_eq!(webhook.requests().len(), 0, "the request itself calls nobody");
    assert_eq!(tell(&registry).await["asked"], 1);
    let _first = new_live_agent(&registry).await;
    let _second = new_live_agent(&registry).await;
    assert_eq!(tell(&registry).await["sent"], 1);
    registry.advance(MINUTE);
    assert_eq!(tell(&registry).await["sent"], 0, "nothing is told twice");
    let both = [live(2), live(3)].concat();
    assert_eq!(told(&webhook), [both], "changes before the confirmation are not told");
    for request in webhook.requests() {
        verify(&request, answer["secret"].as_str().unwrap());
    }
    let _third = new_live_agent(&registry).await;
    tell(&registry).await;
    assert_eq!(told(&webhook)[1..], [live(4)]);
}

#[tokio::test]
async fn webhook_that_does_not_answer_the_challenge_gets_nothing_else() {
    let registry = TestRegistry::start().await;
    let webhook = Peer::start(|_: &PeerRequest| empty(200)).await;
    let answer = subscribe(&registry, json!({ "url": webhook.url("/hook") })).await;
    let token = answer["manage_url"].as_str().unwrap().split_once("token=").unwrap().1.to_owned();
    assert_eq!(tell(&registry).await["failed"], 1);
    let act = json!({ "token": token, "act": "confirm" });
    let refused = registry.post("/api/subscriptions/manage", &act).await;
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("answer_the_challenge")), "{refused:?}");
    let _peer = new_live_agent(&registry).await;
    for _ in 0..50 {
        registry.advance(HOUR);
        tell(&registry).await;
    }
    assert_eq!(told(&webhook).len(), 0);
    assert!(webhook.requests().len() < 10, "the pauses between attempts grow");
    assert_eq!(registry.get(&format!("/subscribe?token={token}")).await.status, 404, "it was deleted");
}

#[tokio::test]
async fn subscription_is_about_its_topic_only() {
    let registry = TestRegistry::start().await;
    let (by_kind, by_listing, by_domain, elsewhere) = (
        Peer::start(confirming).await,
        Peer::start(confirming).await,
        Peer::start(confirming).await,
        Peer::start(confirming).await,
    );
    let peer = Peer::start(agents::newest).await;
    let id = registry.live_card(&peer.card()).await;
    subscribe(&registry, json!({ "url": by_kind.url("/"), "kind": "mcp" })).await;
    subscribe(&registry, json!({ "url": by_listing.url("/"), "listing_id": id })).await;
    subscribe(&registry, json!({ "url": by_domain.url("/"), "domain": "127.0.0.1" })).await;
    subscribe(&registry, json!({ "url": elsewhere.url("/"), "domain": "example.org" })).await;
    assert_eq!(tell(&registry).await["asked"], 4);
    registry.run("operator", json!({ "command": "withdraw", "listing_id": id, "reason": "Test." })).await;
    let _other = new_live_agent(&registry).await;
    assert_eq!(tell(&registry).await["sent"], 2);
    let withdrawn = vec![(2, "listing_withdrawn".to_owned())];
    assert_eq!(told(&by_listing), std::slice::from_ref(&withdrawn));
    assert_eq!(told(&by_domain), [[withdrawn, live(3)].concat()], "also of a listing that was withdrawn");
    assert_eq!((told(&by_kind).len(), told(&elsewhere).len()), (0, 0));
}

#[tokio::test]
async fn failed_message_is_repeated_with_the_same_id_and_nothing_is_left_out() {
    let registry = TestRegistry::start().await;
    let webhook = Peer::start(confirming).await;
    let healthy = Peer::start(confirming).await;
    subscribe(&registry, json!({ "url": webhook.url("/hook") })).await;
    subscribe(&registry, json!({ "url": healthy.url("/hook") })).await;
    tell(&registry).await;
    webhook.answer_with(|_: &PeerRequest| empty(500));
    let _first = new_live_agent(&registry).await;
    let report = tell(&registry).await;
    assert_eq!((&report["sent"], &report["failed"]), (&json!(1), &json!(1)));
    webhook.answer_with(confirming);
    let _second = new_live_agent(&registry).await;
    assert_eq!(tell(&registry).await["sent"], 1, "the other waits for its time");
    registry.advance(MINUTE * 2);
    assert_eq!(tell(&registry).await["sent"], 1);
    let _third = new_live_agent(&registry).await;
    tell(&registry).await;
    let both = [live(1), live(2)].concat();
    assert_eq!(told(&webhook), [live(1), both, live(3)]);
    assert_eq!(told(&healthy), [live(1), live(2), live(3)]);
}

#[tokio::test]
async fn subscription_ends_when_the_webhook_is_gone_or_fails_for_days() {
    let registry = TestRegistry::start().await;
    let (gone, broken) = (Peer::start(confirming).await, Peer::start(confirming).await);
    subscribe(&registry, json!({ "url": gone.url("/hook") })).await;
    subscribe(&registry, json!({ "url": broken.url("/hook") })).await;
    tell(&registry).await;
    gone.answer_with(|_: &PeerRequest| empty(410));
    broken.answer_with(|_: &PeerRequest| empty(503));
    let _peer = new_live_agent(&registry).await;
    let report = tell(&registry).await;
    assert_eq!((&report["ended"], &report["failed"]), (&json!(1), &json!(1)));
    let mut ended = 0;
    for _ in 0..6 * 24 {
        registry.advance(HOUR);
        ended += tell(&registry).await["ended"].as_u64().unwrap();
    }
    assert_eq!(ended, 1);
    assert!((10..30).contains(&broken.requests().len()), "{}", broken.requests().len());
}

/// Failures before the confirmation must not count days later.
#[tokio::test]
async fn failed_challenge_is_forgotten_when_the_webhook_confirms() {
    let registry = TestRegistry::start().await;
    let webhook = Peer::start(|_: &PeerRequest| empty(500)).await;
    subscribe(&registry, json!({ "url": webhook.url("/hook") })).await;
    assert_eq!(tell(&registry).await["failed"], 1);
    webhook.answer_with(confirming);
    registry.advance(MINUTE * 2);
    assert_eq!(tell(&registry).await["asked"], 1);
    registry.advance(DAY * 6);
    webhook.answer_with(|_: &PeerRequest| empty(500));
    let _peer = new_live_agent(&registry).await;
    let report = tell(&registry).await;
    assert_eq!((&report["failed"], &report["ended"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn subscription_ends_when_the_operator_blocks_its_host() {
    let registry = TestRegistry::start().await;
    let webhook = Peer::start(confirming).await;
    subscribe(&registry, json!({ "url": webhook.url("/hook") })).await;
    tell(&registry).await;
    registry
        .run("operator", json!({ "command": "block_host", "host": "127.0.0.1", "reason": "Test." }))
        .await;
    webhook.forget_requests();
    assert_eq!(tell(&registry).await["ended"], 1);
    assert_eq!(webhook.requests().len(), 0);
}

async fn with_mail() -> (TestRegistry, MailServer) {
    let server = MailServer::start().await;
    let options = TestOptions::default()
        .with_setting("MAIL_FROM", "registry@example.org")
        .with_setting("RATE_LIMITS", "on");
    (TestRegistry::start_with(options.with_setting("SMTP_URL", &server.url)).await, server)
}

#[tokio::test]
async fn email_is_sent_after_a_person_confirmed_and_ends_by_one_click() {
    let (registry, mail) = with_mail().await;
    let asked = registry.post_form("/api/subscriptions", &[("email", "ann@example.org")]).await;
    assert!(!format!("{:?}", asked.body).contains("sub_"), "the token is only in the e-mail: {asked:?}");
    assert_eq!(tell(&registry).await["asked"], 1);
    let question = mail.take().pop().unwrap();
    assert_eq!(question.to, "ann@example.org");
    let link = question.word_after(&registry.url("/subscribe?token=")).to_owned();
    let _before = new_live_agent(&registry).await;
    tell(&registry).await;
    assert!(mail.take().is_empty(), "not confirmed");

    // A mail program that only opens the link confirms nothing.
    let page = registry.get(&format!("/subscribe?token={link}")).await;
    assert_eq!(page.status, 200);
    tell(&registry).await;
    assert!(mail.take().is_empty());
    let act = json!({ "token": link, "act": "confirm" });
    assert_eq!(registry.post("/api/subscriptions/manage", &act).await.body["state"], "confirmed");
    let _first = new_live_agent(&registry).await;
    tell(&registry).await;
    let news = mail.take().pop().unwrap();
    assert!(news.text.contains("Subject: 1 change of a listing in"), "{}", news.text);
    assert!(news.text.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{}", news.text);

    // At most one message an hour.
    let _second = new_live_agent(&registry).await;
    let _third = new_live_agent(&registry).await;
    tell(&registry).await;
    assert!(mail.take().is_empty());
    registry.advance(HOUR);
    tell(&registry).await;
    let news = mail.take().pop().unwrap();
    assert!(news.text.contains("Subject: 2 changes of listings in"), "{}", news.text);
    registry.advance(HOUR * 2);
    tell(&registry).await;
    assert!(mail.take().is_empty());

    let one_click = format!("/api/subscriptions/manage?token={link}");
    assert_eq!(registry.post_form(&one_click, &[("List-Unsubscribe", "One-Click")]).await.status, 303);
    let _fourth = new_live_agent(&registry).await;
    tell(&registry).await;
    assert!(mail.take().is_empty());
    assert_eq!(registry.get(&format!("/subscribe?token={link}")).await.status, 404);
}

#[tokio::test]
async fn refused_subscriptions_say_what_to_send() {
    let registry = TestRegistry::start().await;
    for (body, status, code) in [
        (json!({}), 422, "one_recipient"),
        (json!({ "url": "https://a.example/x", "email": "a@example.org" }), 422, "one_recipient"),
        (json!({ "url": "ftp://a.example/x" }), 422, "bad_url"),
        (json!({ "url": "https://a.example/x", "domain": "https://b.example" }), 422, "bad_domain"),
        (json!({ "url": "https://a.example/x", "listing_id": "agent-unknown" }), 404, "listing_not_found"),
        (json!({ "email": "ann@example.org" }), 409, "no_email"),
    ] {
        let refused = registry.post("/api/subscriptions", &body).await;
        assert_eq!((refused.status, &refused.body["code"]), (status, &json!(code)), "{body}: {refused:?}");
    }
    let unknown = json!({ "token": "sub_0123456789abcdef0123456789abcdef", "act": "end" });
    assert_eq!(registry.post("/api/subscriptions/manage", &unknown).await.status, 404);
}

/// Nobody can fill the inbox of another person with questions.
#[tokio::test]
async fn requests_to_one_recipient_are_limited() {
    let (registry, mail) = with_mail().await;
    let mut statuses = Vec::new();
    for spelling in [
        "ann@example.org",
        "Ann@example.org",
        "ann@EXAMPLE.org",
        "ann@example.org",
        "ANN@example.org",
        "anN@example.org",
    ] {
        statuses.push(registry.post("/api/subscriptions", &json!({ "email": spelling })).await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    assert_eq!(tell(&registry).await["asked"], 5);
    assert_eq!(mail.take().len(), 5);
}

#[tokio::test]
async fn operator_erases_the_address_of_a_subscriber() {
    let (registry, mail) = with_mail().await;
    registry.post("/api/subscriptions", &json!({ "email": "ann@example.org" })).await;
    registry.run("operator", json!({ "command": "erase", "email": "ann@example.org" })).await;
    tell(&registry).await;
    assert!(mail.take().is_empty());
}

/// A crash after the delivery repeats the message with the same id; a second run at the same time sends nothing.
#[tokio::test]
async fn two_runs_at_once_send_each_message_once() {
    let registry = TestRegistry::start().await;
    let webhook = Peer::start(confirming).await;
    subscribe(&registry, json!({ "url": webhook.url("/hook") })).await;
    tell(&registry).await;
    let _peer = new_live_agent(&registry).await;
    registry.settle();
    let run = || {
        local::engine::instrumented::as_function(
            "tell-subscribers",
            registry::subscriptions::tell(&registry.app),
        )
    };
    let (a, b, c) = futures::join!(run(), run(), run());
    let sent: u32 = [a, b, c].into_iter().map(|report| report.unwrap().sent).sum();
    assert_eq!((sent, told(&webhook)), (1, vec![live(1)]));
    registry.advance(DAY);
    assert_eq!(tell(&registry).await["sent"], 0);
}
