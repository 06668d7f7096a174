//! The calls of protocols that others define: A2A, MCP, ARD, the API of the official MCP registry, and the events of
//! Stripe. The schemas come from the types and parsers of these protocols. Names, summaries and statuses are written
//! here, because no type knows them.

use schemars::generate::SchemaSettings;
use schemars::schema_for;

use super::components::Components;
use super::responses::{self, refusals, refusals_as};
use super::{parameters, tag};
use crate::a2a::{A2aStatus, v1};
use crate::ard::{self, browse, explore, search};
use crate::documents::PUBLIC_AGENTS;
use crate::documents::agent_directory::DirectoryQuery;
use crate::errors::{ArdError, GoogleError, RegistryApiError};
use crate::json_rpc;
use crate::mcp::McpDescription;
use crate::prelude::*;
use crate::registry_api::{self, Facets, Health, LIST_PARAMETERS, Matches, ServerList};
use registry_features::listing::ServerResponse;
use registry_features::listing::operations::ARD_SEARCH;
use registry_features::products::payments::Event;
use registry_model::protocol::{MCP_ENDPOINT, MCP_REVISIONS, MCP_SHORT_ENDPOINT};
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
        let mut content = json!({ JSON: { "schema": schema } });
        for (example, number) in examples.iter().zip(1..) {
            content[JSON]["examples"][number.to_string()] = json!({ "value": example });
        }
        self.with("requestBody", json!({ "required": true, "content": content }))
    }

    fn answers(self, schema: &Value, errors: Map<String, Value>) -> Self {
        self.answers_as(&content(&[JSON], schema), errors)
    }

    fn answers_as(self, content: &Map<String, Value>, errors: Map<String, Value>) -> Self {
        self.with("responses", json!(responses::with_errors(content, errors)))
    }

    fn with(mut self, member: &str, value: Value) -> Self {
        self.description[member] = value;
        self
    }
}

fn content(media_types: &[&str], schema: &Value) -> Map<String, Value> {
    media_types.iter().map(|media_type| ((*media_type).to_owned(), json!({ "schema": schema }))).collect()
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
    let errors = content(&media_types, &output::<GoogleError>(components));
    let meaning = "400: `error.details` names the field or the reason, if there is one. 404: no such task. 415: the \
        content type is not JSON, or the message contains only files. Others: as in every call.";
    components.responses.insert("A2aError".to_owned(), responses::refusal(meaning, &errors));
    let errors = || refusals_as("A2aError");
    let message = |text| json!({ "message": { "messageId": "9f4a", "role": "ROLE_USER", "parts": [{ "text": text }] } });
    let find = message("find an agent that forecasts the weather");
    let calls = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": find }),
        json!({ "jsonrpc": "2.0", "id": "2", "method": "message/send", "params": message("help") }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "help" }),
    ];
    let send = components.adopt_as("A2aSend", v1::send_schema());
    let sent = content(&media_types, &output::<v1::Sent>(components));
    let send_at = |path, id, examples: &[Value]| {
        let call = Call::post(path, id, "Send a message").with_body(&send, examples);
        call.described(
            "The REST binding of A2A 1.0. A message in plain words is understood; a data part {\"operation\": …, \
             \"arguments\": {…}} runs that operation.",
        )
        .answers_as(&sent, errors())
    };
    let task = output::<v1::Task>(components);
    let id = in_path("id", "The id of the task.", &v1::task_id_schema());
    let history = json!({ "properties": { "historyLength": v1::history_length_schema() } });
    let history = parameters::query_parameters(&history, "A2aTask", components);
    let response = components.adopt_as("JsonRpcResponse", json_rpc::response_schema());
    let mut rpc = Call::post("/api/a2a", "a2a_rpc", "A2A by JSON-RPC")
        .described(
            "JSON-RPC 2.0 in the dialects 1.0, 0.3 and 0.2 of A2A. An invalid call gets HTTP 200 with a JSON-RPC error. \
             A call has the form of JsonRpcRequest; call `help` for the methods.",
        )
        .with_body(&json!({ "description": "A call: see JsonRpcRequest." }), &calls)
        .answers(&response, refusals(&[]));
    rpc.description["requestBody"]["required"] = json!(false);
    vec![
        Call::get("/api/a2a", "a2a_status", "Describe the A2A endpoint")
            .answers(&output::<A2aStatus>(components), refusals(&[])),
        rpc,
        send_at("/api/a2a/message:send", "a2a_send", &[find]),
        Call::get("/api/a2a/tasks", "a2a_list_tasks", "List the tasks of a context")
            .with_parameters(&parameters::query_parameters(&v1::list_schema(), "A2aTasks", components))
            .answers(&output::<v1::TaskList>(components), errors()),
        Call::get("/api/a2a/tasks/{id}", "a2a_get_task", "Read a task")
            .with_parameters(&[vec![id.clone()], history].concat())
            .answers(&task, errors()),
        Call::post("/api/a2a/tasks/{id}:cancel", "a2a_cancel_task", "Cancel a task")
            .with_parameters(&[id])
            .answers(&task, errors()),
    ]
}

