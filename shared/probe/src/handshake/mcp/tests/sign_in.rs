//! Tests of servers that ask for a sign-in. The server and its authorization server are two peers. Each row breaks one part
//! that the revision requires; a client could not sign in.

use serde_json::{Value, json};

use super::{legacy, modern};
use crate::handshake::tests::peer::{Peer, Received, Reply, codes, probe};
use registry_model::{ClientRegistration, Handshake, Kind, Verdict};

const RESOURCE: &str = "/.well-known/oauth-protected-resource/mcp";
const SERVER: &str = "/.well-known/oauth-authorization-server";

/// How the two peers answer. Each part gets the request and the origin of the authorization server.
#[derive(Clone, Copy)]
struct Parts {
    refusal: fn(&Received) -> Reply,
    resource: fn(&Received, &str) -> Reply,
    server: fn(&Received) -> Reply,
}

fn origin(asked: &Received) -> String {
    format!("http://{}", asked.header("host").unwrap())
}

fn challenge(asked: &Received) -> Reply {
    let challenge =
        format!("Bearer resource_metadata=\"{}{RESOURCE}\", scope=\"files:read files:write\"", origin(asked));
    Reply::empty(401).with("www-authenticate", &challenge)
}

fn resource(asked: &Received, issuer: &str) -> Reply {
    resource_with(asked, issuer, &json!({}))
}

fn resource_with(asked: &Received, issuer: &str, change: &Value) -> Reply {
    if asked.path != RESOURCE {
        return Reply::html(404);
    }
    let mut metadata =
        json!({"resource": format!("{}/mcp", origin(asked)), "authorization_servers": [issuer]});
    metadata.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    Reply::ok(&metadata)
}

fn metadata(origin: &str) -> Value {
    json!({
        "issuer": origin, "authorization_endpoint": format!("{origin}/authorize"), "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"), "code_challenge_methods_supported": ["S256"],
    })
}

fn server(asked: &Received) -> Reply {
    server_with(asked, &json!({}))
}

fn server_with(asked: &Received, change: &Value) -> Reply {
    if asked.path != SERVER {
        return Reply::html(404);
    }
    let mut metadata = metadata(&origin(asked));
    metadata.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    Reply::ok(&metadata)
}

const GOOD: Parts = Parts { refusal: challenge, resource, server };

const fn refusing(refusal: fn(&Received) -> Reply) -> Parts {
    Parts { refusal, ..GOOD }
}

const fn with_resource(resource: fn(&Received, &str) -> Reply) -> Parts {
    Parts { resource, ..GOOD }
}

const fn with_server(server: fn(&Received) -> Reply) -> Parts {
    Parts { server, ..GOOD }
}

/// The authorization server, then the server that asks for its tokens.
async fn start(parts: Parts) -> (Peer, Peer) {
    let authorization = Peer::start(move |asked| (parts.server)(asked)).await;
    let issuer = authorization.origin.clone();
    let server = Peer::start(move |asked| match asked.verb.as_str() {
        "GET" => (parts.resource)(asked, &issuer),
        _ => (parts.refusal)(asked),
    });
    (authorization, server.await)
}

async fn probed(parts: Parts) -> (Peer, Peer, Verdict) {
    let (authorization, server) = start(parts).await;
    let verdict = probe(&server.subject(Some(Kind::Mcp), "/mcp")).await;
    (authorization, server, verdict)
}

#[tokio::test]
async fn correct_sign_in_is_proven_with_four_requests() {
    let (authorization, server, verdict) = probed(GOOD).await;
    assert_eq!((verdict.handshake, codes(&verdict)), (Handshake::Partial, vec!["auth_required"]));
    assert!(verdict.signals.contains(&"protected_resource_metadata".to_owned()));
    let sign_in = verdict.facts.sign_in.unwrap();
    assert_eq!(sign_in.issuer, authorization.origin);
    assert_eq!(sign_in.scopes, ["files:read", "files:write"]);
    assert_eq!(sign_in.registration, ClientRegistration::Dynamic);
    let sentence = format!("Asks for sign-in at {}, scopes files:read files:write.", authorization.origin);
    assert_eq!(sign_in.sentence(), sentence);
    assert_eq!(server.requests(), ["server/discover", "initialize", &format!("GET {RESOURCE}")]);
    assert_eq!(authorization.requests(), [format!("GET {SERVER}")]);
}

/// Servers that answer `initialize` to everybody, and ask for a sign-in later.
#[tokio::test]
async fn sign_in_for_the_tools_is_proven_together_with_the_handshake() {
    let refusal: fn(&Received) -> Reply = |asked| match asked.method() {
        Some("tools/list") => challenge(asked),
        _ => modern(asked),
    };
    let (_, _, verdict) = probed(refusing(refusal)).await;
    assert_eq!((verdict.speaks, codes(&verdict)), (true, vec!["auth_required"]));
    assert!(verdict.facts.sign_in.is_some() && verdict.facts.name.as_deref() == Some("Adder"));

    let (_, _, verdict) = probed(refusing(|_| Reply::empty(401))).await;
    assert_eq!(codes(&verdict), ["auth_required", "sign_in:no_challenge"], "the second one is a warning");
    let fix = crate::reasons::fix_for("sign_in:no_challenge").unwrap();
    assert!(!fix.contains("gated"), "a gated listing gets it: {fix}");
    assert!(verdict.facts.sign_in.is_some(), "clients find the metadata without a challenge");

    let faulty: fn(&Received) -> Reply = |asked| match asked.method() {
        Some("tools/list") => challenge(asked),
        Some("initialize") => legacy(asked),
        Some("notifications/initialized") => Reply::empty(400),
        _ => Reply::error(404, asked, -32601, "Method not found"),
    };
    let (_, _, verdict) = probed(refusing(faulty)).await;
    assert_eq!(codes(&verdict), ["nonconforming:notification", "auth_required"]);
    assert_eq!(verdict.facts.sign_in, None, "something else is wrong, too");
}

