//! Tests `probe_clean`: the results of the checks in a listing's last probe, and whether all checks are clean.

use serde_json::{Value, json};
use tests::assertions::assert_members;
use tests::peers::agents;

use crate::fixtures::{live_agent, queued_agent};

/// The ids of the passed and of the failed checks.
fn checks(answer: &Value) -> (Vec<&str>, Vec<&str>) {
    let all = answer["checks"].as_array().unwrap().iter();
    let (ok, failed): (Vec<_>, Vec<_>) = all.partition(|check| check["ok"] == true);
    (
        ok.into_iter().map(|check| check["id"].as_str().unwrap()).collect(),
        failed.into_iter().map(|check| check["id"].as_str().unwrap()).collect(),
    )
}

#[tokio::test]
async fn live_listing_with_clean_checks_is_clean() {
    let (registry, _peer, id) = live_agent().await;
    let probed_at = registry.status(&id).await["probe"]["probed_at"].clone();
    let answer = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    assert_members(&answer, &json!({ "ok": true, "clean": true, "lane": "active", "handshake": "ok" }));
    assert_eq!((&answer["listing_id"], &answer["probed_at"]), (&json!(id), &probed_at));
    assert_eq!(answer["checks"], registry.status(&id).await["checks"], "`check_status` returns other checks");
    // Plain http fails the check `https`, which does not block if the registry may probe loopback.
    let (ok, failed) = checks(&answer);
    assert_eq!(failed, ["https"]);
    assert!(ok.contains(&"card_valid") && ok.contains(&"no_injection"), "{ok:?}");
    let by_alias = registry.call_tool("probe_clean", &json!({ "id": id })).await;
    assert_eq!(by_alias, answer, "`id` is not accepted as an alias of `listing_id`");
}

#[tokio::test]
async fn failed_blocking_check_makes_a_listing_unclean() {
    let (registry, _peer, id) = queued_agent(agents::injecting).await;
    registry.deliver_events().await;
    let answer = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    // The handshake is ok, but a check is not clean.
    assert_members(&answer, &json!({ "clean": false, "lane": "needs_fix", "handshake": "ok" }));
    let (_, failed) = checks(&answer);
    assert_eq!(failed, ["https", "no_injection"]);
    let injection =
        answer["checks"].as_array().unwrap().iter().find(|check| check["id"] == "no_injection").unwrap();
    assert_eq!(injection["blocking"], true);
    assert!(injection["detail"].as_str().is_some_and(|detail| detail.len() > 20), "{injection}");
}

#[tokio::test]
async fn listing_without_a_probe_is_not_clean_and_has_no_checks() {
    let (registry, _peer, id) = queued_agent(agents::newest).await;
    let answer = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    let expected = json!({
        "ok": true, "listing_id": id, "clean": false, "lane": "queued", "liveness": { "state": "absent" },
        "handshake": null, "probed_at": null, "checks": [],
        "badge": registry.url(&format!("/badge/clean.svg?id={id}")),
    });
    assert_eq!(answer, expected);
}
