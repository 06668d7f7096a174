//! An operation as a call that can be sent: the request by REST, the tool by MCP, the words by A2A. Made from the
//! operation's own example and route, so that no document shows a call that is not served.

use form_urlencoded::byte_serialize;
use http::header;
use serde_json::{Map, Value, json};

use registry_model::protocol::MCP_ENDPOINT;
use registry_model::settings::Settings;
use registry_operations::intent;
use registry_operations::{Description, RouteInput};

/// A call of an operation, with `{listing_id}`, `{access_token}` and `{url}` for what only the caller knows.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// `GET` or `POST`.
    pub(super) method: &'static str,
    /// Where; of a GET with its query.
    pub(super) url: String,
    /// What a POST sends.
    pub(super) body: Option<Value>,
    /// The tool that does the same by MCP, and the operation by A2A.
    pub(super) tool: &'static str,
    /// The arguments of the tool.
    pub(super) arguments: Value,
    /// The same in plain words, as a message by A2A.
    pub(super) words: String,
}

impl Call {
    /// The call of an operation by its own example.
    pub(super) fn of(operation: &Description, settings: &Settings) -> Self {
        let arguments = to_fill_in(serde_json::from_str(operation.example).unwrap_or_default());
        let (method, url, body) = request(operation, settings, &arguments);
        let words = operation.phrases.first().copied().unwrap_or(operation.name);
        Self { method, url, body, tool: operation.name, arguments, words: words_of(words) }
    }

    /// The same call by MCP, as the parameters of `tools/call`.
    pub(super) fn by_mcp(&self) -> Value {
        json!({ "name": self.tool, "arguments": self.arguments })
    }

    /// The headers of the request.
    pub(super) fn headers(&self) -> Map<String, Value> {
        let json = || Value::from("application/json");
        let sent = self.body.as_ref().map(|_| (header::CONTENT_TYPE.to_string(), json()));
        [(header::ACCEPT.to_string(), json())].into_iter().chain(sent).collect()
    }

    /// The request as a line for a shell.
    pub(super) fn curl(&self) -> String {
        match &self.body {
            None => format!("curl -fsS {}", shell(&self.url)),
            Some(body) => format!(
                "curl -fsS {} -H 'content-type: application/json' -d {}",
                shell(&self.url),
                shell(&body.to_string())
            ),
        }
    }
}

/// How the operation is asked by REST: with a body where it takes one, else by its query, else as an action of its
/// family; and where it has no path of its own, as a tool.
fn request(
    operation: &Description,
    settings: &Settings,
    arguments: &Value,
) -> (&'static str, String, Option<Value>) {
    let of_sort = |wanted: fn(RouteInput) -> bool| operation.routes.iter().find(|route| wanted(route.input));
    let by_body = of_sort(|input| matches!(input, RouteInput::BodyAs(_)));
    let by_query = of_sort(|input| {
        matches!(input, RouteInput::Query | RouteInput::QueryAs(_) | RouteInput::QueryByAction)
    });
    if let Some(route) = by_body {
        return ("POST", settings.url(route.path), Some(arguments.clone()));
    }
    if let Some(route) = by_query {
        return ("GET", format!("{}{}", settings.url(route.path), query(arguments)), None);
    }
    if let Some(action) = operation.actions.first() {
        // An operation that takes an action itself knows it by the end of the family's name for it.
        let own = arguments["action"].as_str().unwrap_or_default();
        let name = action.names.iter().find(|name| name.ends_with(own)).or(action.names.first());
        let mut body = json!({ "action": name });
        for (name, value) in arguments.as_object().into_iter().flatten() {
            if name != "action" {
                body[name] = value.clone();
            }
        }
        return ("POST", settings.url(action.path), Some(body));
    }
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": operation.name, "arguments": arguments } });
    ("POST", settings.url(MCP_ENDPOINT), Some(call))
}

/// The arguments with a name in braces in the place of an id or token that only stands for one.
fn to_fill_in(mut arguments: Value) -> Value {
    for (name, value) in arguments.as_object_mut().into_iter().flatten() {
        match name.as_str() {
            "listing_id" | "id" => *value = json!("{listing_id}"),
            "token" => *value = json!("{access_token}"),
            _ => {}
        }
    }
    arguments
}

/// A query; what is to be filled in stays readable.
fn query(arguments: &Value) -> String {
    let pairs = arguments.as_object().into_iter().flatten().map(|(name, value)| {
        let value = match value {
            Value::String(_) if name == "url" => "{url}".to_owned(),
            Value::String(text) if text.starts_with('{') => text.clone(),
            Value::String(text) => byte_serialize(text.as_bytes()).collect(),
            other => byte_serialize(other.to_string().as_bytes()).collect(),
        };
        format!("{name}={value}")
    });
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// A phrase of the catalogue as it is sent.
fn words_of(phrase: &str) -> String {
    intent::filled(&phrase.replacen("{id}", "{listing_id}", 1))
}

/// A text as one word of a shell.
fn shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;
    use registry_operations::{CHECK_STATUS, DESCRIPTIONS, LEAVE_TRACE, LIST_YOURSELF, SEARCH_ACTIVE};

    fn settings() -> Settings {
        let lookup = |name: &str| (name == "BASE_URL").then(|| "https://registry.example.com".to_owned());
        Settings::from_env(Mode::Public, lookup).unwrap()
    }

    #[test]
    fn a_call_goes_where_its_operation_is_served() {
        let call = |operation| Call::of(operation, &settings());
        let list = call(LIST_YOURSELF.described);
        assert_eq!((list.method, list.url.as_str()), ("POST", "https://registry.example.com/api/publish"));
        assert_eq!(list.words, "list my agent at https://agent.example.com/.well-known/agent-card.json");
        assert_eq!(
            call(CHECK_STATUS.described).curl(),
            "curl -fsS 'https://registry.example.com/api/listings/status?id={listing_id}'"
        );
        let trace = call(LEAVE_TRACE.described);
        assert_eq!(trace.url, "https://registry.example.com/api/products/stigmergy");
        assert_eq!(trace.body.unwrap()["action"], "leave_trace");
        assert_eq!(call(SEARCH_ACTIVE.described).url, "https://registry.example.com/api/protocol");
    }

    #[test]
    fn every_call_is_one_line_for_a_shell() {
        for operation in DESCRIPTIONS {
            let call = Call::of(operation, &settings());
            let words = shell_words::split(&call.curl()).unwrap();
            assert_eq!(words[2], call.url, "{}", operation.name);
            if let Some(body) = &call.body {
                assert_eq!(serde_json::from_str::<Value>(words.last().unwrap()).unwrap(), *body);
            }
        }
    }
}
