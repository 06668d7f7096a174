//! Tests the A2A endpoint in all its versions. A request in one version gets a reply in the same version.

use std::fmt::Write as _;

use axum::body::Body;
use http::Request;
use tests::prelude::*;
use tests::test_registry::{plain_client, snapshot_of};
use tower::ServiceExt as _;

async fn rpc(registry: &TestRegistry, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": "r1", "method": method, "params": params });
    let reply = registry.post("/api/a2a", &request).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{reply:?}");
    assert_eq!((&reply.body["jsonrpc"], &reply.body["id"]), (&json!("2.0"), &json!("r1")));
    reply.body
}

pub(super) async fn result(registry: &TestRegistry, method: &str, params: &Value) -> Value {
    let reply = rpc(registry, method, params).await;
    assert!(reply["result"].is_object(), "{method} {params}: {reply}");
    reply["result"].clone()
}

pub(super) async fn code(registry: &TestRegistry, method: &str, params: &Value) -> i64 {
    let reply = rpc(registry, method, params).await;
    let code = reply["error"]["code"].as_i64();
    code.unwrap_or_else(|| panic!("{method} {params} returned no error: {reply}"))
}

/// A message of A2A 1.0.
pub(super) fn newest(text: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// A message of A2A 1.0 whose sender does not wait for the reply, so that it becomes a task.
pub(super) fn as_task(text: &str) -> Value {
    json!({ "message": newest(text)["message"], "configuration": { "returnImmediately": true } })
}

/// A message of A2A 0.3 or 0.2: `tag` is the member that names the type of a part.
pub(super) fn older(text: &str, tag: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "user", "parts": [{ tag: "text", "text": text }] } })
}

pub(super) fn task_id(task: &Value) -> String {
    task["id"].as_str().unwrap().to_owned()
}

/// A task for a snapshot; a long text or document in its parts is left out.
fn without_texts(task: &Value, base: &str) -> String {
    let mut task = task.clone();
    for place in ["/artifacts/0/parts", "/status/message/parts"] {
        for part in task.pointer_mut(place).and_then(Value::as_array_mut).into_iter().flatten() {
            for member in ["text", "data"] {
                if part.get(member).is_some() {
                    part[member] = json!(format!("[{member}]"));
                }
            }
        }
    }
    snapshot_of(&task, &[(base, "[base]")])
}

#[tokio::test]
async fn tasks_have_the_shape_of_the_dialect() {
    let registry = TestRegistry::start().await;
    let new = result(&registry, "SendMessage", &as_task("help")).await["task"].clone();
    assert_eq!(result(&registry, "GetTask", &json!({ "id": new["id"] })).await, new);
    let short = result(&registry, "GetTask", &json!({ "id": new["id"], "history_length": 0 })).await;
    assert!(short.get("history").is_none());
    let old = result(&registry, "tasks/get", &json!({ "id": new["id"] })).await;
    let sent = json!({ "id": "my-own-0f1e2d3c4b5a", "sessionId": "s1", "message": older("help", "type")["message"] });
    let oldest = result(&registry, "tasks/send", &sent).await;
    let done = result(&registry, "tasks/get", &json!({ "id": "my-own-0f1e2d3c4b5a" })).await;
    assert_eq!(done["status"]["state"], "completed");
    let base = registry.url("");
    for (dialect, task) in [("1.0", &new), ("0.3", &old), ("0.2", &oldest)] {
        insta::assert_snapshot!(format!("task_of_{dialect}"), without_texts(task, &base));
    }
    // A client that does not wait gets a task, also for a read operation.
    let hurried = as_task("which MCP servers are live?");
    assert!(result(&registry, "SendMessage", &hurried).await["task"].is_object());
    // A task that did nothing is not completed.
    let held = as_task("endorse agtpub_0123456789abcdef0123 tomorrow");
    let held = result(&registry, "SendMessage", &held).await["task"].clone();
    assert_eq!(held["status"]["state"], "TASK_STATE_REJECTED", "{held}");
}

