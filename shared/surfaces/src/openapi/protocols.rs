//! The calls of protocols that others define: A2A, MCP, ARD, the API of the official MCP registry, and the events of
//! Stripe. The schemas come from the types and parsers of these protocols. Names, summaries and statuses are written
//! here, because no type knows them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::components::Components;
use super::{parameters, responses, tag};
use crate::a2a::v1;
use crate::ard::{self, browse, explore, search};
use crate::documents::PUBLIC_AGENTS;
use crate::documents::agent_directory::DirectoryQuery;
use crate::json_rpc::{self, A2aStatus, McpDescription};
use crate::registry_api::{self, Facets, Health, LIST_PARAMETERS, Matches, ServerList};
use registry_domain::payments::Event;
use registry_domain::views::ServerResponse;
use registry_model::protocol::{MCP_ENDPOINT, MCP_REVISIONS, MCP_SHORT_ENDPOINT};
use registry_operations::ARD_SEARCH;

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

    /// `examples`: by name.
    fn with_body(self, schema: &Value, examples: &[(&str, Value)]) -> Self {
        let examples = examples.iter().map(|(name, value)| ((*name).to_owned(), json!({ "value": value })));
        let examples: Map<String, Value> = examples.collect();
        let content = json!({ JSON: { "schema": schema, "examples": examples } });
        self.with("requestBody", json!({ "required": true, "content": content }))
    }

    fn with_optional_body(mut self) -> Self {
        self.description["requestBody"]["required"] = json!(false);
        self
    }

    /// An answer with this schema, and errors.
    fn answers(self, schema: &Value, errors: Map<String, Value>) -> Self {
        self.answers_as(&[JSON], schema, false, errors)
    }

    fn answers_as(
        self,
        media_types: &[&str],
        schema: &Value,
        is_cached: bool,
        errors: Map<String, Value>,
    ) -> Self {
        let summary = self.description["summary"].as_str().unwrap_or_default();
        let mut all = responses::success(summary, &content(media_types, schema), is_cached);
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
    /// With the refusals of the middleware, which are problem documents.
    fn of(&self, statuses: &[u16], middleware: &[u16]) -> Map<String, Value> {
        let mut all = responses::named_refusals(middleware);
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

fn in_path(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "path", "required": true, "description": description, "schema": schema })
}