fn mcp(components: &mut Components) -> Vec<Call> {
    let description = output::<McpDescription>(components);
    let message = components.adopt_as("JsonRpcRequest", json_rpc::request_schema());
    let response = components.adopt_as("JsonRpcResponse", json_rpc::response_schema());
    let meaning = "400: not a message of this protocol, or an unknown toolset. 404: unknown method.";
    components
        .responses
        .insert("McpError".to_owned(), responses::refusal(meaning, &content(&[JSON], &response)));
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
    let calls = |path, describe, rpc, examples: &[Value]| {
        let mut post = Call::post(path, rpc, "MCP by streamable HTTP")
            .described(&about_messages)
            .with_body(&json!({ "anyOf": [message, batch] }), examples)
            .answers(&replies, refusals_as("McpError"));
        post.description["responses"]["202"] = json!({ "description": "A notification was accepted." });
        let get = Call::get(path, describe, "Describe the MCP endpoint")
            .described("A client that requests an event stream gets 405: the endpoint is stateless.")
            .answers(&description, refusals(&[ErrorKind::MethodNotAllowed]));
        [get, post]
    };
    let at_both = [
        calls(MCP_ENDPOINT, "mcp_describe", "mcp_rpc", &examples),
        calls(MCP_SHORT_ENDPOINT, "mcp_short_describe", "mcp_short_rpc", &[]),
    ];
    at_both.into_iter().flatten().collect()
}

fn ard(components: &mut Components) -> Vec<Call> {
    let errors = content(&[JSON], &output::<ArdError>(components));
    let meaning = "400: invalid request. Others: as in every call.";
    components.responses.insert("ArdError".to_owned(), responses::refusal(meaning, &errors));
    let errors = || refusals_as("ArdError");
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
    let list =
        parameters::query_parameters(&schema_for!(browse::ListQuery).to_value(), "ArdList", components);
    let directory = components.adopt_as("DirectoryQuery", schema_for!(DirectoryQuery).to_value());
    let agents = components.adopt_as("AgentsPublicDocument", (PUBLIC_AGENTS.answer_schema)());
    vec![
        Call::get("/api/ard/", "ard_about", "Describe the ARD API")
            .answers(&output::<ard::About>(components), refusals(&[])),
        Call::post("/api/ard/search", "ard_search_post", "Search in plain words, or by the ARD standard")
            .described(
                "ARD 0.9 §7.2 if `query` is an object, otherwise the registry's own search with `q`. Answers and \
                 errors have the same form as the request.",
            )
            .with_body(&json!({ "anyOf": [own, search, alias] }), &searches)
            .answers(&hits, errors()),
        Call::post("/api/ard/explore", "ard_explore", "Count Live listings")
            .described("ARD 0.9 §7.3.")
            .with_body(&explore, &[json!({ "resultType": { "facets": [{ "field": "type" }] } })])
            .answers(&output::<explore::Explored>(components), errors()),
        Call::get("/api/ard/agents", "ard_list", "Browse Live listings")
            .described("ARD 0.9 §7.4.")
            .with_parameters(&list)
            .answers(&output::<browse::List>(components), errors()),
        Call::post("/agents/search", "search_agents_post", "Search Live agents by words or skill")
            .with_body(&directory, &[json!({ "q": "weather", "limit": 5 })])
            .answers(&agents, refusals(&[])),
    ]
}