/// The parts that each row replaces, and the codes that follow.
fn broken() -> Vec<(&'static str, Parts, &'static str)> {
    let moved: fn(&Received, &str) -> Reply = |asked, _| {
        let port = asked.header("host").unwrap().rsplit_once(':').unwrap().1.to_owned();
        // The same machine under another name is another origin.
        Reply::empty(307).with("location", &format!("http://localhost:{port}/x"))
    };
    let forbidden: fn(&Received) -> Reply = |asked| {
        let challenge = format!("Bearer resource_metadata={}{RESOURCE}", origin(asked));
        Reply::empty(403).with("www-authenticate", &challenge)
    };
    let no_servers: fn(&Received, &str) -> Reply =
        |asked, issuer| resource_with(asked, issuer, &json!({"authorization_servers": []}));
    // The port is never open: it is reserved.
    let closed_port: fn(&Received, &str) -> Reply = |asked, issuer| {
        resource_with(asked, issuer, &json!({"authorization_servers": ["http://127.0.0.1:1"]}))
    };
    let basic: fn(&Received) -> Reply = |_| Reply::empty(401).with("www-authenticate", "Basic realm=\"x\"");
    vec![
        ("another scheme", refusing(basic), "scheme"),
        ("403", refusing(forbidden), "status_403"),
        ("no metadata", with_resource(|_, _| Reply::html(404)), "metadata_missing"),
        ("a page as metadata", with_resource(|_, _| Reply::html(200)), "metadata_not_json"),
        ("no authorization server", with_resource(no_servers), "no_authorization_servers"),
        ("metadata at another origin", with_resource(moved), "redirected"),
        ("a server that does not run", with_resource(closed_port), "authorization_server_unreached"),
        ("no server metadata", with_server(|_| Reply::html(404)), "authorization_server_metadata"),
    ]
}

#[tokio::test]
async fn each_broken_part_of_a_sign_in_has_its_reason_and_a_fix() {
    for (name, parts, code) in broken() {
        let (authorization, server, verdict) = probed(parts).await;
        let code = format!("sign_in:{code}");
        let asked = [server.requests(), authorization.requests()];
        assert_eq!(codes(&verdict), [code.as_str()], "{name}: {asked:?}");
        assert_eq!((verdict.handshake, verdict.inconclusive), (Handshake::Partial, false), "{name}");
        assert_eq!(verdict.facts.sign_in, None, "{name}");
        assert_eq!(verdict.facts.endpoint, Some(format!("{}/mcp", server.origin)), "{name}");
        assert!(verdict.reasons[0].fix.len() > 30, "{name}");
    }
}

#[tokio::test]
async fn missing_client_registration_is_only_a_hint() {
    let by_hand: fn(&Received) -> Reply = |asked| server_with(asked, &json!({"registration_endpoint": null}));
    let (_, _, verdict) = probed(with_server(by_hand)).await;
    assert_eq!(codes(&verdict), ["auth_required", "sign_in:no_registration"]);
    assert_eq!(verdict.facts.sign_in.unwrap().registration, ClientRegistration::ByHand);
    let document: fn(&Received) -> Reply = |asked| {
        server_with(
            asked,
            &json!({"registration_endpoint": null, "client_id_metadata_document_supported": true}),
        )
    };
    let (_, _, verdict) = probed(with_server(document)).await;
    assert_eq!(codes(&verdict), ["auth_required"]);
}

#[tokio::test]
async fn busy_authorization_server_is_tried_again_soon() {
    let (_, _, verdict) = probed(with_server(|_| Reply::html(503))).await;
    assert_eq!(codes(&verdict), ["sign_in:authorization_server_metadata"]);
    assert!(verdict.inconclusive);
}

/// All peers answer with the longest chain that they can.
#[tokio::test]
async fn chain_of_metadata_has_a_bound() {
    let parts = Parts {
        refusal: |_| Reply::empty(401).with("www-authenticate", "Bearer"),
        resource: |asked, issuer| match asked.path.as_str() {
            "/.well-known/oauth-protected-resource" => Reply::ok(
                &json!({"resource": origin(asked), "authorization_servers": [format!("{issuer}/t"), issuer, issuer]}),
            ),
            _ => Reply::html(404),
        },
        server: |asked| match asked.path.ends_with("/again") {
            true => Reply::html(404),
            false => Reply::empty(302).with("location", &format!("{}/again", asked.path)),
        },
    };
    let (authorization, server, verdict) = probed(parts).await;
    assert_eq!(codes(&verdict), ["sign_in:authorization_server_metadata"]);
    // The authorization server gets three requests, each with one redirect.
    assert_eq!((server.received().len(), authorization.received().len()), (4, 6));
}
