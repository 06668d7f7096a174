//! Tests that replies agree with `/openapi.json`, which describes the status, headers, media type and schema of each
//! reply. `make openapi` sends generated requests. These tests send requests about listings that exist.

use std::collections::BTreeSet;

use form_urlencoded::Serializer;
use jsonschema::Registry;
use registry::operations::{CATALOGUE, RouteInput};
use serde_json::{Map, Value, json};
use tests::test_registry::{Reply, TestRegistry};

use super::links::{example_of, registry_after_funnel};

/// The URI under which schemas refer to the document.
const DOCUMENT_URI: &str = "https://registry.example.com/openapi.json";

/// The OpenAPI document, and how many replies were checked against it.
struct Description<'a> {
    document: &'a Value,
    schemas: Registry<'a>,
    checked: usize,
}

impl<'a> Description<'a> {
    fn of(document: &'a Value) -> Self {
        let schemas = Registry::new().add(DOCUMENT_URI, document).unwrap().prepare().unwrap();
        Self { document, schemas, checked: 0 }
    }

    /// Checks a reply against its description.
    fn check(&mut self, method: &str, path: &str, reply: &Reply) {
        let place = format!("/paths/{}/{}/responses/{}", escaped(path), method.to_lowercase(), reply.status);
        let (place, response) = self.resolved(place);
        assert!(response.is_object(), "{method} {path}: the status is not described: {reply:?}");
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = header["$ref"].as_str().map_or(header, |to| self.at(&to[1..]));
            let is_present = reply.headers.contains_key(name);
            assert!(is_present || header["required"] != true, "{method} {path} has no {name}: {reply:?}");
        }
        let media_type = reply.header("content-type").split(';').next().unwrap_or_default();
        let content = response.get("content").map(|content| &content[media_type]);
        let Some(content) = content else {
            assert_eq!(reply.body, json!(""), "{method} {path}: the body is not described");
            return;
        };
        assert!(content.is_object(), "{method} {path}: `{media_type}` is not described: {reply:?}");
        if content["schema"].is_object() {
            let schema =
                json!({ "$ref": format!("{DOCUMENT_URI}#{place}/content/{}/schema", escaped(media_type)) });
            let validator = jsonschema::options().with_registry(&self.schemas).build(&schema).unwrap();
            let faults: Vec<String> = validator
                .iter_errors(&reply.body)
                .map(|fault| format!("{}: {fault}", fault.instance_path()))
                .collect();
            assert!(faults.is_empty(), "{method} {path} {}:\n{}", reply.status, faults.join("\n"));
        }
        self.checked += 1;
    }

    fn at(&self, place: &str) -> &'a Value {
        self.document.pointer(place).unwrap_or(&Value::Null)
    }

    /// The value at a JSON pointer, with a `$ref` resolved.
    fn resolved(&self, place: String) -> (String, &'a Value) {
        let value = self.at(&place);
        match value["$ref"].as_str() {
            Some(to) => (to[1..].to_owned(), self.at(&to[1..])),
            None => (place, value),
        }
    }
}

/// Escapes a name for a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Every described call, with its path and method.
fn calls(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, calls)| {
        calls.as_object().unwrap().iter().map(move |(method, call)| (path.as_str(), method.as_str(), call))
    })
}

/// A path with arguments in its query. Lists and objects are left out.
fn with_query(path: &str, arguments: &Map<String, Value>) -> String {
    let mut query = Serializer::new(String::new());
    for (name, value) in arguments {
        match value {
            Value::String(text) => drop(query.append_pair(name, text)),
            Value::Number(_) | Value::Bool(_) => drop(query.append_pair(name, &value.to_string())),
            _ => {}
        }
    }
    format!("{path}?{}", query.finish())
}

