//! A valid document for every parser. The fuzz tests damage these documents. A document contains every field
//! that its parser reads, so that the parser really reads each changed value.

use serde_json::{Value, json};

use registry_model::Random;

/// The id of the request that replies answer.
pub(super) const ID: u64 = 7;

pub(super) const SAMPLES: usize = Reader::ALL.len();

/// The parser that reads a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    Card,
    ServerJson,
    Opening,
    Tools,
    Stream,
}

impl Reader {
    pub(super) const ALL: [Self; 5] =
        [Self::Card, Self::ServerJson, Self::Opening, Self::Tools, Self::Stream];
}

/// A parser, and a valid document for it.
pub(super) fn any(random: &Random) -> (Reader, Vec<u8>) {
    let reader = Reader::ALL[usize::try_from(random.below(SAMPLES as u64)).unwrap()];
    let older = random.below(2) == 0;
    let sample = match reader {
        Reader::Card if older => card_0_3().to_string(),
        Reader::Card => card_1_0().to_string(),
        Reader::ServerJson => server().to_string(),
        Reader::Opening => reply(&opening()).to_string(),
        Reader::Tools => reply(&tools()).to_string(),
        Reader::Stream if older => format!(
            "\u{FEFF}: hello\r\nretry: 10\r\n\r\nid: 1\r\ndata: \r\n\r\nevent: message\r\ndata: {}\r\n\r\n",
            reply(&opening())
        ),
        Reader::Stream => format!(
            "event: endpoint\ndata: /messages\n\ndata: {{\"method\":\"ping\"}}\n\nevent: message\ndata: {}\n\n",
            serde_json::to_string_pretty(&reply(&tools())).unwrap().replace('\n', "\ndata: ")
        ),
    };
    (reader, sample.into_bytes())
}

fn card_1_0() -> Value {
    json!({
        "name": "Weather agent", "description": "Tells the weather.", "version": "1.2.0", "iconUrl": "https://a.example/i",
        "documentationUrl": "https://a.example/docs", "provider": {"organization": "A", "url": "https://a.example"},
        "supportedInterfaces": [
            {"url": "https://a.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "https://a.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "0.3"}],
        "capabilities": {"streaming": false, "extensions": [{"uri": "https://a.example/x", "params": {"a": [1, 2]}}]},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "securitySchemes": {"key": {"apiKeySecurityScheme": {"name": "k", "location": "header"}}},
        "securityRequirements": [{"schemes": {"key": {"list": []}}}, {}],
        "signatures": [{"protected": "e30", "signature": "AA"}],
        "skills": [
            {"id": "now", "name": "Now", "description": "The weather now.", "tags": ["weather"], "examples": ["Rome?"]},
            {"id": "next", "name": "Next", "description": "The weather next.", "tags": [], "inputModes": ["text/plain"]}],
    })
}

fn card_0_3() -> Value {
    json!({
        "name": "Echo", "description": "Echoes.", "version": "0.9.0", "protocolVersion": "0.3.0",
        "url": "https://a.example/a2a", "preferredTransport": "JSONRPC", "capabilities": {},
        "additionalInterfaces": [{"url": "https://a.example/rest", "transport": "HTTP+JSON"}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "security": [{"none": []}],
        "securitySchemes": {"none": {"type": "http", "scheme": "none"}}, "authentication": {"schemes": ["none"]},
        "skills": [{"id": "echo", "name": "Echo", "description": "Echoes.", "tags": ["echo"]}],
    })
}

fn server() -> Value {
    json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "com.example/weather", "title": "Weather", "description": "Forecasts.", "version": "1.2.0",
        "websiteUrl": "https://example.com/weather",
        "repository": {"url": "https://github.com/example/weather", "source": "github", "subfolder": "src"},
        "icons": [{"src": "https://example.com/icon.png", "sizes": ["48x48"]}],
        "packages": [{
            "registryType": "npm", "identifier": "@example/weather", "version": "1.2.0",
            "packageArguments": [{"type": "named", "name": "--port", "value": "80"}],
            "environmentVariables": [{"name": "HOST", "isRequired": true}], "transport": {"type": "stdio"},
        }],
        "remotes": [
            {"type": "streamable-http", "url": "https://mcp.example.com/mcp", "headers": [{"name": "X", "value": "{v}"}]},
            {"type": "sse", "url": "https://{t}.example.com/sse", "variables": {"t": {"default": "main"}}}],
    })
}

fn reply(result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": ID, "result": result})
}

fn opening() -> Value {
    let info = json!({"name": "a", "title": "A", "version": "1", "description": "A.", "websiteUrl": "https://a.example"});
    json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "protocolVersion": "2025-06-18", "ttlMs": 1,
        "cacheScope": "public", "capabilities": {"tools": {"listChanged": true}}, "instructions": "Call add.",
        "serverInfo": info, "_meta": {"io.modelcontextprotocol/serverInfo": info},
    })
}

fn tools() -> Value {
    let schema = json!({"type": "object", "properties": {"a": {"type": "number", "description": "One."}}, "required": ["a"]});
    json!({
        "resultType": "complete", "ttlMs": 1, "cacheScope": "public", "nextCursor": "2",
        "tools": [
            {"name": "add", "title": "Add", "description": "Adds.", "inputSchema": schema, "outputSchema": schema},
            {"name": "echo", "inputSchema": {"type": "object"}, "annotations": {"title": "Echo", "readOnlyHint": true}}],
    })
}
