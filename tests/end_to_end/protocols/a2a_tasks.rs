//! Tests the tasks of A2A: how they ask for input, are listed, canceled and deleted. To read, list or cancel a task, a caller
//! must know the id or the context of the task.

use std::time::Duration;

use registry::model::LimitedAction;
use tests::prelude::*;

use super::a2a_dialects::{as_task, code, newest, older, result, task_id};
use crate::fixtures::live_agent;

/// The last byte of the addresses of two callers.
const ALICE: u8 = 2;
const BOB: u8 = 3;

/// A call from the address 127.0.0.`caller`.
async fn from(registry: &TestRegistry, caller: u8, method: &str, params: &Value) -> Value {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    registry.post_from([127, 0, 0, caller].into(), "/api/a2a", &call).await.body
}

/// The task that a message starts or continues.
async fn task_of(registry: &TestRegistry, message: &Value) -> Value {
    result(registry, "SendMessage", message).await["task"].clone()
}

/// A message that continues a task.
fn in_task(task: &Value, text: &str) -> Value {
    let mut message = newest(text);
    message["message"]["taskId"] = task["id"].clone();
    message
}

/// The ids of the tasks on a page.
fn listed(page: &Value) -> Vec<String> {
    page["tasks"].as_array().unwrap().iter().map(task_id).collect()
}

/// A task id that a client chose and that nobody guesses.
const CLIENT_ID: &str = "client-9f86d081884c7d65";

