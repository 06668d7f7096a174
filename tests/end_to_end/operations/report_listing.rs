//! Tests `report_listing`: the operator reads reports, and nobody else.

use tests::prelude::*;

use crate::fixtures::{live_agent, refused_bodies, values_of};

async fn reports(registry: &TestRegistry) -> Value {
    registry.run("operator", json!({ "command": "reports" })).await["reports"].clone()
}

#[tokio::test]
async fn report_is_shown_to_the_operator_only() {
    let (registry, _peer, id) = live_agent().await;
    assert_eq!(reports(&registry).await, Value::Null);
    let table = registry.table().await.without(&["CALLER_KEYS"]);
    let report = json!({ "listing_id": id, "reason": "Impersonates a bank.", "contact": "me@example.org" });
    let reply = registry.post("/api/report", &report).await.ok();
    let stored = with_members(report, &json!({ "id": reply["report_id"] }));
    assert_members(&reports(&registry).await[0], &stored);
    // It changes no counter, no feed and no listing.
    let after = registry.table().await.without(&["REPORTS", "CALLER_KEYS"]);
    assert_eq!(table.difference(&after), [""; 0]);
    for path in ["/api/feed", &format!("/api/listings/status?id={id}"), &format!("/list/{id}")] {
        assert!(!registry.get(path).await.body.to_string().contains("bank"), "{path}");
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
        let report = registry::model::Report {
            id: format!("rep_{number:024x}"),
            listing_id: if number == 7 { quiet.clone() } else { id.clone() },
            reason: format!("Reason {number}."),
            contact: None,
            at: registry.now(),
        };
        registry.app.store.keep_report(&report, None).await.unwrap();
    }
    let pages = async |about: Option<&ListingId>| {
        let mut command = json!({ "command": "reports", "listing_id": about });
        let (mut reasons, mut sizes) = (Vec::new(), Vec::new());
        loop {
            let page = registry.run("operator", command.clone()).await;
            let on_page = values_of(&page["reports"], "reason");
            sizes.push(on_page.len());
            reasons.extend(on_page);
            command["cursor"] = page["next_cursor"].clone();
            if command["cursor"].is_null() {
                return (reasons, sizes);
            }
        }
    };
    let all: Vec<String> = (0..450).rev().map(|number| format!("Reason {number}.")).collect();
    assert_eq!(pages(None).await, (all, vec![200, 200, 50]));
    assert_eq!(pages(Some(&id)).await.1, [200, 200, 49]);
    assert_eq!(pages(Some(&quiet)).await, (vec!["Reason 7.".to_owned()], vec![1]));
    let counts = registry.run("operator", json!({ "command": "reports" })).await["report_counts"].clone();
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
