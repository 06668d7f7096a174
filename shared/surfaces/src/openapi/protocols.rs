//! The calls of protocols that others define: A2A, MCP, ARD, the API of the official MCP registry, and the events of
//! Stripe. The schemas come from the types and parsers of these protocols. Names, summaries and statuses are written
//! here, because no type knows them.

use schemars::generate::SchemaSettings;
use schemars::schema_for;

use super::components::Components;
use super::responses::{self, named_refusals};
use super::{parameters, tag};
use crate::a2a::{A2aStatus, v1};
use crate::ard::{self, browse, explore, search};
use crate::documents::PUBLIC_AGENTS;
use crate::documents::agent_directory::DirectoryQuery;
use crate::json_rpc;
use crate::mcp::McpDescription;
use crate::prelude::*;
use crate::registry_api::{self, Facets, Health, LIST_PARAMETERS, Matches, ServerList};
use registry_domain::payments::Event;
use registry_domain::views::ServerResponse;
use registry_model::protocol::{MCP_ENDPOINT, MCP_REVISIONS, MCP_SHORT_ENDPOINT};
use registry_operations::ARD_SEARCH;
use registry_search::MAX_QUERY_CHARS;

const JSON: &str = "application/json";

pub(super) fn add(paths: &mut Map<String, Value>, components: &mut Components) {
    for protocol in [a2a, mcp, ard, registry_api, stripe] {
        for Call { method, path, description } in protocol(components) {
            paths.entry(path).or_insert_with(|| json!({}))[method] = description;
        }
    }
}

struct Call {
    method: &'static str,
    path: &'static str,
    description: Value,
}

impl Call {
    fn get(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new("get", path, id, summary)
    }

    fn post(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new("post", path, id, summary)
    }

    fn new(method: &'static str, path: &'static str, id: &str, summary: &str) -> Self {
        let description = json!({ "operationId": id, "summary": summary, "tags": [tag(path)] });
        Self { method, path, description }
    }

    fn described(self, text: &str) -> Self {
        self.with("description", json!(text))
    }

    fn with_parameters(self, parameters: &[Value]) -> Self {
        if parameters.is_empty() { self } else { self.with("parameters", json!(parameters)) }
    }

    fn with_body(self, schema: &Value, examples: &[Value]) -> Self {
        let examples =
            examples.iter().zip(1..).map(|(one, number)| (format!("{number}"), json!({ "value": one })));
        let content = json!({ JSON: { "schema": schema, "examples": Map::from_iter(examples) } });
        self.with("requestBody", json!({ "required": true, "content": content }))
    }

    /// An answer with this schema, and errors.
    fn answers(self, schema: &Value, errors: Map<String, Value>) -> Self {
        self.answers_as(&content(&[JSON], schema), false, errors)
    }

    fn answers_as(self, content: &Map<String, Value>, is_cached: bool, errors: Map<String, Value>) -> Self {
        let summary = self.description["summary"].as_str().unwrap_or_default();
        let mut all = responses::success(summary, content, is_cached);
        all.extend(errors);
        self.with("responses", json!(all))
    }

    fn with(mut self, member: &str, value: Value) -> Self {
        self.description[member] = value;
        self
    }
}

fn content(media_types: &[&str], schema: &Value) -> Map<String, Value> {
    media_types.iter().map(|media_type| ((*media_type).to_owned(), json!({ "schema": schema }))).collect()
}

/// The errors of a protocol: their content, and what a status means if it means something else than usual.
struct Errors {
    content: Map<String, Value>,
    meanings: &'static [(u16, &'static str)],
}

impl Errors {
    /// `problems`: statuses of problem documents, most of them refusals of the middleware.
    fn of(&self, statuses: &[u16], problems: &[u16]) -> Map<String, Value> {
        let mut all = named_refusals(problems);
        for status in statuses {
            let meaning = self.meanings.iter().find(|(of, _)| of == status).map(|(_, meaning)| *meaning);
            all.insert(status.to_string(), responses::refusal_with(*status, meaning, &self.content));
        }
        all
    }
}

/// The reference to the schema of what a type is serialized to.
fn output<T: JsonSchema>(components: &mut Components) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.subschema_for::<T>().to_value();
    schema["$defs"] = json!(generator.take_definitions(true));
    components.adopt("Protocol", schema)
}