#[tokio::test]
async fn unsupported_calls_return_their_error_codes() {
    let registry = TestRegistry::start().await;
    let message = &newest("help")["message"];
    let with_push = json!({ "taskPushNotificationConfig": { "url": "https://x" } });
    let raw = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "raw": "aGk=" }] });
    let mut errors = String::new();
    for (method, params) in [
        ("SendStreamingMessage", newest("x")),
        ("message/stream", older("x", "kind")),
        ("tasks/sendSubscribe", older("x", "type")),
        ("SubscribeToTask", json!({ "id": "x" })),
        ("tasks/resubscribe", json!({ "id": "x" })),
        ("CreateTaskPushNotificationConfig", json!({ "taskId": "x" })),
        ("tasks/pushNotificationConfig/set", json!({ "taskId": "x" })),
        ("tasks/pushNotification/get", json!({ "id": "x" })),
        ("GetExtendedAgentCard", json!({})),
        ("agent/getAuthenticatedExtendedCard", json!({})),
        ("SendMessage", json!({ "configuration": with_push, "message": message })),
        ("SendMessage", json!({ "message": raw })),
        ("sendmessage", newest("x")),
        ("GetTask", json!({ "id": "x" })),
        ("GetTask", json!({ "id": "x\u{0}" })),
        ("GetTask", json!({ "id": "x".repeat(5000) })),
        ("tasks/send", json!({ "id": "x".repeat(129), "message": older("help", "type")["message"] })),
    ] {
        let (error, params) = (code(&registry, method, &params).await, params.to_string());
        let _ = writeln!(errors, "{method} {params:.80}: {error}");
    }
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "help" });
    let plain = registry.post_raw("/api/a2a", Some("text/plain"), request.to_string()).await;
    let unknown = registry.post("/api/a2a?A2A-Version=99.0", &request).await;
    let large = with_members(request, &json!({ "params": { "x": "y".repeat(300_000) } }));
    let large = registry.post("/api/a2a", &large).await;
    for (what, reply) in [("as text", plain), ("of 300 KB", large), ("in version 99.0", unknown)] {
        assert!(reply.status == 200 && reply.header("x-request-id").len() > 8, "{reply:?}");
        let _ = writeln!(errors, "help {what}: {}", reply.body["error"]["code"]);
    }
    insta::assert_snapshot!(errors);
    let reply = rpc(&registry, "GetTask", &json!({ "id": "x" })).await;
    let info = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
        "domain": "a2a-protocol.org", "metadata": { "taskId": "x" } }]);
    assert_eq!(reply["error"]["data"], info);
}

/// Status of the reply, status of the error and its reason.
fn rest_error(reply: &Reply) -> String {
    let error = &reply.body["error"];
    assert_eq!(error["code"], reply.status, "{reply:?}");
    let reason = error["details"][0]["reason"].as_str().unwrap_or("-");
    format!("{} {} {reason}", reply.status, error["status"].as_str().unwrap())
}

