//! Tests the form for publishing a server. The tests send the form as a browser without scripts does.

use tests::peers::{Peer, agents};
use tests::test_registry::TestRegistry;

const FORM: &str = "/api/publish";

#[tokio::test]
async fn form_redirects_to_the_page_of_its_listing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let answer = registry.post_form(FORM, &[("url", &peer.card()), ("name", "")]).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let id = answer.header("location").strip_prefix("/list/").unwrap().parse().unwrap();
    assert_eq!(registry.lane(&id).await, "queued");
    registry.deliver_events().await;
    assert_eq!(registry.lane(&id).await, "active");
}

#[tokio::test]
async fn refused_form_is_shown_again_with_the_error() {
    let registry = TestRegistry::start().await;
    let hostile = "https://10.0.0.1/\"><script>alert(1)</script>";
    for (fields, status, message) in [
        (vec![("url", "not a url")], 422, "This is not an absolute URL."),
        (vec![], 422, "The request does not say what to publish."),
        (vec![("url", hostile)], 422, "IP address"),
    ] {
        let answer = registry.post_form(FORM, &fields).await;
        assert_eq!((answer.status, answer.header("content-type")), (status, "text/html; charset=utf-8"));
        let html = answer.body.as_str().unwrap();
        assert!(html.contains("role=\"alert\"") && html.contains("<form"), "{html}");
        assert!(html.contains(message), "{message}: {html}");
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(answer.header("content-security-policy").contains("form-action 'self'"));
        if let Some((_, "not a url")) = fields.first() {
            assert!(html.contains("value=\"not a url\""), "the typed value was lost");
        }
    }
    assert_eq!(registry.post_form(FORM, &[("url", &"x".repeat(100_000))]).await.status, 413);
}

/// curl sends a body as a form unless its caller names a media type.
#[tokio::test]
async fn json_without_its_media_type_is_read_as_json() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let headers = [("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
    let post = async |body: String| registry.send("POST", FORM, &headers, body).await;
    let listed = post(format!("{{\"url\": \"{}\"}}", peer.card())).await;
    assert_eq!((listed.status, &listed.body["status"]), (200, &serde_json::json!("queued")), "{listed:?}");
    for body in ["{\"url\": \"nonsense\"}", "url=nonsense"] {
        let refused = post(body.to_owned()).await;
        refused.assert_problem();
        assert_eq!(refused.status, 422, "{refused:?}");
    }
}
