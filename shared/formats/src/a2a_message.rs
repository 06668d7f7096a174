//! The bodies of a request that sends a text message, in each dialect (version) of A2A, and the REST path of
//! this request. The bodies have the form that the official clients of 1.0 and 0.3 send. Probes and
//! ready-made calls use the same bodies, so the registry shows only calls that its probes really send.

use std::fmt;

use serde_json::{Value, json};
use url::form_urlencoded;

const TENANT: &str = "#tenant=";

/// The URL of an interface, and its tenant: every request to the interface names it (A2A specification 8.3.2). As one text,
/// the tenant is the fragment of the URL, so that two agents of one URL differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub url: String,
    pub tenant: Option<String>,
}

impl Endpoint {
    pub fn read(text: &str) -> Self {
        let Some((url, tenant)) = text.split_once(TENANT) else {
            return Self { url: text.to_owned(), tenant: None };
        };
        let decoded = form_urlencoded::parse(tenant.as_bytes()).next().map(|(tenant, _)| tenant.into_owned());
        Self { url: url.to_owned(), tenant: decoded }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)?;
        let encoded =
            |tenant: &String| form_urlencoded::byte_serialize(tenant.as_bytes()).collect::<String>();
        self.tenant.as_ref().map_or(Ok(()), |tenant| write!(f, "{TENANT}{}", encoded(tenant)))
    }
}

/// 1.0, both bindings.
pub fn newest(message_id: &str, text: &str, tenant: Option<&str>) -> Value {
    let mut request = json!({
        "message": {"messageId": message_id, "role": "ROLE_USER", "parts": [{"text": text}]},
        "configuration": {"acceptedOutputModes": ["text/plain", "application/json"], "returnImmediately": true},
    });
    if let Some(tenant) = tenant {
        request["tenant"] = tenant.into();
    }
    request
}

/// 0.3 and 0.2 over JSON-RPC. Some frameworks of that time read `type`, others `kind`.
pub fn older(message_id: &str, text: &str) -> Value {
    json!({
        "message": {
            "kind": "message", "messageId": message_id, "role": "user",
            "parts": [{"kind": "text", "type": "text", "text": text}],
        },
        "configuration": {"acceptedOutputModes": ["text/plain", "application/json"], "blocking": false},
    })
}

/// Before 0.2: a message is sent to a task, and the message creates this task.
pub fn oldest(task: &str, text: &str) -> Value {
    json!({
        "id": task, "sessionId": task,
        "message": {"role": "user", "parts": [{"type": "text", "text": text}]},
    })
}

/// 0.3 over REST: the JSON form of its protocol buffers.
pub fn older_rest(message_id: &str, text: &str) -> Value {
    json!({
        "message": {"messageId": message_id, "role": "ROLE_USER", "content": [{"text": text}]},
        "configuration": {"blocking": false},
    })
}

/// The path of a REST operation: relative to the interface's path, since 1.0 under its tenant, and before under `/v1`.
pub fn rest_path(interface: &str, is_newest: bool, tenant: Option<&str>, operation: &str) -> String {
    let base = interface.trim_end_matches('/');
    match tenant {
        Some(tenant) if is_newest => format!("{base}/{tenant}{operation}"),
        None if is_newest => format!("{base}{operation}"),
        _ => format!("{}/v1{operation}", base.strip_suffix("/v1").unwrap_or(base)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, rest_path};

    #[test]
    fn rest_paths_start_with_the_interface_url() {
        for (interface, is_newest, path) in [
            ("/api/", true, "/api/message:send"),
            ("/", false, "/v1/message:send"),
            ("/x/v1", false, "/x/v1/message:send"),
            ("/v1", true, "/v1/message:send"),
        ] {
            assert_eq!(rest_path(interface, is_newest, None, "/message:send"), path, "{interface}");
        }
        assert_eq!(rest_path("/a2a", true, Some("billing"), "/tasks/1"), "/a2a/billing/tasks/1");
    }

    #[test]
    fn tenant_of_an_endpoint_is_its_fragment() {
        let endpoint =
            Endpoint { url: "https://a.example.org/rpc".to_owned(), tenant: Some("a b/ü".to_owned()) };
        assert_eq!(endpoint.to_string(), "https://a.example.org/rpc#tenant=a+b%2F%C3%BC");
        assert_eq!(Endpoint::read(&endpoint.to_string()), endpoint);
        let plain = Endpoint { tenant: None, ..endpoint };
        assert_eq!(Endpoint::read(&plain.to_string()), plain);
    }
}