fn in_path(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

fn a2a(components: &mut Components) -> Vec<Call> {
    let media_types = [JSON, "application/a2a+json"];
    let errors = Errors {
        content: content(&media_types, &output::<v1::ErrorBody>(components)),
        meanings: &[
            (400, "Invalid request; `error.details` names the field."),
            (404, "No such task."),
            (415, "The content type is not JSON, or the message contains only files."),
        ],
    };
    // Both the middleware and the protocol limit requests.
    let mut too_many = errors.content.clone();
    too_many.extend(responses::problems());
    let refusals = |statuses: &[u16], problems: &[u16]| {
        let mut all = errors.of(&[statuses, &[503]].concat(), problems);
        all.insert("429".to_owned(), responses::refusal_with(429, None, &too_many));
        all
    };
    let message = |text| json!({ "message": { "messageId": "9f4a", "role": "ROLE_USER", "parts": [{ "text": text }] } });
    let find = message("find an agent that forecasts the weather");
    let calls = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": find }),
        json!({ "jsonrpc": "2.0", "id": "2", "method": "message/send", "params": message("help") }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "help" }),
    ];
    let send = components.adopt_as("A2aSend", v1::send_schema());
    let sent = content(&media_types, &output::<v1::Sent>(components));
    let send_at = |path, id| {
        let call = Call::post(path, id, "Send a message").with_body(&send, std::slice::from_ref(&find));
        call.described(
            "The REST binding of A2A 1.0. A message in plain words is understood; a data part {\"operation\": …, \
             \"arguments\": {…}} runs that operation.",
        )
        .answers_as(&sent, false, refusals(&[400, 404, 415], &[403]))
    };
    let task = output::<v1::Task>(components);
    let id = in_path("id", "The id of the task.", &v1::task_id_schema());
    let history = json!({ "properties": { "historyLength": v1::history_length_schema() } });
    let history = parameters::of_query(&history, "A2aTask", components);
    let response = components.adopt_as("JsonRpcResponse", json_rpc::response_schema());
    let mut rpc = Call::post("/api/a2a", "a2a_rpc", "A2A by JSON-RPC")
        .described(
            "JSON-RPC 2.0 in the dialects 1.0, 0.3 and 0.2 of A2A. Every body gets HTTP 200; an invalid call gets a \
             JSON-RPC error. A call has the form of JsonRpcRequest; call `help` for the methods.",
        )
        .with_body(&json!({ "description": "A call: see JsonRpcRequest." }), &calls)
        .answers(&response, named_refusals(&[403, 429, 503]));
    rpc.description["requestBody"]["required"] = json!(false);
    vec![
        Call::get("/api/a2a", "a2a_status", "Describe the A2A endpoint")
            .answers(&output::<A2aStatus>(components), named_refusals(&[429, 503])),
        rpc,
        send_at("/api/a2a/message:send", "a2a_send"),
        send_at("/message:send", "a2a_send_at_root"),
        Call::get("/api/a2a/tasks", "a2a_list_tasks", "List the tasks of a context")
            .with_parameters(&parameters::of_query(&v1::list_schema(), "A2aTasks", components))
            .answers(&output::<v1::TaskList>(components), refusals(&[400], &[])),
        Call::get("/api/a2a/tasks/{id}", "a2a_get_task", "Read a task")
            .with_parameters(&[vec![id.clone()], history].concat())
            .answers(&task, refusals(&[400, 404], &[])),
        Call::post("/api/a2a/tasks/{id}:cancel", "a2a_cancel_task", "Cancel a task")
            .with_parameters(&[id])
            .answers(&task, refusals(&[400, 404], &[403])),
    ]
}

fn mcp(components: &mut Components) -> Vec<Call> {
    let description = output::<McpDescription>(components);
    let message = components.adopt_as("JsonRpcRequest", json_rpc::request_schema());
    let response = components.adopt_as("JsonRpcResponse", json_rpc::response_schema());
    let meanings = &[(400, "Not a message of this protocol."), (404, "Unknown method.")];
    let errors = Errors { content: content(&[JSON], &response), meanings };
    let batch = json!({
        "type": "array", "minItems": 1, "maxItems": json_rpc::MAX_BATCH_LENGTH,
        "description": "A batch, in revision 2025-03-26; each call gets its own answer.",
    });
    let replies = json!({ "anyOf": [response, { "type": "array", "items": response, "minItems": 1 }] });
    let client = json!({ "name": "client", "version": "1" });
    let initialize = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client });
    let tool = json!({ "name": "search_active", "arguments": { "kind": "mcp", "limit": 3 } });
    let examples = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": tool }),
    ];
    let about_messages = format!(
        "Revisions {}, without sessions. A call in the newest revision contains its version in `params._meta` and in \
         headers, as that revision requires; this schema describes calls that need neither.",
        MCP_REVISIONS.join(", ")
    );
    let calls = |path, describe, rpc| {
        let mut post = Call::post(path, rpc, "MCP by streamable HTTP")
            .described(&about_messages)
            .with_body(&json!({ "anyOf": [message, batch] }), &examples)
            .answers(&replies, errors.of(&[400, 404, 413, 415], &[403, 429, 503]));
        let headers = json!({ "x-request-id": { "$ref": "#/components/headers/RequestId" } });
        post.description["responses"]["202"] =
            json!({ "description": "A notification was accepted.", "headers": headers });
        let get = Call::get(path, describe, "Describe the MCP endpoint")
            .described("A client that requests an event stream gets 405: the endpoint is stateless.")
            .answers(&description, named_refusals(&[405, 429, 503]));
        [get, post]
    };
    let at_both = [
        calls(MCP_ENDPOINT, "mcp_describe", "mcp_rpc"),
        calls(MCP_SHORT_ENDPOINT, "mcp_short_describe", "mcp_short_rpc"),
    ];
    at_both.into_iter().flatten().collect()
}

