//! Tests `probe_clean`: the results of the checks in a listing's last probe, and whether all checks are clean.

use tests::prelude::*;

use crate::fixtures::{live_agent, members, queued_agent, shown};

/// What is clean, and the checks that failed. Plain http fails the check `https`, which does not block if the registry may
/// probe loopback.
async fn checked(registry: &TestRegistry, id: &ListingId) -> Value {
    let answer = registry.call_tool("probe_clean", &json!({ "listing_id": id })).await;
    let mut found = members(&answer, &["clean", "lane", "handshake", "probed_at"]);
    let checks = answer["checks"].as_array().unwrap().iter();
    let (passed, failed): (Vec<_>, Vec<_>) = checks.partition(|check| check["ok"] == true);
    found["passed"] = passed.iter().map(|check| check["id"].clone()).collect();
    found["failed"] = json!(failed);
    found
}

#[tokio::test]
async fn listing_is_clean_after_a_probe_without_a_failed_blocking_check() {
    let (registry, _peer, id) = live_agent().await;
    let live = checked(&registry, &id).await;
    let status = registry.status(&id).await;
    let of_status = json!({ "probed_at": status["probe"]["probed_at"], "checks": status["checks"] });
    let by_alias = registry.call_tool("probe_clean", &json!({ "id": id })).await;
    assert_members(&by_alias, &of_status);
    let (registry, _peer, id) = queued_agent(agents::injecting).await;
    let without_a_probe = checked(&registry, &id).await;
    registry.deliver_events().await;
    // The handshake is ok, but a check is not clean.
    let injecting = checked(&registry, &id).await;
    let all = json!({ "live": live, "without_a_probe": without_a_probe, "injecting": injecting });
    insta::assert_snapshot!(shown(&registry, &all));
}