fn a2a(components: &mut Components) -> Vec<Call> {
    const A2A_JSON: &str = "application/a2a+json";
    let rpc = responses::named_refusals(&[429, 503]);
    let response = components.adopt_as("JsonRpcResponse", json_rpc::response_schema());
    let send = components.adopt_as("A2aSend", v1::send_schema());
    let [sent, task] = [output::<v1::Sent>(components), output::<v1::Task>(components)];
    let error = output::<v1::ErrorBody>(components);
    let meanings = &[
        (400, "Invalid request; `error.details` names the field."),
        (404, "No such task."),
        (415, "The content type is not JSON, or the message contains only files."),
    ];
    let errors = Errors { content: content(&[JSON, A2A_JSON], &error), meanings };
    let mut too_many = content(&[JSON, A2A_JSON], &error);
    too_many.extend(responses::problems());
    let refused = |statuses: &[u16], middleware: &[u16]| {
        let mut all = errors.of(&[statuses, &[503]].concat(), middleware);
        let meaning = "Too many requests (a problem document), or too many tasks (an A2A error).";
        all.insert("429".to_owned(), responses::refusal_with(429, Some(meaning), &too_many));
        all
    };
    let message = json!({ "messageId": "9f4a", "role": "ROLE_USER", "parts": [{ "text": "find an agent that forecasts the weather" }] });
    let old_message = json!({ "role": "user", "parts": [{ "type": "text", "text": "list my agent at https://agent.example.com/.well-known/agent-card.json" }] });
    let send_call = |path, id| {
        Call::new("post", path, id, "Send a message")
            .described(
                "The REST binding of A2A 1.0. A message in plain words is understood; a data part \
                 {\"operation\": …, \"arguments\": {…}} runs that operation.",
            )
            .with_body(&send, &[("SendMessage", json!({ "message": message }))])
            .answers_as(&[JSON, A2A_JSON], &sent, false, refused(&[400, 404, 415], &[403]))
    };
    let mut id = v1::id_schema();
    // A colon separates the id from the name of a call.
    id["pattern"] = json!("^[^\\u0000-\\u001f\\u007f-\\u009f/:]+$");
    let id = in_path("id", "The id of the task.", id);
    let history = json!({ "properties": { "historyLength": v1::history_length_schema() } });
    let mut of_task = parameters::of_query(&history, "A2aTask", components);
    of_task.push(id.clone());
    vec![
        Call::new("get", "/api/a2a", "a2a_status", "Describe the A2A endpoint")
            .answers(&output::<A2aStatus>(components), rpc.clone()),
        Call::new("post", "/api/a2a", "a2a_rpc", "A2A by JSON-RPC")
            .described(
                "JSON-RPC 2.0 in the dialects 1.0, 0.3 and 0.2 of A2A. Every body gets HTTP 200; an invalid call \
                 gets a JSON-RPC error. A call has the form of JsonRpcRequest; call `help` for the methods.",
            )
            .with_body(&json!({ "description": "A call: see JsonRpcRequest." }), &[
                ("SendMessage", json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } })),
                ("message/send", json!({ "jsonrpc": "2.0", "id": "2", "method": "message/send", "params": { "message": old_message } })),
                ("help", json!({ "jsonrpc": "2.0", "id": 3, "method": "help" })),
            ])
            .answers(&response, rpc)
            .with_optional_body(),
        send_call("/api/a2a/message:send", "a2a_send"),
        send_call("/message:send", "a2a_send_at_root"),
        Call::new("get", "/api/a2a/tasks", "a2a_list_tasks", "List the tasks of a context")
            .with_parameters(&parameters::of_query(&v1::list_schema(), "A2aTasks", components))
            .answers(&output::<v1::TaskList>(components), refused(&[400], &[])),
        Call::new("get", "/api/a2a/tasks/{id}", "a2a_get_task", "Read a task")
            .with_parameters(&of_task)
            .answers(&task, refused(&[400, 404], &[])),
        Call::new("post", "/api/a2a/tasks/{id}:cancel", "a2a_cancel_task", "Cancel a task")
            .with_parameters(&[id])
            .answers(&task, refused(&[400, 404], &[403])),
    ]
}