fn ard(components: &mut Components) -> Vec<Call> {
    let errors = content(&[JSON], &output::<ard::ErrorBody>(components));
    let errors = Errors { content: errors, meanings: &[(400, "Invalid request.")] };
    let mut either = Errors { content: errors.content.clone(), ..errors };
    either.content.extend(responses::problems());
    let own = components.adopt_as("ArdSearchArguments", (ARD_SEARCH.input_schema)());
    let alias = json!({
        "type": "object",
        "description": "`query` as an alias of `q`.",
        "properties": {
            "query": { "type": "string", "maxLength": MAX_QUERY_CHARS },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 100 },
        },
        "required": ["query"],
    });
    let search = components.adopt_as("ArdSearch", search::schema());
    let own_answer = components.adopt_as("ArdSearchAnswer", (ARD_SEARCH.output_schema)());
    let hits = json!({ "anyOf": [own_answer, output::<search::Results>(components)] });
    let searches = [
        json!({ "q": "weather forecast", "limit": 5 }),
        json!({ "query": { "text": "weather forecast" }, "pageSize": 5 }),
    ];
    let explore = components.adopt_as("ArdExplore", explore::schema());
    let list = parameters::of_query(&schema_for!(browse::ListQuery).to_value(), "ArdList", components);
    let directory = components.adopt_as("DirectoryQuery", schema_for!(DirectoryQuery).to_value());
    let agents = components.adopt_as("AgentsPublicDocument", (PUBLIC_AGENTS.answer_schema)());
    vec![
        Call::get("/api/ard/", "ard_about", "Describe the ARD API")
            .answers(&output::<ard::About>(components), named_refusals(&[429, 503])),
        Call::post("/api/ard/search", "ard_search_post", "Search in plain words, or by the ARD standard")
            .described(
                "ARD 0.9 §7.2 if `query` is an object, otherwise the registry's own search with `q`. Answers and \
                 errors have the same form as the request.",
            )
            .with_body(&json!({ "anyOf": [own, search, alias] }), &searches)
            .answers(&hits, either.of(&[400, 503], &[403, 413, 415, 422, 429])),
        Call::post("/api/ard/explore", "ard_explore", "Count Live listings")
            .described("ARD 0.9 §7.3.")
            .with_body(&explore, &[json!({ "resultType": { "facets": [{ "field": "type" }] } })])
            .answers(&output::<explore::Explored>(components), errors.of(&[400, 413, 415, 503], &[403, 429])),
        Call::get("/api/ard/agents", "ard_list", "Browse Live listings")
            .described("ARD 0.9 §7.4.")
            .with_parameters(&list)
            .answers(&output::<browse::List>(components), errors.of(&[400, 503], &[429])),
        Call::post("/agents/search", "search_agents_post", "Search Live agents by words or skill")
            .with_body(&directory, &[json!({ "q": "weather", "limit": 5 })])
            .answers(&agents, responses::refusals(&[], false, true)),
    ]
}

