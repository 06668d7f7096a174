//! Tests bodies with the media type of a form. `tests/browser` tests the form itself, with and without scripts.

use tests::peers::{Peer, agents};
use tests::test_registry::TestRegistry;

const FORM: &str = "/api/publish";

/// curl sends a body as a form unless its caller names a media type.
#[tokio::test]
async fn json_without_its_media_type_is_read_as_json() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let post = async |body: &str| registry.send("POST", FORM, &headers, body).await;
    let listed = post(&format!("{{\"url\": \"{}\"}}", peer.card())).await;
    assert_eq!((listed.status, &listed.body["status"]), (200, &serde_json::json!("queued")), "{listed:?}");
    for body in ["{\"url\": \"nonsense\"}", "url=nonsense"] {
        let refused = post(body).await;
        refused.assert_problem();
        assert_eq!(refused.status, 422, "{refused:?}");
    }
}