#[tokio::test]
async fn rest_binding_matches_json_rpc() {
    let registry = TestRegistry::start().await;
    let mut context = Value::Null;
    for path in ["/api/a2a/message:send", "/api/a2a/acme/message:send", "/message:send"] {
        let mut params = newest("list me");
        params["message"]["contextId"] = context;
        let reply = registry.post(path, &params).await;
        context = reply.body["task"]["contextId"].clone();
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{reply:?}");
        let id = task_id(&reply.body["task"]);
        let got = registry.get(&format!("/api/a2a/tasks/{id}?historyLength=0")).await;
        assert_eq!((&got.body["id"], got.body.get("history")), (&json!(id), None));
        let canceled = registry.post(&format!("/api/a2a/tasks/{id}:cancel"), &json!({})).await;
        assert_eq!(canceled.body["status"]["state"], "TASK_STATE_CANCELED");
        let again = registry.post(&format!("/api/a2a/acme/tasks/{id}:cancel"), &json!({})).await;
        assert_eq!(rest_error(&again), "400 FAILED_PRECONDITION TASK_NOT_CANCELABLE");
    }
    let context = context.as_str().unwrap();
    let filters = "pageSize=2&status=TASK_STATE_CANCELED&includeArtifacts=true";
    let listed = registry.get(&format!("/api/a2a/tasks?contextId={context}&{filters}")).await;
    assert_eq!((listed.body["tasks"].as_array().unwrap().len(), &listed.body["totalSize"]), (2, &json!(3)));
    let own = registry.get_with("/api/a2a/tasks", ("accept", "application/a2a+json, application/json")).await;
    assert_eq!(own.header("content-type"), "application/a2a+json");

    let (json, text) = (("content-type", "application/json"), ("content-type", "text/plain"));
    let mut errors = String::new();
    for (method, path, header, body) in [
        ("GET", "tasks/x", json, ""),
        ("GET", "tasks?pageSize=x", json, ""),
        ("GET", "nothing/here/at/all", json, ""),
        ("POST", "message:stream", json, "{}"),
        ("GET", "tasks/x/pushNotificationConfigs", json, ""),
        ("GET", "extendedAgentCard", json, ""),
        ("GET", "message:send", json, ""),
        ("POST", "tasks", json, "{}"),
        ("POST", "message:send", text, "{}"),
        ("POST", "message:send", json, "{"),
        ("GET", "tasks", ("a2a-version", "99.0"), ""),
    ] {
        let reply = registry.send(method, &format!("/api/a2a/{path}"), &[header], body).await;
        let (error, allowed) = (rest_error(&reply), reply.header("allow"));
        let _ = writeln!(errors, "{method} {path} {}: {error} {allowed}", header.1);
    }
    insta::assert_snapshot!(errors);
}

/// API Gateway has no route for this path: the request reaches either the function of `$default`, as here, or that of
/// `{proxy+}`. A path at the host with a colon has no route either.
#[tokio::test]
async fn endpoint_with_a_slash_is_the_same_endpoint() {
    let registry = TestRegistry::start().await;
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "help" });
    let redirect = plain_client().get(registry.url("/api/a2a/")).send().await.unwrap();
    assert_eq!(redirect.status().as_u16(), 308);
    assert_eq!(redirect.headers()["location"], "/api/a2a");
    let redirect = plain_client().post(registry.url("/message:send")).send().await.unwrap();
    assert_eq!(redirect.status().as_u16(), 308);
    assert_eq!(redirect.headers()["location"], "/api/a2a/message:send");
    assert_eq!(registry.post("/api/a2a/", &request).await.body["result"]["ok"], true);
    let a2a = local::functions::http(&registry.app)["a2a"].router.clone();
    let direct = Request::post("/api/a2a/").header("content-type", "application/json");
    let direct = direct.body(Body::from(request.to_string())).unwrap();
    assert_eq!(a2a.oneshot(direct).await.unwrap().status(), 200);

    for path in ["/api/ard", "/api/ard/"] {
        assert_eq!(registry.get(path).await.body["protocol"], "ard", "{path}");
        assert_eq!(registry.post(path, &request).await.status, 405, "{path}");
    }
}

#[tokio::test]
async fn message_that_publishes_a_listing_waits_for_the_first_probe() {
    let registry = TestRegistry::start().await;
    let (good, bad) = (Peer::start(agents::newest).await, Peer::start(|_| tests::peers::empty(404)).await);
    for (peer, lane, words) in [(&good, "active", "active"), (&bad, "needs_fix", "waiting for a fix")] {
        let params = newest(&format!("Please list me: {}", peer.url(CARD)));
        // The bus starts the probe while the request is waiting.
        let probe = async {
            loop {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                // Events of an earlier probe may come first.
                let delivered = registry.deliver_events().await;
                if delivered.iter().any(|event| event["detail-type"] == "listing.queued") {
                    break;
                }
            }
        };
        let (answer, ()) = tokio::join!(result(&registry, "SendMessage", &params), probe);
        let parts = &answer["task"]["artifacts"][0]["parts"];
        for told in ["status", "result"] {
            assert_eq!(parts[1]["data"][told]["lane"], lane, "{answer}");
        }
        assert_eq!(parts[1]["data"]["operation"], "list_yourself");
        let text = parts[0]["text"].as_str().unwrap();
        assert!(text.contains(words) && text.contains("Next: "), "{text}");
    }
}