fn registry_api(components: &mut Components) -> Vec<Call> {
    const VERSIONS: &str = "/v0.1/servers/{serverName}/versions";
    const VERSION: &str = "/v0.1/servers/{serverName}/versions/{version}";
    const SEARCH: &str = "/v0.1/x/{namespace}/search";
    const HEALTH: &str = "/v0.1/x/{namespace}/health";
    const FACETS: &str = "/v0.1/x/{namespace}/facets";
    let errors = content(&[JSON], &output::<RegistryApiError>(components));
    let meaning = "400 and 422: an argument is invalid, see `errors`. 401 and 403: this API is read-only, publish \
        with POST /api/publish. 404: no such server or version is listed here. Others: as in every call.";
    components.responses.insert("RegistryApiError".to_owned(), responses::refusal(meaning, &errors));
    let errors = || refusals_as("RegistryApiError");
    let text = json!({ "type": "string", "format": "listed-server-name" });
    let mut name = in_path("serverName", "The name of the server; the slash may be encoded.", &text);
    name["example"] = json!("com.example.weather/forecast");
    let mut version = in_path("version", "The version, or `latest` by time.", &json!({ "type": "string" }));
    version["example"] = json!("latest");
    let of_version = [name.clone(), version];
    let reversed_host = json!({ "type": "string", "pattern": "^[a-z0-9]([a-z0-9.-]{0,40}[a-z0-9])?$" });
    let about_namespace = "The reversed host of this registry, as in the `_meta` keys of its answers.";
    let namespace = in_path("namespace", about_namespace, &reversed_host);
    let mut query = |names: &[&str]| {
        parameters::query_parameters(&registry_api::query_schema(names), "ServerList", components)
    };
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
    let read = |path, id, summary, parameters: &[Value], schema: &Value| {
        Call::get(path, id, summary).with_parameters(parameters).answers(schema, errors())
    };
    let refused = |method, path, id, parameters: &[Value]| {
        let call = Call::new(method, path, id, "Not supported: publish with POST /api/publish");
        call.with_parameters(parameters).with("responses", json!(errors()))
    };
    vec![
        read("/v0.1/servers", "list_servers", "List servers", &of_list, &list)
            .described("Like the official MCP registry. The same is served below `/v0`."),
        read(VERSIONS, "list_server_versions", "The versions of a server", &[name], &list),
        read(VERSION, "get_server_version", "A version of a server", &of_version, &server),
        refused("put", VERSION, "edit_server_version", &of_version),
        refused("delete", VERSION, "delete_server_version", &of_version),
        refused("post", "/v0.1/publish", "publish_server", &[]),
        read("/v0.1/health", "registry_api_health", "Check that this API works", &[], &alive),
        read("/v0.1/ping", "registry_api_ping", "Ping", &[], &pong),
        read("/v0.1/version", "registry_api_version", "The version of this service", &[], &about),
        read(SEARCH, "search_servers", "Search servers by meaning", &of_search, &matches),
        read(HEALTH, "server_health", "Health of servers", &of_health, &health),
        read(FACETS, "server_facets", "Count servers by category and publisher", &of_facets, &facets),
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
            .answers(&receipt, refusals(&[]));
    vec![call]
}
