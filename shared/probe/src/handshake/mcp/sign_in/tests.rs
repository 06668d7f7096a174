use serde_json::json;

use super::*;

fn targets(urls: &[Target]) -> Vec<&str> {
    urls.iter().map(Target::as_str).collect()
}

fn target(url: &str) -> Target {
    Target::parse(url, Reach::Public).unwrap()
}

#[test]
fn metadata_of_an_authorization_server_is_looked_for_at_every_path_of_the_revision() {
    let at = |issuer: &str| server_metadata_urls(&target(issuer), Reach::Public);
    let root = [
        "https://a.example.org/.well-known/oauth-authorization-server",
        "https://a.example.org/.well-known/openid-configuration",
    ];
    assert_eq!(targets(&at("https://a.example.org")), root);
    assert_eq!(targets(&at("https://a.example.org/")), root);
    let tenant = [
        "https://a.example.org/.well-known/oauth-authorization-server/tenant/one",
        "https://a.example.org/.well-known/openid-configuration/tenant/one",
        "https://a.example.org/tenant/one/.well-known/openid-configuration",
    ];
    assert_eq!(targets(&at("https://a.example.org/tenant/one")), tenant);
}

#[test]
fn resource_metadata_is_looked_for_below_the_endpoint_and_at_the_root() {
    let at = |endpoint: &str, reference| {
        resource_metadata_urls(&target(endpoint), reference, Reach::Public).map_err(|broken| broken.flaw)
    };
    let below = [
        "https://a.example.org/.well-known/oauth-protected-resource/mcp",
        "https://a.example.org/.well-known/oauth-protected-resource",
    ];
    assert_eq!(targets(&at("https://a.example.org/mcp", None).unwrap()), below);
    let root = at("https://a.example.org/", None).unwrap();
    assert_eq!(targets(&root), ["https://a.example.org/.well-known/oauth-protected-resource"]);
    let near = at("https://a.example.org/mcp", Some("https://auth.example.org/x")).unwrap();
    assert_eq!(targets(&near), ["https://auth.example.org/x"]);
    for elsewhere in ["https://b.example.net/x", "http://10.0.0.1/x", "https://a.example.org:22/"] {
        let found = at("https://a.example.org/mcp", Some(elsewhere));
        assert_eq!(found, Err(SignInFlaw::Redirected), "{elsewhere}");
    }
}

#[test]
fn resource_is_the_endpoint_or_a_parent_of_it() {
    let endpoint = "https://a.example/mcp";
    for resource in
        ["https://a.example/mcp", "https://a.example/mcp/", "https://a.example", "https://A.EXAMPLE/mcp"]
    {
        assert!(is_resource_of(resource, endpoint), "{resource}");
    }
    for resource in ["", "mcp", "https://b.example/mcp", "https://a.example/mc", "https://a.example/mcp/x"] {
        assert!(!is_resource_of(resource, endpoint), "{resource}");
    }
}

#[test]
fn metadata_of_an_authorization_server_is_checked_as_clients_do() {
    let issuer = "https://as.example.org";
    let good = json!({
        "issuer": issuer, "authorization_endpoint": "https://as.example.org/authorize",
        "token_endpoint": "https://as.example.org:9443/token", "code_challenge_methods_supported": ["plain", "S256"],
    });
    let checked = |change: Value, reach: Reach| {
        let mut server = good.clone();
        for (name, value) in change.as_object().unwrap() {
            server[name] = value.clone();
        }
        check_server(&server, issuer, reach).map_err(|broken| broken.flaw)
    };
    let public = |change: Value| checked(change, Reach::Public);
    assert_eq!(public(json!({})), Ok(ClientRegistration::ByHand));
    let (registration, document) = ("registration_endpoint", "client_id_metadata_document_supported");
    assert_eq!(public(json!({ registration: "https://as.example.org/r" })), Ok(ClientRegistration::Dynamic));
    assert_eq!(public(json!({ registration: "http://as.example.org/r" })), Ok(ClientRegistration::ByHand));
    let both = public(json!({ document: true, registration: "https://as.example.org/r" }));
    assert_eq!(both, Ok(ClientRegistration::MetadataDocument));
    for (change, flaw) in [
        (json!({ "issuer": "https://as.example.org/" }), SignInFlaw::Issuer),
        (json!({ "issuer": null }), SignInFlaw::Issuer),
        (json!({ "authorization_endpoint": null }), SignInFlaw::NoAuthorizationEndpoint),
        (json!({ "token_endpoint": 7 }), SignInFlaw::NoTokenEndpoint),
        (json!({ "token_endpoint": "http://as.example.org/token" }), SignInFlaw::PlainHttp),
        (json!({ "authorization_endpoint": "/authorize" }), SignInFlaw::PlainHttp),
        (json!({ "authorization_endpoint": "http://127.0.0.1/authorize" }), SignInFlaw::PlainHttp),
        (json!({ "code_challenge_methods_supported": ["plain"] }), SignInFlaw::NoS256),
        (json!({ "code_challenge_methods_supported": null }), SignInFlaw::NoS256),
    ] {
        assert_eq!(public(change.clone()), Err(flaw), "{change}");
    }
    let local = json!({ "token_endpoint": "http://localhost:9000/token" });
    assert!(checked(local, Reach::Development).is_ok());
}

#[test]
fn scopes_have_a_form_and_a_bound() {
    assert_eq!(scopes("files:read a\"b ünï".split_whitespace()), ["files:read"]);
    assert_eq!(scopes(vec!["x"; 99].into_iter()).len(), MAX_SCOPES);
    assert!(scopes(["x".repeat(101).as_str()].into_iter()).is_empty());
}
