//! Tests the A2A endpoint in all its versions. A request in one version gets a reply in the same version. To
//! read, list or cancel a task, a caller must know the id or the context of the task.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt as _;
use registry::model::{CallerAddress, LimitedAction};
use tests::prelude::*;
use tests::test_registry::{plain_client, snapshot_of};
use tower::ServiceExt as _;

use crate::fixtures::live_agent;

async fn rpc(registry: &TestRegistry, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": "r1", "method": method, "params": params });
    let reply = registry.post("/api/a2a", &request).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{reply:?}");
    assert_eq!((&reply.body["jsonrpc"], &reply.body["id"]), (&json!("2.0"), &json!("r1")));
    reply.body
}

async fn result(registry: &TestRegistry, method: &str, params: &Value) -> Value {
    let reply = rpc(registry, method, params).await;
    assert!(reply["result"].is_object(), "{method} {params}: {reply}");
    reply["result"].clone()
}

async fn code(registry: &TestRegistry, method: &str, params: &Value) -> i64 {
    let reply = rpc(registry, method, params).await;
    let code = reply["error"]["code"].as_i64();
    code.unwrap_or_else(|| panic!("{method} {params} returned no error: {reply}"))
}

/// A message of A2A 1.0.
fn newest(text: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// A message of A2A 1.0 whose sender does not wait for the reply, so that it becomes a task.
fn as_task(text: &str) -> Value {
    json!({ "message": newest(text)["message"], "configuration": { "returnImmediately": true } })
}

/// A message of A2A 0.3 or 0.2: `tag` is the member that names the type of a part.
fn older(text: &str, tag: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "user", "parts": [{ tag: "text", "text": text }] } })
}

