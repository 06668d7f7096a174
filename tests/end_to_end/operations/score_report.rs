//! Tests the report of a score: its steps, its page, JSON and badge, and what is never in it. The golden reports are made
//! with the peers of the other tests.

use std::time::Duration;

use registry::model::{LimitedAction, sha256_hex};
use tests::peers::sign_in;
use tests::prelude::*;
use tests::test_registry::snapshot_of;

use crate::fixtures::live_agent;

const FORM: &str = "/api/publish";

/// What a report says, without the random parts of requests.
async fn golden(registry: &TestRegistry, peers: &[&Peer], url: &str) -> String {
    let score = registry.get(&format!("/api/score?url={url}")).await;
    assert_eq!(score.status, 200, "{score:?}");
    let report = registry.get(&format!("{}/report.json", path_of(&score.body))).await;
    assert_eq!(report.status, 200, "{report:?}");
    assert_eq!(report.body["steps"], score.body["steps"], "the score and its report differ");
    let names = ["http://peer-a", "http://peer-b"];
    let names: Vec<(&str, &str)> =
        peers.iter().zip(names).map(|(peer, name)| (peer.origin.as_str(), name)).collect();
    without_random_ids(&snapshot_of(&report.body["steps"], &names))
}

/// Replaces UUIDs, and the numeric ids of requests and answers.
fn without_random_ids(text: &str) -> String {
    let is_uuid = |word: &str| word.len() == 36 && word.matches('-').count() == 4;
    let mut shown = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_hexdigit() || c == '-' {
            word.push(c);
            continue;
        }
        let is_id = shown.ends_with("\\\"id\\\":") && !word.is_empty();
        shown.push_str(match &word {
            word if is_uuid(word) => "[uuid]",
            _ if is_id => "[id]",
            word => word,
        });
        word.clear();
        shown.push(c);
    }
    shown
}

fn path_of(score: &Value) -> String {
    let id = score["report_url"].as_str().unwrap().rsplit('/').next().unwrap();
    format!("/check/{id}")
}

/// The statuses of the page and of the JSON of a report.
async fn statuses(registry: &TestRegistry, path: &str) -> [u16; 2] {
    [registry.get(path).await.status, registry.get(&format!("{path}/report.json")).await.status]
}

#[tokio::test]
async fn reports_match_their_golden_files() {
    let authorization = Peer::start(sign_in::authorization_server).await;
    for (name, peer, path) in [
        ("agent", Peer::start(agents::newest).await, CARD),
        ("older_agent", Peer::start(agents::older).await, CARD),
        ("missing_card", Peer::start(agents::only(404)).await, CARD),
        ("modern_server", Peer::start(servers::modern).await, "/mcp"),
        ("legacy_server", Peer::start(servers::legacy).await, "/mcp"),
        ("gated_server", Peer::start(sign_in::gated(&authorization.origin)).await, "/mcp"),
    ] {
        let registry = TestRegistry::start().await;
        let text = golden(&registry, &[&peer, &authorization], &peer.url(path)).await;
        insta::assert_snapshot!(name, text);
    }
}

#[tokio::test]
async fn report_is_content_addressed_and_expires_after_thirty_days() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let score = registry.get(&format!("/api/score?url={}", peer.card())).await.body;
    let path = path_of(&score);
    let stored = registry.items("SCORED#").await;
    assert_eq!(stored.len(), 1, "one score writes one report");
    let text = stored[0]["report"].as_s().unwrap();
    assert_eq!(registry.get(&format!("{path}/report.json")).await.text(), *text);
    assert!(path.ends_with(&sha256_hex(text)[..24]), "{path}");
    registry.advance(DAY * 30 - Duration::from_secs(60));
    assert_eq!(statuses(&registry, &path).await, [200, 200]);
    registry.advance(Duration::from_secs(61));
    assert_eq!(statuses(&registry, &path).await, [404, 404]);
    assert_eq!(registry.get("/check/unknown").await.status, 404);
}

#[tokio::test]
async fn report_of_what_the_operator_took_down_is_hidden() {
    let (registry, peer, id) = live_agent().await;
    let path = path_of(&registry.get(&format!("/api/score?url={}", peer.card())).await.body);
    assert_eq!(statuses(&registry, &path).await, [200, 200]);
    registry.withdraw(&id, "Spam.").await;
    assert_eq!(statuses(&registry, &path).await, [404, 404]);
    assert!(!registry.get(&format!("/check?url={}", peer.card())).await.text().contains("The latest report"));
}

