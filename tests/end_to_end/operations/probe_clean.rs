//! Tests `probe_clean`: the results of the checks in a listing's last probe, and whether all checks are clean.

use insta::assert_snapshot;
use tests::prelude::*;

use crate::fixtures::{item, live_agent, members, queued_agent, shown};

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
    let answer = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    let status = registry.status(&id).await;
    assert_eq!((&answer["probed_at"], &answer["checks"]), (&status["probe"]["probed_at"], &status["checks"]));
    let names = ["ok", "listing_id", "clean", "lane", "handshake"];
    assert_snapshot!(shown(&registry, &members(&answer, &names)));
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
    let (_, failed) = checks(&answer);
    assert_eq!(failed, ["https", "no_injection"]);
    // The handshake is ok, but a check is not clean.
    let mut unclean = members(&answer, &["clean", "lane", "handshake"]);
    unclean["check"] = item(&answer["checks"], "id", "no_injection").clone();
    assert_snapshot!(shown(&registry, &unclean));
}

#[tokio::test]
async fn listing_without_a_probe_is_not_clean_and_has_no_checks() {
    let (registry, _peer, id) = queued_agent(agents::newest).await;
    let answer = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    assert_snapshot!(shown(&registry, &answer));
}
