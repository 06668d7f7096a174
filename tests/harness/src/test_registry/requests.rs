//! Requests to a test registry over HTTP, MCP and A2A, and the clients that send them.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Reply, TestRegistry};

impl TestRegistry {
    pub async fn get(&self, path: &str) -> Reply {
        Reply::of(self.http.get(self.url(path))).await
    }

    /// The text of a document or a page, which must be served.
    pub async fn text(&self, path: &str) -> String {
        self.get(path).await.ok().as_str().unwrap_or_else(|| panic!("{path} is no text")).to_owned()
    }

    /// All pages of a list. The place `next` (a JSON pointer) of a page has the `cursor` of the page after it.
    pub async fn pages(&self, path: &str, next: &str) -> Vec<Value> {
        let mut page = self.get(path).await.ok();
        let mut pages = Vec::new();
        while let Some(cursor) = page.pointer(next).and_then(Value::as_str) {
            let path = format!("{path}&cursor={cursor}");
            pages.push(std::mem::replace(&mut page, self.get(&path).await.ok()));
            assert!(pages.len() < 200, "the pages of {path} do not end");
        }
        pages.push(page);
        pages
    }

    pub async fn get_with(&self, path: &str, header: (&str, &str)) -> Reply {
        Reply::of(self.http.get(self.url(path)).header(header.0, header.1)).await
    }

    /// A POST of JSON.
    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        Reply::of(self.http.post(self.url(path)).json(body)).await
    }

    /// A POST of JSON from an address of this machine.
    pub async fn post_from(&self, address: IpAddr, path: &str, body: &Value) -> Reply {
        Reply::of(client_from(address).post(self.url(path)).json(body)).await
    }

    /// A POST of any body.
    pub async fn post_raw(
        &self,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<reqwest::Body>,
    ) -> Reply {
        let mut request = self.http.post(self.url(path)).body(body);
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        Reply::of(request).await
    }

    /// A POST of a form, as a page sends it. Redirects are not followed.
    pub async fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let client = client_builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let request = client.post(self.url(path)).body(body);
        let request = request.header("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        Reply::of(request.header("content-type", "application/x-www-form-urlencoded")).await
    }

    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let request = self.http.request(method, self.url(path)).body(body.to_owned());
        Reply::of(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
    }

    /// A POST of JSON with a bearer token, as an operator sends it.
    pub async fn post_with_token(&self, path: &str, token: &str, body: &Value) -> Reply {
        Reply::of(self.http.post(self.url(path)).bearer_auth(token).json(body)).await
    }

    /// Sends a JSON-RPC request; returns the reply.
    pub async fn rpc(&self, path: &str, method: &str, params: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.post(path, &call).await.body
    }

    /// Sends a message with one part over A2A 1.0; returns the parts of the reply, of the task or of its status.
    pub async fn send_message(&self, part: &Value) -> Value {
        let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [part] });
        let result =
            self.rpc("/api/a2a", "SendMessage", json!({ "message": message })).await["result"].clone();
        let places = ["/message/parts", "/task/artifacts/0/parts", "/task/status/message/parts"];
        let parts = places.iter().find_map(|place| result.pointer(place));
        parts.unwrap_or_else(|| panic!("{part}: {result}")).clone()
    }

    /// Calls an operation as an MCP tool; returns its whole result.
    pub async fn call_tool(&self, name: &str, arguments: &Value) -> Value {
        let result = self.tool_result(name, arguments).await;
        assert_eq!(result["isError"], false, "{name} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    /// Calls an operation as an MCP tool with arguments that it must refuse; returns the problem.
    pub async fn refused_tool(&self, name: &str, arguments: &Value) -> Value {
        let result = self.tool_result(name, arguments).await;
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        result["structuredContent"].clone()
    }

    pub(super) async fn tool_result(&self, name: &str, arguments: &Value) -> Value {
        let params = json!({ "name": name, "arguments": for_whole_answer(name, arguments) });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let request = self.http.post(self.url("/api/protocol")).header("mcp-protocol-version", "2025-11-25");
        let reply = Reply::of(request.json(&call)).await;
        assert_eq!(reply.status, 200, "{name} {arguments}: {reply:?}");
        reply.body["result"].clone()
    }
}

/// The arguments of a tool with which it returns its whole answer.
pub fn for_whole_answer(operation: &str, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    let has_short_form = registry::features::named(operation).is_some_and(|entry| !entry.short.is_empty());
    if let Some(arguments) = arguments.as_object_mut().filter(|_| has_short_form) {
        arguments.entry("detail").or_insert_with(|| json!("full"));
    }
    arguments
}

/// A client without root certificates, because it only talks to this machine without TLS.
pub fn client() -> reqwest::Client {
    client_builder().build().unwrap()
}

/// The same client with another address on loopback.
pub fn client_from(address: IpAddr) -> reqwest::Client {
    client_builder().local_address(address).build().unwrap()
}

/// The same client without decoding and without following redirects.
pub fn plain_client() -> reqwest::Client {
    client_builder().no_gzip().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

fn client_builder() -> reqwest::ClientBuilder {
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let tls =
        rustls::ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions().unwrap();
    let tls = tls.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().timeout(Duration::from_secs(60))
}