fn task_id(task: &Value) -> String {
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

/// A task id that a client chose and that nobody guesses.
const CLIENT_ID: &str = "client-9f86d081884c7d65";

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
async fn task_asks_for_missing_input_and_continues() {
    let registry = TestRegistry::start().await;
    let task = result(&registry, "SendMessage", &newest("list my agent")).await["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert!(task["status"]["message"]["parts"][0]["text"].as_str().unwrap().contains("Which URL?"));
    let feedback = newest("submit feedback for agtpub_0123456789abcdef0123");
    let feedback = result(&registry, "SendMessage", &feedback).await["task"].clone();
    assert_eq!(feedback["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{feedback}");
    let mut next = newest("it is at https://user:secret@agent.example.com");
    next["message"]["taskId"] = task["id"].clone();
    let failed = result(&registry, "SendMessage", &next).await["task"].clone();
    assert_eq!((&failed["id"], &failed["status"]["state"]), (&task["id"], &json!("TASK_STATE_FAILED")));
    assert_eq!(failed["status"]["message"]["parts"][1]["data"]["error"]["code"], "user_info_in_url");
    assert_eq!(failed["history"].as_array().unwrap().len(), 3, "{failed}");
    assert_eq!(code(&registry, "SendMessage", &next).await, -32004, "the task is over");

    next["message"]["taskId"] = json!("no-such-task");
    assert_eq!(code(&registry, "SendMessage", &next).await, -32001);
    let waiting = result(&registry, "SendMessage", &newest("list me")).await["task"].clone();
    next["message"]["taskId"] = waiting["id"].clone();
    next["message"]["contextId"] = json!("another");
    assert_eq!(code(&registry, "SendMessage", &next).await, -32602);
    let mut no = newest("no, never mind");
    no["message"]["taskId"] = waiting["id"].clone();
    assert_eq!(result(&registry, "SendMessage", &no).await["task"]["status"]["state"], "TASK_STATE_CANCELED");
}

/// Each question is about one argument, and a message that is only its value answers it.
#[tokio::test]
async fn each_question_is_answered_by_the_value_alone() {
    let (registry, _peer, id) = live_agent().await;
    let demo = json!({ "listing_id": id, "sku": "alive" });
    assert_eq!(registry.post("/api/products/demo", &demo).await.status, 200);
    let mut token = String::new();
    for messages in [
        &["leave a trace", "{id}", "slow at night", "leave_trace"][..],
        &["leave a trace at {id}", "slow at night, and it does not answer", "leave_trace"],
        &["report a listing", "{id}", "it is spam", "report_listing"],
        &["report an outcome", "{id}", "true", "deposit_outcome"],
        &[
            "leave feedback for {id}",
            "rating: 4",
            "the demo files",
            "none",
            "a guide",
            "yes",
            "maybe",
            "leave_feedback",
        ],
        &["open my product", "{token}", "get_access"],
    ] {
        let (operation, messages) = messages.split_last().unwrap();
        let mut task = Value::Null;
        for text in messages {
            let mut next = newest(&text.replace("{id}", id.as_str()).replace("{token}", &token));
            if let Some(id) = task.get("id") {
                assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{text}: {task}");
                next["message"]["taskId"] = id.clone();
            }
            let sent = result(&registry, "SendMessage", &next).await;
            task = sent["task"].clone();
        }
        let data = &task["artifacts"][0]["parts"][1]["data"];
        assert_eq!(data["operation"], *operation, "{messages:?}: {task}");
        assert_eq!(data["ok"], true, "{messages:?}: {task}");
        if let Some(reason) = data["arguments"].get("reason") {
            assert_eq!(reason, "it is spam");
        }
        if let Some(received) = data["result"]["access_token"].as_str() {
            token = received.to_owned();
        }
    }
}

#[tokio::test]
async fn only_a_task_that_needs_input_can_be_canceled() {
    let registry = TestRegistry::start().await;
    let done = task_id(&result(&registry, "SendMessage", &as_task("help")).await["task"]);
    let waiting = task_id(&result(&registry, "SendMessage", &newest("list me")).await["task"]);
    for method in ["CancelTask", "tasks/cancel"] {
        assert_eq!(code(&registry, method, &json!({ "id": "no-such-task" })).await, -32001);
        assert_eq!(code(&registry, method, &json!({ "id": done })).await, -32002);
        assert_eq!(code(&registry, method, &json!({})).await, -32602);
    }
    let canceled = result(&registry, "tasks/cancel", &json!({ "id": waiting })).await;
    assert_eq!(canceled["status"]["state"], "canceled");
    let found = result(&registry, "GetTask", &json!({ "id": waiting })).await;
    assert_eq!(found["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(code(&registry, "CancelTask", &json!({ "id": waiting })).await, -32002);
}

#[tokio::test]
async fn list_of_tasks_can_be_filtered_and_paged() {
    let registry = TestRegistry::start().await;
    let mut ids = Vec::new();
    let mut context = Value::Null;
    for n in 0..5 {
        registry.advance(std::time::Duration::from_secs(1));
        let mut params = if n == 2 { newest("list me") } else { as_task("help") };
        params["message"]["contextId"] = context.clone();
        let task = result(&registry, "SendMessage", &params).await["task"].clone();
        context = task["contextId"].clone();
        ids.push(task_id(&task));
    }
    ids.reverse();
    let another = result(&registry, "SendMessage", &newest("list me")).await["task"]["contextId"].clone();
    let listed =
        |page: &Value| -> Vec<String> { page["tasks"].as_array().unwrap().iter().map(task_id).collect() };
    let all = result(&registry, "ListTasks", &json!({ "contextId": context })).await;
    assert_eq!(listed(&all), ids, "the most recently changed task is first");
    assert_members(&all, &json!({ "nextPageToken": "", "pageSize": 50, "totalSize": 5 }));
    assert!(all["tasks"][0].get("artifacts").is_none());
    let whole = json!({ "context_id": context, "include_artifacts": true, "historyLength": 0 });
    let whole = result(&registry, "ListTasks", &whole).await;
    assert!(whole["tasks"][0]["artifacts"].is_array() && whole["tasks"][0].get("history").is_none());

    let (mut token, mut paged) = (json!(""), Vec::new());
    loop {
        let page = json!({ "contextId": context, "pageSize": 2, "pageToken": token });
        let page = result(&registry, "ListTasks", &page).await;
        assert_eq!(page["totalSize"], 5);
        paged.extend(listed(&page));
        token = page["nextPageToken"].clone();
        if token == "" {
            break;
        }
    }
    assert_eq!(paged, ids);
    let of = async |mut filter: Value| {
        filter["contextId"] = context.clone();
        listed(&result(&registry, "ListTasks", &filter).await)
    };
    assert_eq!(of(json!({ "status": "input-required" })).await, ids[2..3]);
    assert_eq!(of(json!({ "statusTimestampAfter": "2026-11-20T12:00:04.000Z" })).await, ids[..2]);
    assert_eq!(result(&registry, "ListTasks", &json!({ "contextId": another })).await["totalSize"], 1);
    for (member, value) in [
        ("pageSize", json!(0)),
        ("pageSize", json!(101)),
        ("pageToken", json!("x")),
        ("status", json!("DONE")),
        ("statusTimestampAfter", json!("yesterday")),
        ("historyLength", json!(-1)),
    ] {
        assert_eq!(code(&registry, "ListTasks", &json!({ member: value })).await, -32602, "{member}");
    }
}

#[tokio::test]
async fn refused_message_that_cannot_be_continued_stores_no_task() {
    let registry = TestRegistry::start_with(TestOptions::default().with_rates()).await;
    // The names of listings are in the search index.
    registry.send_message(&json!({ "text": "hello" })).await;
    let call = |call: &str| json!({ "messageId": "m1", "role": "user", "parts": [{ "data": { "operation": call } }] });
    let long = format!("https://a.example {}", "colourless green ideas sleep furiously ".repeat(5000));
    let words = |text: &str| older(text, "kind")["message"].clone();
    for (message, expected) in [
        (words("help"), "list my agent at"),
        (words("hello"), "list my agent at"),
        (words(&long), "Did you mean"),
        (call("sell_listing"), "Unknown operation `sell_listing`"),
        (words("list https://a.example and https://b.example"), "only one is accepted at a time"),
    ] {
        let before = registry.observer.tally.snapshot();
        for method in ["SendMessage", "message/send"] {
            let answer = result(&registry, method, &json!({ "message": message })).await;
            let answer = answer.get("message").unwrap_or(&answer);
            let text = answer["parts"][0]["text"].as_str().unwrap_or_default();
            assert!(text.contains(expected) && answer["contextId"].is_string(), "{expected}: {answer}");
            assert_eq!(answer["parts"][1]["data"]["executed"], false);
        }
        assert_eq!(registry.observer.tally.since(&before).total(), 0, "{expected}");
    }
    assert_eq!(registry.table().await.items_under("TASK").len(), 0);
}

#[tokio::test]
async fn stored_tasks_are_limited_per_caller() {
    let options = TestOptions::default().with_rate(LimitedAction::Task, |rate| rate.caller = 3);
    let registry = TestRegistry::start_with(options).await;
    let (alice, bob) = ("192.0.2.1", "192.0.2.2");
    let oldest = json!({ "id": CLIENT_ID, "message": older("colourless green ideas", "type")["message"] });
    let task = from(&registry, alice, "SendMessage", &newest("list me")).await;
    assert_eq!(from(&registry, alice, "tasks/send", &oldest).await["result"]["id"], CLIENT_ID);
    let mut next = newest("I mean my agent");
    next["message"]["taskId"] = task["result"]["task"]["id"].clone();
    assert!(from(&registry, alice, "SendMessage", &next).await["result"]["task"].is_object());
    for (method, params) in [
        ("SendMessage", newest("list me")),
        ("tasks/send", oldest),
        ("SendMessage", as_task("help")),
        ("SendMessage", next),
    ] {
        let refused = from(&registry, alice, method, &params).await["error"].clone();
        assert_eq!(refused["code"], -32000, "{refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("hourly rate limit for your address is exceeded"), "{refused}");
        assert_eq!(refused["data"][0]["retryDelay"], "3600s", "{refused}");
    }
    assert!(from(&registry, alice, "SendMessage", &newest("help")).await["result"]["message"].is_object());
    assert!(from(&registry, bob, "SendMessage", &newest("list me")).await["result"]["task"].is_object());
    for _ in 0..3 {
        registry.post("/api/a2a/message:send", &newest("list me")).await.ok();
    }
    let rest = registry.post("/api/a2a/message:send", &newest("list me")).await;
    assert_eq!((rest.status, rest.header("retry-after")), (429, "3600"), "{rest:?}");
    assert_eq!(rest.body["error"]["status"], "RESOURCE_EXHAUSTED");
    registry.advance(std::time::Duration::from_secs(3600));
    assert!(from(&registry, alice, "SendMessage", &newest("list me")).await["result"]["task"].is_object());
}

#[tokio::test]
async fn long_messages_are_stored_truncated() {
    let registry = TestRegistry::start().await;
    let mut long = newest(&format!("list me, and do it soon. {}", "Thank you very much! ".repeat(4000)));
    long["message"]["metadata"] = json!({ "x": "y".repeat(100_000) });
    let task = result(&registry, "SendMessage", &long).await["task"].clone();
    let mut next = long.clone();
    for _ in 0..5 {
        next["message"]["taskId"] = task["id"].clone();
        result(&registry, "SendMessage", &next).await;
    }
    let table = registry.table().await;
    let items = table.items_under("TASK");
    let size: usize = items.iter().map(|item| item.to_string().len()).sum();
    assert!(items.len() == 2 && size < 52 * 1024, "{} items of {size} bytes", items.len());

    let task = result(&registry, "SendMessage", &long).await["task"].clone();
    let mut end = newest("it is at https://user:secret@agent.example.com");
    end["message"]["taskId"] = task["id"].clone();
    let failed = result(&registry, "SendMessage", &end).await["task"].clone();
    let parts = &failed["status"]["message"]["parts"];
    assert_eq!(parts[1]["data"]["error"]["code"], "user_info_in_url", "{failed}");
    let stored = result(&registry, "GetTask", &json!({ "id": task["id"] })).await;
    assert_eq!(stored["status"]["message"]["parts"][0], parts[0]);
    assert!(!stored.to_string().contains("secret@"), "a password is stored: {stored}");
}

#[tokio::test]
async fn tasks_expire_after_a_day() {
    let registry = TestRegistry::start().await;
    let task = result(&registry, "SendMessage", &as_task("help")).await["task"].clone();
    let (id, context) = (task_id(&task), task["contextId"].clone());
    registry.advance(DAY - std::time::Duration::from_secs(1));
    assert_eq!(result(&registry, "GetTask", &json!({ "id": id })).await["id"], json!(id));
    registry.advance(std::time::Duration::from_secs(1));
    let expired = code(&registry, "GetTask", &json!({ "id": id })).await;
    assert_eq!(expired, -32001, "expired, although not yet deleted");
    assert_eq!(result(&registry, "ListTasks", &json!({ "contextId": context })).await["totalSize"], 0);
    let table = registry.table().await;
    let items = table.items_under("TASK");
    assert_eq!(items.len(), 2, "the task and its row in the list of its context");
    assert!(items.iter().all(|item| item["ttl"] == registry.now().as_second()), "{items:?}");
}

/// A call from the given address.
async fn from(registry: &TestRegistry, address: &str, method: &str, params: &Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut request = Request::post("/api/a2a").header("content-type", "application/json");
    request.extensions_mut().unwrap().insert(CallerAddress(address.parse().unwrap()));
    let request = request.body(Body::from(body.to_string())).unwrap();
    let response = a2a::router(registry.app.clone()).oneshot(request).await.unwrap();
    serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

#[tokio::test]
async fn client_cannot_read_tasks_of_another_client() {
    let registry = TestRegistry::start().await;
    let (alice, bob) = ("192.0.2.1", "192.0.2.2");
    let sent = |text: &str| json!({ "id": CLIENT_ID, "message": older(text, "type")["message"] });
    let first = from(&registry, alice, "tasks/send", &sent("list me")).await;
    assert_eq!(first["result"]["status"]["state"], "input-required");
    let assert_hidden = async |method: &str, id: &str| {
        let answer = from(&registry, bob, method, &json!({ "id": id })).await;
        assert_eq!(answer["error"]["code"], -32001, "{method} {id}");
    };
    assert_hidden("tasks/get", CLIENT_ID).await;
    assert_hidden("tasks/cancel", CLIENT_ID).await;
    let second = from(&registry, bob, "tasks/send", &sent("help")).await;
    assert_eq!(second["result"]["status"]["state"], "completed");
    let own = from(&registry, alice, "tasks/get", &json!({ "id": CLIENT_ID })).await;
    assert_eq!(own["result"]["status"]["state"], "input-required");

    // A client may send a task with the same id again. The new task replaces the old one, also in the list of its context.
    let again = from(&registry, bob, "tasks/send", &sent("help")).await;
    assert_eq!(again["result"]["id"], CLIENT_ID);
    for (task, total) in [(&second, 0), (&again, 1)] {
        let listed = json!({ "contextId": task["result"]["contextId"] });
        assert_eq!(from(&registry, bob, "ListTasks", &listed).await["result"]["totalSize"], total);
        assert_eq!(from(&registry, alice, "ListTasks", &listed).await["result"]["totalSize"], 0);
    }

    // An id that the registry generated works from any address, and no client can overwrite its task.
    let ours = from(&registry, alice, "SendMessage", &as_task("help")).await["result"]["task"]["id"].clone();
    assert_eq!(from(&registry, bob, "GetTask", &json!({ "id": ours })).await["result"]["id"], ours);
    let taken = json!({ "id": ours, "message": older("list me", "type")["message"] });
    from(&registry, bob, "tasks/send", &taken).await;
    let still = from(&registry, alice, "GetTask", &json!({ "id": ours })).await;
    assert_eq!(still["result"]["status"]["state"], "TASK_STATE_COMPLETED");
    for id in ["OF#192.0.2.1#1", "F#192.0.2.1#1", "#1", "1#"] {
        assert_hidden("tasks/get", id).await;
    }
}

#[tokio::test]
async fn tasks_can_be_listed_only_by_a_generated_context_id() {
    let registry = TestRegistry::start().await;
    let (nat, elsewhere) = ("192.0.2.1", "192.0.2.2");
    let mut contexts = Vec::new();
    for chosen in [None, Some("session-1"), Some("00112233-4455-8677-a899-aabbccddeeff")] {
        let mut params = newest("list me, ask somebody@example.com");
        params["message"]["contextId"] = json!(chosen);
        let task = from(&registry, nat, "SendMessage", &params).await["result"]["task"].clone();
        assert!(chosen.is_none_or(|chosen| task["contextId"] == chosen), "{task}");
        contexts.push((chosen, task["contextId"].as_str().unwrap().to_owned(), task_id(&task)));
    }
    let listed = async |address: &str, params: Value| {
        let page = from(&registry, address, "ListTasks", &params).await["result"].clone();
        let ids: Vec<String> = page["tasks"].as_array().unwrap().iter().map(task_id).collect();
        assert_eq!(page["totalSize"], ids.len());
        ids
    };
    // Many clients may share one address; none of them sees tasks of another.
    for without in [json!({}), json!({ "contextId": "" }), json!({ "status": "TASK_STATE_INPUT_REQUIRED" })] {
        assert_eq!(listed(nat, without).await, [""; 0]);
    }
    for (chosen, context, id) in contexts {
        // A context id that a client chose can be guessed, so its tasks are not listed. A generated one is secret.
        let expected = if chosen.is_none() { vec![id.clone()] } else { Vec::new() };
        for address in [nat, elsewhere] {
            assert_eq!(listed(address, json!({ "contextId": context })).await, expected, "{context}");
        }
        let found = from(&registry, elsewhere, "GetTask", &json!({ "id": id })).await;
        assert_eq!(found["result"]["id"], json!(id));
    }
}

#[tokio::test]
async fn unsupported_methods_return_their_error_codes() {
    let registry = TestRegistry::start().await;
    for (method, params, expected) in [
        ("SendStreamingMessage", newest("x"), -32004),
        ("message/stream", older("x", "kind"), -32004),
        ("tasks/sendSubscribe", older("x", "type"), -32004),
        ("SubscribeToTask", json!({ "id": "x" }), -32004),
        ("tasks/resubscribe", json!({ "id": "x" }), -32004),
        ("CreateTaskPushNotificationConfig", json!({ "taskId": "x" }), -32003),
        ("tasks/pushNotificationConfig/set", json!({ "taskId": "x" }), -32003),
        ("tasks/pushNotification/get", json!({ "id": "x" }), -32003),
        ("GetExtendedAgentCard", json!({}), -32004),
        ("agent/getAuthenticatedExtendedCard", json!({}), -32007),
        (
            "SendMessage",
            json!({ "message": newest("help")["message"], "configuration": { "taskPushNotificationConfig": { "url": "https://x" } } }),
            -32003,
        ),
        (
            "SendMessage",
            json!({ "message": { "messageId": "m", "role": "ROLE_USER", "parts": [{ "raw": "aGk=" }] } }),
            -32005,
        ),
        ("sendmessage", newest("x"), -32601),
        ("GetTask", json!({ "id": "x\u{0}" }), -32001),
        ("GetTask", json!({ "id": "x".repeat(5000) }), -32001),
        ("tasks/send", json!({ "id": "x".repeat(129), "message": older("help", "type")["message"] }), -32602),
    ] {
        assert_eq!(code(&registry, method, &params).await, expected, "{method} {params}");
    }
    let reply = rpc(&registry, "GetTask", &json!({ "id": "x" })).await;
    assert_eq!(
        reply["error"]["data"],
        json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
                 "domain": "a2a-protocol.org", "metadata": { "taskId": "x" } }])
    );
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "help" });
    let plain = registry.post_raw("/api/a2a", Some("text/plain"), request.to_string()).await;
    assert_eq!((plain.status, &plain.body["error"]["code"]), (200, &json!(-32005)));
    let large =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "help", "params": { "x": "y".repeat(300_000) } });
    let large = registry.post("/api/a2a", &large).await;
    assert_eq!((large.status, &large.body["error"]["code"]), (200, &json!(-32600)));
    let unknown = registry.post("/api/a2a?A2A-Version=99.0", &request).await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (200, &json!(-32009)));
    assert!(unknown.header("x-request-id").len() > 8);
}