#[tokio::test]
async fn check_form_redirects_to_its_report_and_a_get_sends_nothing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let page = format!("/check?url={}", peer.card());
    let html = registry.text(&page).await;
    assert_contains(&html, &[&format!("value=\"{}\"", peer.card())]);
    assert!(!html.contains("The latest report"), "{html}");
    assert!(peer.request_names().is_empty(), "a GET of the page sent a request");
    let check = async || {
        let answer = registry.post_form(FORM, &[("check", "yes"), ("url", &peer.card())]).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        answer.header("location").to_owned()
    };
    let path = check().await;
    let rule = "A2A Servers MUST make an Agent Card available.";
    let parts = ["Requested its agent card", rule, "Look again", "GetTask"];
    assert_contains(&registry.text(&path).await, &parts);
    registry.advance(Duration::from_secs(1));
    let again = check().await;
    assert_ne!(again, path, "a second check replaced the report");
    assert_contains(&registry.text(&page).await, &[&format!("href=\"{again}\"")]);
    assert_eq!(registry.get(&path).await.status, 200);
}

#[tokio::test]
async fn report_begins_with_all_reasons() {
    let registry = TestRegistry::start().await;
    let peer =
        Peer::start(|request| json_answer(if request.method().is_some() { 400 } else { 404 }, &json!({})));
    let peer = peer.await;
    let score = registry.get(&format!("/api/score?url={}", peer.url("/api"))).await;
    let page = registry.get(&path_of(&score.body)).await.text();
    let (beginning, _) = page.split_once("step by step").unwrap();
    let reasons = score.body["reasons"].as_array().unwrap();
    assert!(reasons.len() > 1, "{score:?}");
    let https = score.body["checks"][0]["detail"].as_str().unwrap();
    assert!(https.starts_with(&peer.url("/api")), "the scheme of the URL is known: {score:?}");
    for reason in reasons {
        assert!(beginning.contains(reason["reason"].as_str().unwrap()), "{reason} is not in {beginning}");
    }
}

#[tokio::test]
async fn points_of_the_handshake_are_shown_where_it_failed() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(|request| match request.method() {
        Some("tools/list") => json_answer(500, &json!({})),
        _ => servers::legacy(request),
    })
    .await;
    let score = registry.get(&format!("/api/score?url={}", peer.url("/mcp"))).await.body;
    let has_part = |step: &&Value| step["parts"].as_array().unwrap().contains(&json!("handshake"));
    let step = score["steps"].as_array().unwrap().iter().find(has_part).unwrap();
    assert_eq!((&step["kind"], &step["reasons"]), (&json!("tools"), &json!(["http_5xx"])));
}

#[tokio::test]
async fn refused_check_shows_the_form_with_the_error() {
    let options = TestOptions::default().with_rate(LimitedAction::Score, |rate| rate.caller = 1);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::newest).await);
    let check = async |url: &str| registry.post_form(FORM, &[("check", "yes"), ("url", url)]).await;
    // A refused URL does not count.
    let refused = check("\"><script>alert(1)</script>").await;
    assert_eq!((refused.status, refused.header("content-type")), (422, "text/html; charset=utf-8"));
    assert_contains(&refused.text(), &["role=\"alert\""]);
    assert!(!refused.text().contains("<script>alert"), "{refused:?}");
    assert_eq!(check(&peer.card()).await.status, 303);
    let limited = check(&peer.card()).await;
    assert_eq!(limited.status, 429, "{limited:?}");
    assert_contains(&limited.text(), &["rate limit for your address is exceeded"]);
}

#[tokio::test]
async fn texts_of_a_hostile_peer_are_inert_in_every_form_of_the_report() {
    let registry = TestRegistry::start().await;
    let markup = "</code></pre><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}gnp ]]> -->";
    let peer = Peer::start(move |request| {
        let mut card = agents::card(request, markup);
        card["description"] = json!(format!("{markup} {}", "W".repeat(20_000)));
        card["contact"] = json!("jane.doe@private.example.org, +49 30 1234567");
        card["key"] = json!("ghp_0123456789abcdefghijklmnopqrstuvwxyz");
        json_answer(200, &card)
    })
    .await;
    let url = format!("{}?token=very-secret-token", peer.card());
    let score = registry.get(&format!("/api/score?url={}", url.replace('?', "%3F"))).await.ok();
    let path = path_of(&score);
    for below in ["", "/report.json"] {
        let reply = registry.get(&format!("{path}{below}")).await;
        assert_eq!(reply.status, 200, "{below}");
        let text = reply.text();
        for secret in ["very-secret-token", "jane.doe@", "1234567", "ghp_0123"] {
            assert!(!text.contains(secret), "{below}: {secret}: {text}");
        }
        if below != "/report.json" {
            for active in ["<script>alert", "<img src=x", "</pre><script", "\u{202e}"] {
                assert!(!text.contains(active), "{below}: {active}: {text}");
            }
        }
        assert!(!reply.header("content-security-policy").is_empty() || below == "/report.json");
        assert!(text.len() < 60_000, "{below}: {} bytes", text.len());
    }
    assert!(registry.items("SCORED#").await[0]["report"].as_s().unwrap().len() <= 40_000);
    let page = registry.get(&path).await;
    assert!(page.text().contains("noindex") && !page.text().contains("Look again"), "{page:?}");
}