fn mcp(components: &mut Components) -> Vec<Call> {
    let description = output::<McpDescription>(components);
    let message = components.adopt_as("JsonRpcRequest", json_rpc::request_schema());
    let response = components.adopt_as("JsonRpcResponse", json_rpc::response_schema());
    let errors = Errors {
        content: content(&[JSON], &response),
        meanings: &[
            (400, "Not a message of this protocol; the answer is a JSON-RPC error."),
            (404, "Unknown method; the answer is a JSON-RPC error."),
        ],
    };
    let batch = json!({
        "type": "array", "minItems": 1, "maxItems": 10,
        "description": "A batch, in revision 2025-03-26; each call gets its own answer.",
    });
    let replies = json!({ "anyOf": [response, { "type": "array", "items": response, "minItems": 1 }] });
    let examples = [
        (
            "initialize",
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "client", "version": "1" },
        } }),
        ),
        ("tools/list", json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" })),
        (
            "tools/call",
            json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "search_active", "arguments": { "kind": "mcp", "limit": 3 },
        } }),
        ),
    ];
    let about_messages = format!(
        "Revisions {}, without sessions. A call in the newest revision contains its version in `params._meta` and in \
         headers, as that revision requires; this schema describes calls that need neither.",
        MCP_REVISIONS.join(", ")
    );
    let calls = |path, describe, rpc| {
        let mut post = Call::new("post", path, rpc, "MCP by streamable HTTP")
            .described(&about_messages)
            .with_body(&json!({ "anyOf": [message, batch] }), &examples)
            .answers(&replies, errors.of(&[400, 404, 413, 415], &[403, 429, 503]));
        post.description["responses"]["202"] = json!({
            "description": "A notification was accepted.",
            "headers": { "x-request-id": { "$ref": "#/components/headers/RequestId" } },
        });
        let get = Call::new("get", path, describe, "Describe the MCP endpoint")
            .described("A client that requests an event stream gets 405: the endpoint is stateless.")
            .answers(&description, responses::named_refusals(&[405, 429, 503]));
        [get, post]
    };
    [
        calls(MCP_ENDPOINT, "mcp_describe", "mcp_rpc"),
        calls(MCP_SHORT_ENDPOINT, "mcp_short_describe", "mcp_short_rpc"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn ard(components: &mut Components) -> Vec<Call> {
    let errors = Errors {
        content: content(&[JSON], &output::<ard::ErrorBody>(components)),
        meanings: &[(400, "Invalid request.")],
    };
    let mut both = Errors { content: errors.content.clone(), ..errors };
    both.content.extend(responses::problems());
    let own = components.adopt_as("ArdSearchArguments", (ARD_SEARCH.input_schema)());
    let alias = json!({
        "type": "object",
        "description": "`query` as an alias of `q`.",
        "properties": {
            "query": { "type": "string", "maxLength": registry_search::MAX_QUERY_CHARS },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 100 },
        },
        "required": ["query"],
    });
    let hits = [
        components.adopt_as("ArdSearchAnswer", (ARD_SEARCH.output_schema)()),
        output::<search::Results>(components),
    ];
    let search = components.adopt_as("ArdSearch", search::schema());
    let explore = components.adopt_as("ArdExplore", explore::schema());
    let list = schemars::schema_for!(browse::ListQuery).to_value();
    let directory = components.adopt_as("DirectoryQuery", schemars::schema_for!(DirectoryQuery).to_value());
    vec![
        Call::new("get", "/api/ard/", "ard_about", "Describe the ARD API")
            .answers(&output::<ard::About>(components), responses::named_refusals(&[429, 503])),
        Call::new("post", "/api/ard/search", "ard_search_post", "Search in plain words, or by the ARD standard")
            .described(
                "ARD 0.9 §7.2 if `query` is an object, otherwise the registry's own search with `q`. Errors have the \
                 form of ARD if `query` is an object.",
            )
            .with_body(&json!({ "anyOf": [own, search, alias] }), &[
                ("own", json!({ "q": "weather forecast", "limit": 5 })),
                ("ard", json!({ "query": { "text": "weather forecast" }, "pageSize": 5 })),
            ])
            .answers(&json!({ "anyOf": hits }), both.of(&[400, 503], &[403, 413, 415, 422, 429])),
        Call::new("post", "/api/ard/explore", "ard_explore", "Count Live listings")
            .described("ARD 0.9 §7.3.")
            .with_body(&explore, &[("types", json!({ "resultType": { "facets": [{ "field": "type" }] } }))])
            .answers(&output::<explore::Explored>(components), errors.of(&[400, 413, 415, 503], &[403, 429])),
        Call::new("get", "/api/ard/agents", "ard_list", "Browse Live listings")
            .described("ARD 0.9 §7.4.")
            .with_parameters(&parameters::of_query(&list, "ArdList", components))
            .answers(&output::<browse::List>(components), errors.of(&[400, 503], &[429])),
        Call::new("post", "/agents/search", "search_agents_post", "Search Live agents by words or skill")
            .with_body(&directory, &[("words", json!({ "q": "weather", "limit": 5 }))])
            .answers(
                &components.adopt_as("AgentsPublicDocument", (PUBLIC_AGENTS.answer_schema)()),
                responses::refusals(&[], false, true),
            ),
    ]
}

fn registry_api(components: &mut Components) -> Vec<Call> {
    const VERSION: &str = "/v0.1/servers/{serverName}/versions/{version}";
    let errors = Errors {
        content: content(&[JSON], &output::<registry_api::ErrorBody>(components)),
        meanings: &[
            (400, "The cursor or time is invalid."),
            (401, "This API is read-only: publish with POST /api/publish."),
            (403, "This API is read-only for everyone: publish with POST /api/publish."),
            (404, "No such server or version is Live here."),
            (422, "A parameter is invalid."),
        ],
    };
    let mut name = in_path(
        "serverName",
        "The name of the server; the slash may be encoded.",
        json!({ "type": "string", "format": "listed-server-name" }),
    );
    name["example"] = json!("com.example.weather/forecast");
    let mut version = in_path("version", "The version, or `latest`.", json!({ "type": "string" }));
    version["example"] = json!("latest");
    let namespace = in_path(
        "namespace",
        "The reversed host of this registry, as in the `_meta` keys of its answers.",
        json!({ "type": "string", "pattern": "^[a-z0-9]([a-z0-9.-]{0,40}[a-z0-9])?$" }),
    );
    let mut query =
        |names: &[&str]| parameters::of_query(&registry_api::query_schema(names), "ServerList", components);
    let of_list = query(&LIST_PARAMETERS);
    let extension = |parameters: Vec<Value>| [vec![namespace.clone()], parameters].concat();
    let of_search = extension(query(&["q", "limit", "access"]));
    let of_health = extension(query(&[&["name"], &LIST_PARAMETERS[..]].concat()));
    let of_facets = extension(query(&["q", "access"]));
    let list = output::<ServerList>(components);
    let read = |path, id, summary, parameters: &[Value], schema: &Value, statuses: &[u16]| {
        Call::new("get", path, id, summary).with_parameters(parameters).answers_as(
            &[JSON],
            schema,
            true,
            errors.of(&[statuses, &[503]].concat(), &[429]),
        )
    };
    let object = |members: Value| json!({ "type": "object", "properties": members });
    let mut calls = vec![
        read(
            "/v0.1/servers",
            "list_servers",
            "List servers, like the official MCP registry",
            &of_list,
            &list,
            &[400, 422],
        )
        .described("The same is served below `/v0`."),
        read(
            "/v0.1/servers/{serverName}/versions",
            "list_server_versions",
            "The versions of a server",
            &[name.clone()],
            &list,
            &[404, 422],
        ),
        read(
            VERSION,
            "get_server_version",
            "A version of a server",
            &[name.clone(), version.clone()],
            &output::<ServerResponse>(components),
            &[404, 422],
        ),
        read(
            "/v0.1/health",
            "registry_api_health",
            "Check that this API works",
            &[],
            &object(json!({ "status": { "const": "ok" } })),
            &[],
        ),
        read(
            "/v0.1/ping",
            "registry_api_ping",
            "Ping",
            &[],
            &object(json!({ "pong": { "const": true } })),
            &[],
        ),
        read(
            "/v0.1/version",
            "registry_api_version",
            "The version of this service",
            &[],
            &object(json!({ "version": { "type": "string" } })),
            &[],
        ),
        read(
            "/v0.1/x/{namespace}/search",
            "search_servers",
            "Search servers by meaning",
            &of_search,
            &output::<Matches>(components),
            &[404, 422],
        ),
        read(
            "/v0.1/x/{namespace}/health",
            "server_health",
            "Health of servers",
            &of_health,
            &output::<Health>(components),
            &[400, 404, 422],
        ),
        read(
            "/v0.1/x/{namespace}/facets",
            "server_facets",
            "Count servers by category and host",
            &of_facets,
            &output::<Facets>(components),
            &[404, 422],
        ),
    ];
    let mut refused = errors.of(&[401, 403], &[429]);
    let challenge = "The scheme of the official registry.";
    refused["401"]["headers"]["WWW-Authenticate"] =
        json!({ "description": challenge, "required": true, "schema": { "type": "string" } });
    let named = [name, version];
    for (method, path, id, parameters) in [
        ("put", VERSION, "edit_server_version", &named[..]),
        ("delete", VERSION, "delete_server_version", &named[..]),
        ("post", "/v0.1/publish", "publish_server", &[]),
    ] {
        let call = Call::new(method, path, id, "Not supported: publish with POST /api/publish");
        calls.push(call.with_parameters(parameters).with("responses", json!(refused)));
    }
    calls
}

fn stripe(components: &mut Components) -> Vec<Call> {
    let event = components.adopt_as("StripeEvent", schemars::schema_for!(Event).to_value());
    let receipt = json!({
        "type": "object",
        "properties": { "ok": { "const": true }, "received": { "type": "string" } },
        "required": ["ok", "received"],
    });
    let signature = json!({
        "name": "stripe-signature", "in": "header", "required": true, "schema": { "type": "string" },
        "description": "Time and signatures, in the format of Stripe.",
    });
    vec![
        Call::new(
            "post",
            "/api/products/checkout/webhook",
            "payment_webhook",
            "Receive payment events from Stripe",
        )
        .described("Only Stripe calls this; it signs the raw body.")
        .with_parameters(&[signature])
        .with_body(&event, &[])
        .answers(&receipt, responses::named_refusals(&[400, 403, 413, 415, 429, 503])),
    ]
}
