//! The methods of the MCP server, and the form of their results in each era (newest revision or older
//! revisions). Some results do not depend on the request. They are serialized once at the start, because
//! clients request them most often.

use std::collections::HashMap;
use std::sync::Arc;

use registry::app::App;
use registry::cache::RenderCache;
use registry::documents::mcp_server_card;
use registry::error::shorten;
use registry::model::Caller;
use registry::model::protocol::MCP_REVISIONS;
use registry::settings::Settings;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::call::{self, Outcome};
use crate::message::Request;
use crate::reply::{RpcError, raw};
use crate::revision::{Era, Handshake};
use crate::tools::{self, Page, TOOLS};

/// How long clients may cache `tools/list` and `server/discover`.
const TTL_MS: u32 = 300_000;

/// Shown to the model before it chooses a tool.
const INSTRUCTIONS: &str = "A registry of A2A agents and MCP servers. Every Live listing has answered a real \
    protocol handshake within the last seven days, and shows the evidence. To find a peer, call \
    match_capability with your task, or search_active for all Live listings. To publish your agent or \
    server, call list_yourself with the URL of your card or endpoint. Then follow `next` in every answer. If \
    `next.wait_s` is there, wait this number of seconds. Then call `next.tool` with `next.body` or \
    `next.arguments`. These steps lead to the free demo, then to your feedback, then to a full product. You \
    need no key.";

#[derive(Debug)]
pub(crate) struct McpServer {
    identity: Value,
    meta: Arc<RawValue>,
    discover_result: Arc<RawValue>,
    modern_pages: Pages,
    legacy_pages: Pages,
    results: RenderCache<Arc<RawValue>>,
}

/// Serialized pages of `tools/list` by their cursors; `None` is the first page.
type Pages = HashMap<Option<String>, Arc<RawValue>>;

impl McpServer {
    pub(crate) fn new(settings: &Settings) -> Self {
        let identity = mcp_server_card::identity(settings);
        let meta = raw(&json!({ "io.modelcontextprotocol/serverInfo": identity }));
        let discover_result = raw(&Modern::cacheable(
            &meta,
            &DiscoverResult {
                supported_versions: MCP_REVISIONS,
                capabilities: json!({ "tools": {} }),
                instructions: INSTRUCTIONS,
            },
        ));
        let modern_pages = pages(|page| raw(&Modern::cacheable(&meta, &ListToolsResult::of(page))));
        let legacy_pages = pages(|page| raw(&ListToolsResult::of(page)));
        Self { identity, discover_result, meta, modern_pages, legacy_pages, results: RenderCache::default() }
    }

    pub(crate) async fn answer(
        &self,
        app: &App,
        caller: Caller,
        era: Era,
        request: Request,
    ) -> Result<Arc<RawValue>, RpcError> {
        match (era, request.method.as_str()) {
            (Era::Modern, "server/discover") => Ok(self.discover_result.clone()),
            (Era::Legacy(_), "initialize") => self.initialize(&request.params),
            (Era::Legacy(_), "ping") => Ok(raw(&json!({}))),
            (_, "tools/list") => self.list(era, &request.params),
            (_, "tools/call") => self.call(app, caller, era, request.params).await,
            (_, method) => Err(RpcError::method(method)),
        }
    }

    fn initialize(&self, params: &Map<String, Value>) -> Result<Arc<RawValue>, RpcError> {
        let requested = params.get("protocolVersion").and_then(Value::as_str).ok_or_else(|| {
            RpcError::params("`params.protocolVersion` must be a string such as \"2025-11-25\".")
        })?;
        Ok(raw(&json!({
            "protocolVersion": Handshake::agreed(requested).date(),
            "capabilities": { "tools": {} },
            "serverInfo": self.identity,
            "instructions": INSTRUCTIONS,
        })))
    }

    fn list(&self, era: Era, params: &Map<String, Value>) -> Result<Arc<RawValue>, RpcError> {
        let pages = match era {
            Era::Modern => &self.modern_pages,
            Era::Legacy(_) => &self.legacy_pages,
        };
        let cursor = tools::cursor(params)?.map(str::to_owned);
        pages.get(&cursor).cloned().ok_or_else(|| {
            let cursor = shorten(cursor.as_deref().unwrap_or_default(), 120);
            RpcError::params(format!("Unknown cursor: {cursor}. Start again without a cursor."))
        })
    }

    /// Runs a tool, unless its result is cached and still valid.
    async fn call(
        &self,
        app: &App,
        caller: Caller,
        era: Era,
        params: Map<String, Value>,
    ) -> Result<Arc<RawValue>, RpcError> {
        let operation = call::operation(&params)?;
        // If the store fails here, the tool runs without the cache and reports the failure.
        let Some(validator) = (operation.cache_validator)(app.clone()).await.unwrap_or_default() else {
            return Ok(self.call_result(era, &call::call(app, caller, era, operation, params).await?));
        };
        let key = json!([era == Era::Modern, operation.name, params.get("arguments")]).to_string();
        if let Some(result) = self.results.get(&key, &validator) {
            return Ok(result);
        }
        let outcome = call::call(app, caller, era, operation, params).await?;
        let result = self.call_result(era, &outcome);
        if !outcome.is_error {
            self.results.put(key, validator, result.clone());
        }
        Ok(result)
    }

    fn call_result(&self, era: Era, outcome: &Outcome) -> Arc<RawValue> {
        let result = CallToolResult {
            content: [Text { kind: "text", text: outcome.content.get() }],
            structured_content: &outcome.content,
            is_error: outcome.is_error,
        };
        match era {
            Era::Modern => raw(&Modern::uncached(&self.meta, &result)),
            Era::Legacy(_) => raw(&result),
        }
    }
}

fn pages(render: impl Fn(&Page<'_>) -> Arc<RawValue>) -> Pages {
    let mut cursor = None;
    let pages = tools::pages(&TOOLS, tools::PAGE_SIZE);
    pages.iter().map(|page| (std::mem::replace(&mut cursor, page.next.clone()), render(page))).collect()
}

/// A result of revision 2026-07-28 with the members of every result (basic, "Results") and those of a cacheable result
/// (utilities/caching).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Modern<'a, T> {
    result_type: &'static str,
    #[serde(flatten)]
    result: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
    #[serde(rename = "_meta")]
    meta: &'a RawValue,
}

impl<'a, T> Modern<'a, T> {
    fn uncached(meta: &'a RawValue, result: &'a T) -> Self {
        Self { result_type: "complete", result, ttl_ms: None, cache_scope: None, meta }
    }

    fn cacheable(meta: &'a RawValue, result: &'a T) -> Self {
        Self { ttl_ms: Some(TTL_MS), cache_scope: Some("public"), ..Self::uncached(meta, result) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DiscoverResult {
    supported_versions: [&'static str; 4],
    capabilities: Value,
    instructions: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListToolsResult<'a> {
    tools: &'a [Value],
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
}

impl<'a> ListToolsResult<'a> {
    fn of(page: &'a Page<'_>) -> Self {
        Self { tools: page.tools, next_cursor: page.next.as_deref() }
    }
}

/// Contains the answer twice, structured and as text, because some clients read only the text.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallToolResult<'a> {
    content: [Text<'a>; 1],
    structured_content: &'a RawValue,
    is_error: bool,
}

#[derive(Serialize)]
struct Text<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}
