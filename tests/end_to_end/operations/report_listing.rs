//! Tests `report_listing`: the operator reads reports, and nobody else.

use registry::model::LimitedAction;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_agent_with, refused_bodies};

async fn reports(registry: &TestRegistry) -> Value {
    ::operator::handle(&registry.app, json!({ "command": "reports" })).await.unwrap()["reports"].clone()
}

#[tokio::test]
async fn report_is_shown_to_the_operator_only() {
    let (registry, _peer, id) = live_agent().await;
    assert_eq!(reports(&registry).await, Value::Null);
    let table = registry.table().await;
    let report = json!({ "listing_id": id, "reason": "Impersonates a bank.", "contact": "me@example.org" });
    let reply = registry.post("/api/report", &report).await.ok();
    let stored = reports(&registry).await;
    assert_eq!((&stored[0]["reason"], &stored[0]["contact"]), (&report["reason"], &report["contact"]));
    assert_eq!((&stored[0]["id"], &stored[0]["listing_id"]), (&reply["report_id"], &json!(id)));
    // It changes no counter, no feed and no listing.
    let after = registry.table().await.without(&["REPORTS", "CALLER_KEYS"]);
    assert_eq!(table.without(&["CALLER_KEYS"]).difference(&after), [""; 0]);
    for path in ["/api/feed".to_owned(), format!("/api/listings/status?id={id}"), format!("/list/{id}")] {
        assert!(!registry.get(&path).await.body.to_string().contains("bank"), "{path}");
    }
    registry.advance(DAY * 181);
    registry.sweep_expired();
    assert_eq!(reports(&registry).await, Value::Null);
}

/// Many reports about one listing must not hide a report about another one.
#[tokio::test]
async fn operator_reads_reports_by_listing_and_page() {
    let (registry, _peer, id) = live_agent().await;
    let quiet: ListingId = "mcp-quiet".parse().unwrap();
    for number in 0..450_u16 {
        let about = if number == 7 { quiet.clone() } else { id.clone() };
        let report = registry::model::Report {
            id: format!("rep_{number:024x}"),
            listing_id: about,
            reason: format!("Reason {number}."),
            contact: None,
            at: registry.now(),
        };
        registry.app.store.keep_report(&report, None).await.unwrap();
    }
    let run = async |about: Option<&ListingId>, cursor: &Value| {
        let command = json!({ "command": "reports", "listing_id": about, "cursor": cursor });
        ::operator::handle(&registry.app, command).await.unwrap()
    };
    let pages = async |about: Option<&ListingId>| {
        let (mut reasons, mut sizes, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
        loop {
            let page = run(about, &cursor).await;
            let reports = page["reports"].as_array().unwrap();
            sizes.push(reports.len());
            reasons.extend(reports.iter().map(|report| report["reason"].as_str().unwrap().to_owned()));
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                return (reasons, sizes);
            }
        }
    };
    let all: Vec<String> = (0..450).rev().map(|number| format!("Reason {number}.")).collect();
    assert_eq!(pages(None).await, (all, vec![200, 200, 50]));
    assert_eq!(pages(Some(&id)).await.1, [200, 200, 49]);
    assert_eq!(pages(Some(&quiet)).await, (vec!["Reason 7.".to_owned()], vec![1]));
    let counts = run(None, &Value::Null).await["report_counts"].clone();
    assert_eq!(counts, json!({ id.as_str(): 449, "mcp-quiet": 1 }));
}

#[tokio::test]
async fn invalid_reports_are_refused() {
    let (registry, _peer, id) = live_agent().await;
    let report = json!({ "listing_id": id, "reason": "Spam." });
    let invalid = [
        json!({ "listing_id": "mcp-unknown" }),
        json!({ "reason": "  " }),
        json!({ "reason": "x".repeat(2001) }),
        json!({ "reason": "\u{1b}[2J" }),
        json!({ "contact": "a\nb" }),
    ];
    insta::assert_snapshot!(refused_bodies(&registry, "/api/report", &report, invalid).await);
    assert_eq!(reports(&registry).await, Value::Null);
}

#[tokio::test]
async fn reports_are_limited_per_caller_and_listing() {
    let options = TestOptions::default().with_rate(LimitedAction::Report, |rate| rate.caller = 4);
    let options = options.with_rate(LimitedAction::Report, |rate| rate.target = 5);
    let (registry, _peer, id) = live_agent_with(options).await;
    let report = json!({ "listing_id": id, "reason": "Spam." });
    let from = async |last: u8| registry.post_from([127, 0, 0, last].into(), "/api/report", &report).await;
    for (caller, refused) in [(2, "caller"), (3, "listing")] {
        let accepted = if refused == "caller" { 4 } else { 3 };
        for _ in 0..accepted {
            assert_eq!(from(caller).await.status, 200);
        }
        assert_eq!(from(caller).await.body["allowance"], refused);
    }
    assert_eq!(from(4).await.status, 200, "the first reports of a caller are accepted");
}

#[tokio::test]
async fn report_form_works_without_a_script() {
    let (registry, _peer, id) = live_agent().await;
    let page = registry.get(&format!("/list/{id}")).await.body.to_string();
    assert!(page.contains("/api/report") && page.contains("Report a problem"), "no form");
    assert!(page.contains("hidden>Your report was sent"), "a page without a report says that one was sent");
    let fields = [("listing_id", id.as_str()), ("reason", "Spam."), ("contact", "")];
    let reply = registry.post_form("/api/report", &fields).await;
    assert_eq!((reply.status, reply.header("location")), (303, format!("/list/{id}#reported").as_str()));
    assert_eq!(reports(&registry).await[0]["reason"], "Spam.");
    let refused = registry.post_form("/api/report", &[("listing_id", id.as_str())]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.header("content-type").starts_with("text/html"), "{refused:?}");
}