fn rest_error(reply: &Reply) -> (u16, &str, &str) {
    let error = &reply.body["error"];
    assert_eq!(error["code"], reply.status, "{reply:?}");
    (reply.status, error["status"].as_str().unwrap(), error["details"][0]["reason"].as_str().unwrap_or("-"))
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
        assert_eq!(rest_error(&again), (400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"));
    }
    let context = context.as_str().unwrap();
    let filters = "pageSize=2&status=TASK_STATE_CANCELED&includeArtifacts=true";
    let listed = registry.get(&format!("/api/a2a/tasks?contextId={context}&{filters}")).await;
    assert_eq!((listed.body["tasks"].as_array().unwrap().len(), &listed.body["totalSize"]), (2, &json!(3)));
    let own = registry.get_with("/api/a2a/tasks", ("accept", "application/a2a+json, application/json")).await;
    assert_eq!(own.header("content-type"), "application/a2a+json");

    assert_eq!(rest_error(&registry.get("/api/a2a/tasks/x").await), (404, "NOT_FOUND", "TASK_NOT_FOUND"));
    assert_eq!(rest_error(&registry.get("/api/a2a/tasks?pageSize=x").await).0, 400);
    assert_eq!(rest_error(&registry.get("/api/a2a/nothing/here/at/all").await).0, 404);
    let stream = registry.post("/api/a2a/message:stream", &newest("x")).await;
    assert_eq!(rest_error(&stream), (400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"));
    let push = registry.get("/api/a2a/tasks/x/pushNotificationConfigs").await;
    assert_eq!(rest_error(&push), (400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"));
    assert_eq!(rest_error(&registry.get("/api/a2a/extendedAgentCard").await).2, "UNSUPPORTED_OPERATION");
    let wrong = registry.get("/api/a2a/message:send").await;
    assert_eq!((rest_error(&wrong).0, wrong.header("allow")), (405, "POST"));
    let wrong = registry.post("/api/a2a/tasks", &json!({})).await;
    assert_eq!((rest_error(&wrong).0, wrong.header("allow")), (405, "GET, HEAD"));
    let plain = registry.post_raw("/api/a2a/message:send", Some("text/plain"), "{}").await;
    assert_eq!(rest_error(&plain), (415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"));
    let broken = registry.post_raw("/api/a2a/message:send", Some("application/json"), "{").await;
    assert_eq!(rest_error(&broken).0, 400);
    let version = registry.get_with("/api/a2a/tasks", ("a2a-version", "99.0")).await;
    assert_eq!(rest_error(&version), (400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"));
}

/// API Gateway has no route for this path: the request reaches either the function of `$default`, as here, or that of
/// `{proxy+}`.
#[tokio::test]
async fn endpoint_with_a_slash_is_the_same_endpoint() {
    let registry = TestRegistry::start().await;
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "help" });
    let redirect = plain_client().get(registry.url("/api/a2a/")).send().await.unwrap();
    assert_eq!(redirect.status().as_u16(), 308);
    assert_eq!(redirect.headers()["location"], "/api/a2a");
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
