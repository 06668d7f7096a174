//! An operation as a request that a client can send: by REST, as an MCP tool, or in plain words over A2A. The
//! request is made from the example and the routes of the operation. So no document or page shows a request
//! that the registry does not serve.

use form_urlencoded::byte_serialize;

use crate::a2a::intent;
use crate::prelude::*;
use registry_features::RouteInput;
use registry_model::protocol::MCP_ENDPOINT;

/// The listing id in the catalogue's examples.
pub(crate) const EXAMPLE_LISTING_ID: &str = "agtpub_0123456789abcdef0123";

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// With the query of a GET.
    pub(crate) url: String,
    pub(crate) body: Option<Value>,
    /// The MCP tool, and the operation of A2A.
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    /// A request for it in plain words, as an A2A message.
    pub(crate) words: String,
}

impl Call {
    /// With names in braces, such as `{listing_id}`, in place of values that only the caller knows. By POST where the
    /// operation takes a body.
    pub(crate) fn template(operation: &Description, settings: &Settings) -> Self {
        let mut arguments = example(operation);
        for (name, value) in arguments.as_object_mut().into_iter().flatten() {
            let name = match name.as_str() {
                "id" => "listing_id",
                "token" => "access_token",
                own @ ("idempotency_key" | "jws" | "listing_b" | "listing_id" | "order_id" | "url") => own,
                _ => continue,
            };
            *value = json!(format!("{{{name}}}"));
        }
        let accepts_body = operation.routes.iter().any(|route| matches!(route.input, RouteInput::BodyAs(_)));
        let is_read = !accepts_body && operation.routes.iter().any(|route| !route.is_post());
        Self::new(operation, settings, arguments, is_read)
    }

    /// With the values of the example. By the first route, or by POST if the example has a key or does not fit into a query.
    pub(crate) fn by_example(operation: &Description, settings: &Settings) -> Self {
        let mut arguments = example(operation);
        let key = arguments.get_mut("idempotency_key").map(|key| *key = json!("<a new UUID>"));
        let is_query = |value: &Value| !value.is_array() && !value.is_object();
        let is_flat = arguments.as_object().is_some_and(|members| members.values().all(is_query));
        let mut routes = operation.routes.iter();
        let is_read = routes.next().is_some_and(|route| !route.is_post())
            && (is_flat && key.is_none() || !routes.any(|route| route.is_post()));
        Self::new(operation, settings, arguments, is_read)
    }

    fn new(operation: &Description, settings: &Settings, arguments: Value, is_read: bool) -> Self {
        let mut routes = operation.routes.iter();
        let route = routes.find(|route| {
            if is_read { !route.is_post() } else { matches!(route.input, RouteInput::BodyAs(_)) }
        });
        let (path, body) = match (route, operation.actions.first()) {
            (Some(route), _) if is_read => (route.path, None),
            (Some(route), _) => (route.path, Some(arguments.clone())),
            (None, Some(action)) => {
                // An operation that takes an action itself knows it by the end of the family's name for it.
                let own = arguments["action"].as_str().unwrap_or_default();
                let action =
                    operation.actions.iter().find(|action| action.name.ends_with(own)).unwrap_or(action);
                (action.path, Some(with_action(action.name, &arguments)))
            }
            (None, None) => {
                let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": { "name": operation.name, "arguments": arguments } });
                (MCP_ENDPOINT, Some(call))
            }
        };
        let query = if is_read { query(&arguments) } else { String::new() };
        let phrase = operation.phrases().next().unwrap_or(operation.name);
        Self {
            method: if body.is_some() { "POST" } else { "GET" },
            path,
            url: settings.url(path) + &query,
            body,
            tool: operation.name,
            arguments,
            words: intent::template(phrase),
        }
    }

    pub(crate) fn headers(&self) -> Map<String, Value> {
        let json = || Value::from("application/json");
        let sent = self.body.as_ref().map(|_| (header::CONTENT_TYPE.to_string(), json()));
        [(header::ACCEPT.to_string(), json())].into_iter().chain(sent).collect()
    }

    /// A shell command; with `separator` between its options.
    pub(crate) fn curl(&self, separator: &str) -> String {
        curl(&self.url, &[], self.body.as_ref(), separator)
    }
}

/// A shell command for a GET, or with a body for a POST.
pub(crate) fn curl(url: &str, headers: &[(&str, &str)], body: Option<&Value>, separator: &str) -> String {
    let Some(body) = body else { return format!("curl -sS {}", shell_word(url)) };
    let headers = [("content-type", "application/json")].iter().chain(headers);
    let headers: String = headers.map(|(name, value)| format!("{separator}-H '{name}: {value}'")).collect();
    let body = shell_word(&body.to_string());
    format!("curl -sS -X POST {}{headers}{separator}-d {body}", shell_word(url))
}

/// Arguments as the body of a POST that begins with an action.
pub(crate) fn with_action(action: &str, arguments: &Value) -> Value {
    let others = arguments.as_object().into_iter().flatten().filter(|(name, _)| *name != "action");
    let others = others.map(|(name, value)| (name.clone(), value.clone()));
    std::iter::once(("action".to_owned(), action.into())).chain(others).collect()
}

pub(crate) fn example(operation: &Description) -> Value {
    serde_json::from_str(operation.example).unwrap_or_default()
}

/// Names in braces are not encoded, so that they stay readable.
fn query(arguments: &Value) -> String {
    let pairs = arguments.as_object().into_iter().flatten().map(|(name, value)| {
        let value = match value {
            Value::String(text) if text.starts_with('{') => text.clone(),
            Value::String(text) => byte_serialize(text.as_bytes()).collect(),
            other => byte_serialize(other.to_string().as_bytes()).collect(),
        };
        format!("{name}={value}")
    });
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