#[tokio::test]
async fn task_asks_for_missing_input_and_continues() {
    let registry = TestRegistry::start().await;
    let task = task_of(&registry, &newest("list my agent")).await;
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert!(task["status"]["message"]["parts"][0]["text"].as_str().unwrap().contains("Which URL?"));
    let feedback = newest("submit feedback for agtpub_0123456789abcdef0123");
    let feedback = task_of(&registry, &feedback).await;
    assert_eq!(feedback["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{feedback}");
    let mut next = in_task(&task, "it is at https://user:secret@agent.example.com");
    let failed = task_of(&registry, &next).await;
    assert_eq!((&failed["id"], &failed["status"]["state"]), (&task["id"], &json!("TASK_STATE_FAILED")));
    assert_eq!(failed["status"]["message"]["parts"][1]["data"]["error"]["code"], "user_info_in_url");
    assert_eq!(failed["history"].as_array().unwrap().len(), 3, "{failed}");
    assert_eq!(code(&registry, "SendMessage", &next).await, -32004, "the task is over");

    next["message"]["taskId"] = json!("no-such-task");
    assert_eq!(code(&registry, "SendMessage", &next).await, -32001);
    let waiting = task_of(&registry, &newest("list me")).await;
    next["message"]["taskId"] = waiting["id"].clone();
    next["message"]["contextId"] = json!("another");
    assert_eq!(code(&registry, "SendMessage", &next).await, -32602);
    let no = in_task(&waiting, "no, never mind");
    assert_eq!(task_of(&registry, &no).await["status"]["state"], "TASK_STATE_CANCELED");
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
    let done = task_id(&task_of(&registry, &as_task("help")).await);
    let waiting = task_id(&task_of(&registry, &newest("list me")).await);
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
        registry.advance(Duration::from_secs(1));
        let mut params = if n == 2 { newest("list me") } else { as_task("help") };
        params["message"]["contextId"] = context.clone();
        let task = task_of(&registry, &params).await;
        context = task["contextId"].clone();
        ids.push(task_id(&task));
    }
    ids.reverse();
    let another = task_of(&registry, &newest("list me")).await["contextId"].clone();
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
    let oldest = json!({ "id": CLIENT_ID, "message": older("colourless green ideas", "type")["message"] });
    let task = from(&registry, ALICE, "SendMessage", &newest("list me")).await;
    assert_eq!(from(&registry, ALICE, "tasks/send", &oldest).await["result"]["id"], CLIENT_ID);
    let next = in_task(&task["result"]["task"], "I mean my agent");
    assert!(from(&registry, ALICE, "SendMessage", &next).await["result"]["task"].is_object());
    for (method, params) in [
        ("SendMessage", newest("list me")),
        ("tasks/send", oldest),
        ("SendMessage", as_task("help")),
        ("SendMessage", next),
    ] {
        let refused = from(&registry, ALICE, method, &params).await["error"].clone();
        assert_eq!(refused["code"], -32000, "{refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("hourly rate limit for your address is exceeded"), "{refused}");
        assert_eq!(refused["data"][0]["retryDelay"], "3600s", "{refused}");
    }
    assert!(from(&registry, ALICE, "SendMessage", &newest("help")).await["result"]["message"].is_object());
    assert!(from(&registry, BOB, "SendMessage", &newest("list me")).await["result"]["task"].is_object());
    for _ in 0..3 {
        registry.post("/api/a2a/message:send", &newest("list me")).await.ok();
    }
    let rest = registry.post("/api/a2a/message:send", &newest("list me")).await;
    assert_eq!((rest.status, rest.header("retry-after")), (429, "3600"), "{rest:?}");
    assert_eq!(rest.body["error"]["status"], "RESOURCE_EXHAUSTED");
    registry.advance(Duration::from_secs(3600));
    assert!(from(&registry, ALICE, "SendMessage", &newest("list me")).await["result"]["task"].is_object());
}

#[tokio::test]
async fn long_messages_are_stored_truncated() {
    let registry = TestRegistry::start().await;
    let mut long = newest(&format!("list me, and do it soon. {}", "Thank you very much! ".repeat(4000)));
    long["message"]["metadata"] = json!({ "x": "y".repeat(100_000) });
    let task = task_of(&registry, &long).await;
    let mut next = long.clone();
    for _ in 0..5 {
        next["message"]["taskId"] = task["id"].clone();
        result(&registry, "SendMessage", &next).await;
    }
    let table = registry.table().await;
    let items = table.items_under("TASK");
    let size: usize = items.iter().map(|item| item.to_string().len()).sum();
    assert!(items.len() == 2 && size < 52 * 1024, "{} items of {size} bytes", items.len());

    let task = task_of(&registry, &long).await;
    let end = in_task(&task, "it is at https://user:secret@agent.example.com");
    let failed = task_of(&registry, &end).await;
    let parts = &failed["status"]["message"]["parts"];
    assert_eq!(parts[1]["data"]["error"]["code"], "user_info_in_url", "{failed}");
    let stored = result(&registry, "GetTask", &json!({ "id": task["id"] })).await;
    assert_eq!(stored["status"]["message"]["parts"][0], parts[0]);
    assert!(!stored.to_string().contains("secret@"), "a password is stored: {stored}");
}

#[tokio::test]
async fn tasks_expire_after_a_day() {
    let registry = TestRegistry::start().await;
    let task = task_of(&registry, &as_task("help")).await;
    let (id, context) = (task_id(&task), task["contextId"].clone());
    registry.advance(DAY - Duration::from_secs(1));
    assert_eq!(result(&registry, "GetTask", &json!({ "id": id })).await["id"], json!(id));
    registry.advance(Duration::from_secs(1));
    let expired = code(&registry, "GetTask", &json!({ "id": id })).await;
    assert_eq!(expired, -32001, "expired, although not yet deleted");
    assert_eq!(result(&registry, "ListTasks", &json!({ "contextId": context })).await["totalSize"], 0);
    let table = registry.table().await;
    let items = table.items_under("TASK");
    assert_eq!(items.len(), 2, "the task and its row in the list of its context");
    assert!(items.iter().all(|item| item["ttl"] == registry.now().as_second()), "{items:?}");
}

#[tokio::test]
async fn client_cannot_read_tasks_of_another_client() {
    let registry = TestRegistry::start().await;
    let sent = |text: &str| json!({ "id": CLIENT_ID, "message": older(text, "type")["message"] });
    let first = from(&registry, ALICE, "tasks/send", &sent("list me")).await;
    assert_eq!(first["result"]["status"]["state"], "input-required");
    let assert_hidden = async |method: &str, id: &str| {
        let answer = from(&registry, BOB, method, &json!({ "id": id })).await;
        assert_eq!(answer["error"]["code"], -32001, "{method} {id}");
    };
    assert_hidden("tasks/get", CLIENT_ID).await;
    assert_hidden("tasks/cancel", CLIENT_ID).await;
    let second = from(&registry, BOB, "tasks/send", &sent("help")).await;
    assert_eq!(second["result"]["status"]["state"], "completed");
    let own = from(&registry, ALICE, "tasks/get", &json!({ "id": CLIENT_ID })).await;
    assert_eq!(own["result"]["status"]["state"], "input-required");

    // A client may send a task with the same id again. The new task replaces the old one, also in the list of its context.
    let again = from(&registry, BOB, "tasks/send", &sent("help")).await;
    assert_eq!(again["result"]["id"], CLIENT_ID);
    for (task, total) in [(&second, 0), (&again, 1)] {
        let listed = json!({ "contextId": task["result"]["contextId"] });
        assert_eq!(from(&registry, BOB, "ListTasks", &listed).await["result"]["totalSize"], total);
        assert_eq!(from(&registry, ALICE, "ListTasks", &listed).await["result"]["totalSize"], 0);
    }

    // An id that the registry generated works from any address, and no client can overwrite its task.
    let ours = from(&registry, ALICE, "SendMessage", &as_task("help")).await["result"]["task"]["id"].clone();
    assert_eq!(from(&registry, BOB, "GetTask", &json!({ "id": ours })).await["result"]["id"], ours);
    let taken = json!({ "id": ours, "message": older("list me", "type")["message"] });
    from(&registry, BOB, "tasks/send", &taken).await;
    let still = from(&registry, ALICE, "GetTask", &json!({ "id": ours })).await;
    assert_eq!(still["result"]["status"]["state"], "TASK_STATE_COMPLETED");
    for id in ["OF#127.0.0.2#1", "F#127.0.0.2#1", "#1", "1#"] {
        assert_hidden("tasks/get", id).await;
    }
}

#[tokio::test]
async fn tasks_can_be_listed_only_by_a_generated_context_id() {
    let registry = TestRegistry::start().await;
    let mut contexts = Vec::new();
    for chosen in [None, Some("session-1"), Some("00112233-4455-8677-a899-aabbccddeeff")] {
        let mut params = newest("list me, ask somebody@example.com");
        params["message"]["contextId"] = json!(chosen);
        let task = from(&registry, ALICE, "SendMessage", &params).await["result"]["task"].clone();
        assert!(chosen.is_none_or(|chosen| task["contextId"] == chosen), "{task}");
        contexts.push((chosen, task["contextId"].as_str().unwrap().to_owned(), task_id(&task)));
    }
    let listed_from = async |address: u8, params: Value| {
        let page = from(&registry, address, "ListTasks", &params).await["result"].clone();
        assert_eq!(page["totalSize"], listed(&page).len());
        listed(&page)
    };
    // Many clients may share one address; none of them sees tasks of another.
    for without in [json!({}), json!({ "contextId": "" }), json!({ "status": "TASK_STATE_INPUT_REQUIRED" })] {
        assert_eq!(listed_from(ALICE, without).await, [""; 0]);
    }
    for (chosen, context, id) in contexts {
        // A context id that a client chose can be guessed, so its tasks are not listed. A generated one is secret.
        let expected = if chosen.is_none() { vec![id.clone()] } else { Vec::new() };
        for address in [ALICE, BOB] {
            assert_eq!(listed_from(address, json!({ "contextId": context })).await, expected, "{context}");
        }
        let found = from(&registry, BOB, "GetTask", &json!({ "id": id })).await;
        assert_eq!(found["result"]["id"], json!(id));
    }
}