/// Sends a call with the arguments in the query or in the body.
async fn send(registry: &TestRegistry, method: &str, path: &str, arguments: &Map<String, Value>) -> Reply {
    match method {
        "POST" => registry.post(path, &json!(arguments)).await,
        _ => registry.get(&with_query(path, arguments)).await,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_and_calls_without_arguments_match_openapi() {
    let (pair, ..) = registry_after_funnel().await;
    let registry = &pair.registry;
    let document = registry.get("/openapi.json").await.body;
    let mut description = Description::of(&document);
    for (path, method, call) in calls(&document) {
        let is_required = |parameter: &Value| parameter["required"] == true;
        let has_no_required_parameter = !call["parameters"].as_array().into_iter().flatten().any(is_required);
        if method == "get" && has_no_required_parameter {
            let reply = registry.get(path).await;
            assert_eq!(reply.status, 200, "{path}: {reply:?}");
            description.check(method, path, &reply);
        }
        if method == "post" && has_no_required_parameter && call["requestBody"].is_object() {
            let content = &call["requestBody"]["content"]["application/json"];
            let one = content.get("example");
            let several = content["examples"].as_object().into_iter().flatten().map(|(_, one)| &one["value"]);
            for example in one.into_iter().chain(several) {
                let reply = registry.post(path, example).await;
                description.check(method, path, &reply);
            }
            let json_type = Some("application/json");
            for (content_type, body) in [(json_type, "{"), (json_type, "[7]"), (Some("text/plain"), "x")] {
                let reply = registry.post_raw(path, content_type, body).await;
                description.check(method, path, &reply);
            }
        }
    }
    assert!(description.checked > 200, "only {} replies were checked", description.checked);
}

/// Operations that do not succeed in this test. Some require the operator token, some were already done, and two are not
/// REST calls but parts of documents.
const NEVER_SUCCEEDING: [&str; 11] = [
    "bump_acceleration",
    "evaporate",
    "execute_compose",
    "federation_pull",
    "federation_push",
    "get_founding_deal",
    "leave_feedback",
    "revoke_attestation",
    "rotate_signing_key",
    "search_active",
    "used_with",
];

#[tokio::test(flavor = "multi_thread")]
async fn success_and_refusal_of_every_operation_match_openapi() {
    let (pair, secrets, _) = registry_after_funnel().await;
    let registry = &pair.registry;
    let document = registry.get("/openapi.json").await.body;
    let mut description = Description::of(&document);
    let mut failing: BTreeSet<&str> = CATALOGUE.iter().map(|entry| entry.name).collect();
    for entry in CATALOGUE {
        let mut requests: Vec<(&str, &str, Option<&str>)> = Vec::new();
        for route in entry.routes {
            match route.input {
                RouteInput::BodyAs(_) => requests.push(("POST", route.path, None)),
                RouteInput::BodyByAction => {}
                _ => requests.push(("GET", route.path, None)),
            }
        }
        for action in entry.actions {
            let methods = if entry.effect.read_only { &["POST", "GET"][..] } else { &["POST"][..] };
            requests
                .extend(methods.iter().map(|method| (*method, action.path, action.names.first().copied())));
        }
        for (method, path, action) in requests {
            let unknown: Map<String, Value> = serde_json::from_str(entry.example).unwrap();
            let existing = [&pair.agent, &pair.server].map(|id| example_of(entry, id, &pair, &secrets));
            for mut arguments in [existing[0].clone(), existing[1].clone(), unknown, Map::new()] {
                if let Some(action) = action {
                    arguments.insert("action".to_owned(), json!(action));
                }
                let reply = send(registry, method, path, &arguments).await;
                description.check(method, path, &reply);
                if reply.status == 200 {
                    failing.remove(entry.name);
                }
            }
        }
    }
    assert_eq!(failing.into_iter().collect::<Vec<_>>(), NEVER_SUCCEEDING);
    assert!(description.checked > 400, "only {} replies were checked", description.checked);
}

/// Without this test, a check that never fails would not be noticed.
#[tokio::test]
#[should_panic(expected = "is not of type")]
async fn reply_that_breaks_its_schema_is_detected() {
    let registry = TestRegistry::start().await;
    let document = registry.get("/openapi.json").await.body;
    let mut reply = registry.get("/api/feed").await;
    reply.body["items"] = json!("none");
    Description::of(&document).check("GET", "/api/feed", &reply);
}
