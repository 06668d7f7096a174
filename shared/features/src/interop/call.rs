//! Builds complete requests with method, URL, headers and body. A request uses the protocol version in which
//! the listing answered its last probe.

use std::collections::BTreeMap;

use crate::prelude::*;
use registry_formats::a2a_message::{Endpoint, newest, older, older_rest, rest_path};
use registry_model::protocol::MCP_NEWEST_REVISION;
use registry_model::{EntryProtocol, Tool, ToolParameter};

const JSON: &str = "application/json";
const JSON_OR_STREAM: &str = "application/json, text/event-stream";

/// A complete request.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Call {
    /// The protocol of the request.
    pub protocol: EntryProtocol,
    /// The version of the protocol that the last passed probe proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The HTTP request.
    #[serde(flatten)]
    pub request: CallRequest,
    /// Requests to send first, in this order. Wait for each answer before you send the next request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<CallRequest>,
    /// What to fill in before you send the request.
    pub note: String,
}

/// An HTTP request.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CallRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The URL to send it to.
    pub url: String,
    /// The HTTP headers.
    pub headers: BTreeMap<&'static str, String>,
    /// The JSON body of a POST.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub body: Option<Value>,
}

impl Call {
    fn new(protocol: EntryProtocol, version: &str, request: CallRequest, note: &str) -> Self {
        let version = Some(version.to_owned()).filter(|version| !version.is_empty());
        Self { protocol, version, request, before: Vec::new(), note: note.to_owned() }
    }
}

impl CallRequest {
    fn post<const N: usize>(url: &str, headers: [(&'static str, &str); N], body: Value) -> Self {
        let headers = headers.into_iter().chain([("content-type", JSON)]);
        Self {
            method: "POST",
            url: url.to_owned(),
            headers: headers.map(|(name, value)| (name, value.to_owned())).collect(),
            body: Some(body),
        }
    }
}

/// A call of a tool at an MCP server; without a tool, a call of `tools/list`, or of what opens a server that offers no tools.
/// Each required argument is a placeholder with its type.
pub(super) fn mcp(url: &str, revision: &str, tool: Option<&Tool>, has_tools: bool) -> Call {
    let required = tool.into_iter().flat_map(|tool| &tool.parameters).filter(|parameter| parameter.required);
    let placeholder =
        |one: &ToolParameter| (one.name.clone(), format!("<{}: {}>", one.value.as_str(), one.name).into());
    let arguments: Map<String, Value> = required.map(placeholder).collect();
    let hint = match tool {
        Some(_) if arguments.is_empty() => {
            "Fill in `params.arguments`. The inputSchema of the tool describes them; tools/list returns it."
        }
        Some(_) => {
            "Replace every placeholder `<type: name>` in `params.arguments` by a value of that type. The \
                inputSchema of the tool describes the values; tools/list returns it."
        }
        None if has_tools => "Returns the tools with their input schemas.",
        None => "Returns what the server offers: it has no tools.",
    };
    let (method, mut params) = match tool {
        Some(tool) => ("tools/call", json!({ "name": tool.name, "arguments": arguments })),
        None if has_tools => ("tools/list", json!({})),
        None => ("server/discover", json!({})),
    };
    // Since this revision a request needs no session.
    if revision >= MCP_NEWEST_REVISION {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": client(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers =
            [("accept", JSON_OR_STREAM), ("mcp-protocol-version", revision), ("mcp-method", method)];
        let mut request = CallRequest::post(url, headers, body);
        request.headers.extend(tool.map(|tool| ("mcp-name", tool.name.clone())));
        return Call::new(EntryProtocol::Mcp, revision, request, hint);
    }
    let initialize = json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client() });
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let headers = [("accept", JSON_OR_STREAM), ("mcp-protocol-version", revision)];
    let opening = CallRequest::post(url, [("accept", JSON_OR_STREAM)], initialize);
    let note = format!("{hint} If initialize returns an Mcp-Session-Id, send it with all later requests.");
    if tool.is_none() && !has_tools {
        return Call::new(EntryProtocol::Mcp, revision, opening, &note);
    }
    let before = vec![opening, CallRequest::post(url, headers, initialized)];
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    Call { before, ..Call::new(EntryProtocol::Mcp, revision, CallRequest::post(url, headers, body), &note) }
}

fn client() -> Value {
    json!({ "name": "your-client", "version": "1.0.0" })
}

pub(super) fn a2a(endpoint: &str, version: &str, message_id: &str, text: &str) -> Call {
    let Endpoint { url, tenant } = Endpoint::read(endpoint);
    let (method, params) = match version {
        NEWEST_A2A => ("SendMessage", newest(message_id, text, tenant.as_deref())),
        _ => ("message/send", older(message_id, text)),
    };
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = with_version(CallRequest::post(&url, [("accept", JSON_OR_STREAM)], body), version);
    let note = "Write what you need into the text. If the answer contains an A2A task, poll it by its id.";
    Call::new(EntryProtocol::A2a, version, request, note)
}

/// `None` if the URL cannot be parsed.
pub(super) fn a2a_rest(endpoint: &str, version: &str, message_id: &str, text: &str) -> Option<Call> {
    let Endpoint { url, tenant } = Endpoint::read(endpoint);
    let mut target = url::Url::parse(&url).ok()?;
    let is_newest = version == NEWEST_A2A;
    let path = rest_path(target.path(), is_newest, tenant.as_deref(), "/message:send");
    target.set_path(&path);
    let body = if is_newest { newest(message_id, text, None) } else { older_rest(message_id, text) };
    let accept = [("accept", "application/a2a+json, application/json")];
    let request = with_version(CallRequest::post(target.as_str(), accept, body), version);
    Some(Call::new(EntryProtocol::Http, version, request, "Put the task into the text."))
}

const NEWEST_A2A: &str = "1.0";

/// Agents of 0.3 and older do not know the version header, and a missing one means 0.3 (A2A specification 3.6).
fn with_version(mut request: CallRequest, version: &str) -> CallRequest {
    if version == NEWEST_A2A {
        request.headers.insert("a2a-version", version.to_owned());
    }
    request
}

pub(super) fn ard(search: &str, words: &str) -> Call {
    let body = json!({ "query": { "text": words }, "federation": "none", "pageSize": 1 });
    let request = CallRequest::post(search, [("accept", JSON)], body);
    let note = "Searches for the name, which other listings may have, too.";
    Call::new(EntryProtocol::Ard, "", request, note)
}

#[cfg(test)]
mod tests;