fn registry_api(components: &mut Components) -> Vec<Call> {
    const VERSIONS: &str = "/v0.1/servers/{serverName}/versions";
    const VERSION: &str = "/v0.1/servers/{serverName}/versions/{version}";
    const SEARCH: &str = "/v0.1/x/{namespace}/search";
    const HEALTH: &str = "/v0.1/x/{namespace}/health";
    const FACETS: &str = "/v0.1/x/{namespace}/facets";
    let errors = Errors {
        content: content(&[JSON], &output::<registry_api::ErrorBody>(components)),
        meanings: &[
            (400, "The cursor, the time or the search text is invalid."),
            (401, "This API is read-only: publish with POST /api/publish."),
            (403, "This API is read-only for everyone: publish with POST /api/publish."),
            (404, "No such server or version is listed here."),
        ],
    };
    let text = json!({ "type": "string", "format": "listed-server-name" });
    let mut name = in_path("serverName", "The name of the server; the slash may be encoded.", &text);
    name["example"] = json!("com.example.weather/forecast");
    let mut version = in_path("version", "The version, or `latest`.", &json!({ "type": "string" }));
    version["example"] = json!("latest");
    let of_version = [name.clone(), version];
    let reversed_host = json!({ "type": "string", "pattern": "^[a-z0-9]([a-z0-9.-]{0,40}[a-z0-9])?$" });
    let about_namespace = "The reversed host of this registry, as in the `_meta` keys of its answers.";
    let namespace = in_path("namespace", about_namespace, &reversed_host);
    let mut query =
        |names: &[&str]| parameters::of_query(&registry_api::query_schema(names), "ServerList", components);
    let of_list = query(&LIST_PARAMETERS);
    let mut extension = |names: &[&str]| [vec![namespace.clone()], query(names)].concat();
    let of_search = extension(&["q", "limit", "access"]);
    let of_health = extension(&[&["name"], &LIST_PARAMETERS[..]].concat());
    let of_facets = extension(&["q", "access"]);
    let [list, server] = [output::<ServerList>(components), output::<ServerResponse>(components)];
    let matches = output::<Matches>(components);
    let [health, facets] = [output::<Health>(components), output::<Facets>(components)];
    let of = |name: &str, value: Value| json!({ "type": "object", "properties": { name: value }, "required": [name] });
    let alive = of("status", json!({ "const": "ok" }));
    let pong = of("pong", json!({ "const": true }));
    let about = of("version", json!({ "type": "string" }));
    let read = |path, id, summary, parameters: &[Value], schema: &Value, statuses: &[u16]| {
        let errors = errors.of(&[statuses, &[503]].concat(), &[429]);
        let call = Call::get(path, id, summary).with_parameters(parameters);
        call.answers_as(&content(&[JSON], schema), true, errors)
    };
    let refused = |method, path, id, parameters: &[Value]| {
        let mut refusals = errors.of(&[401, 403], &[429]);
        let meaning = "The scheme of the official registry.";
        refusals["401"]["headers"]["WWW-Authenticate"] =
            json!({ "description": meaning, "required": true, "schema": { "type": "string" } });
        let call = Call::new(method, path, id, "Not supported: publish with POST /api/publish");
        call.with_parameters(parameters).with("responses", json!(refusals))
    };
    vec![
        read("/v0.1/servers", "list_servers", "List servers", &of_list, &list, &[400, 422])
            .described("Like the official MCP registry. The same is served below `/v0`."),
        read(VERSIONS, "list_server_versions", "The versions of a server", &[name], &list, &[404, 422]),
        read(VERSION, "get_server_version", "A version of a server", &of_version, &server, &[404, 422]),
        refused("put", VERSION, "edit_server_version", &of_version),
        refused("delete", VERSION, "delete_server_version", &of_version),
        refused("post", "/v0.1/publish", "publish_server", &[]),
        read("/v0.1/health", "registry_api_health", "Check that this API works", &[], &alive, &[]),
        read("/v0.1/ping", "registry_api_ping", "Ping", &[], &pong, &[]),
        read("/v0.1/version", "registry_api_version", "The version of this service", &[], &about, &[]),
        read(SEARCH, "search_servers", "Search servers by meaning", &of_search, &matches, &[404, 422]),
        read(HEALTH, "server_health", "Health of servers", &of_health, &health, &[400, 404, 422]),
        read(FACETS, "server_facets", "Count servers by category", &of_facets, &facets, &[404, 422]),
    ]
}

fn stripe(components: &mut Components) -> Vec<Call> {
    let event = components.adopt_as("StripeEvent", schema_for!(Event).to_value());
    let receipt = json!({
        "type": "object",
        "properties": { "ok": { "const": true }, "received": { "type": "string" } },
        "required": ["ok", "received"],
    });
    let signature = json!({
        "name": "stripe-signature", "in": "header", "required": true, "schema": { "type": "string" },
        "description": "Time and signatures, in the format of Stripe.",
    });
    let call =
        Call::post("/api/products/checkout/webhook", "payment_webhook", "Receive payment events from Stripe")
            .described("Only Stripe calls this; it signs the raw body.")
            .with_parameters(&[signature])
            .with_body(&event, &[])
            .answers(&receipt, named_refusals(&[400, 403, 413, 415, 429, 503]));
    vec![call]
}
