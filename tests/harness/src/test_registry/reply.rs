//! A reply and its snapshot. In the snapshot, names replace the values that are different in each run.

use http::HeaderMap;
use serde_json::{Map, Value, json};

use crate::assertions::assert_members;

#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HeaderMap,
    /// The JSON of the body, or its text if it is not JSON.
    pub body: Value,
}

impl Reply {
    pub async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text().await.unwrap();
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        Self { status, headers, body }
    }

    /// A header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        match &self.body {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Status, code, field and detail of an error.
    pub fn refusal(&self) -> String {
        let text = |name: &str| self.body[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} `{}`: {}", self.status, text("code"), text("field"), text("detail"))
    }

    pub fn without(&self, members: &[&str]) -> Self {
        let mut reply = self.clone();
        reply.body.as_object_mut().unwrap().retain(|name, _| !members.contains(&name.as_str()));
        reply
    }

    /// Status and body for a snapshot. Replaces each of `names` (text, name) and all machine times.
    pub fn snapshot(&self, names: &[(&str, &str)]) -> String {
        format!("HTTP {}\n{}", self.status, snapshot_of(&self.body, names))
    }

    /// Asserts that the reply is a problem document with this status and code.
    #[track_caller]
    pub fn assert_refused(&self, status: u16, code: &str) {
        self.assert_problem();
        assert_eq!((self.status, &self.body["code"]), (status, &json!(code)), "{self:?}");
    }

    /// Asserts that the reply is a problem document with this status, code and field.
    #[track_caller]
    pub fn assert_field_refused(&self, status: u16, code: &str, field: &str) {
        self.assert_refused(status, code);
        assert_eq!(self.body["field"], field, "{self:?}");
    }

    /// Asserts that the reply is a problem document that refuses a value of this field.
    #[track_caller]
    pub fn assert_invalid(&self, field: &str) {
        self.assert_problem();
        assert_eq!((self.status, &self.body["field"]), (422, &json!(field)), "{self:?}");
    }

    /// The body of a reply that must have status 200.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.body
    }

    /// Asserts the status, and that the body has these members.
    #[track_caller]
    pub fn assert_body(&self, status: u16, expected: &Value) {
        assert_eq!(self.status, status, "{self:?}");
        assert_members(&self.body, expected);
    }

    /// Asserts that the reply is a valid problem document (RFC 9457, `specification.md#errors`).
    pub fn assert_problem(&self) {
        let body = &self.body;
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        assert!(!self.header("x-request-id").is_empty(), "{self:?}");
        assert_eq!((&body["ok"], &body["status"]), (&json!(false), &json!(self.status)), "{self:?}");
        for member in ["type", "title", "detail", "code"] {
            assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "{member}: {self:?}");
        }
    }
}

/// A document for a snapshot. Replaces each of `names` (text, name) and all machine times.
pub fn snapshot_of(document: &Value, names: &[(&str, &str)]) -> String {
    let mut document = document.clone();
    without_machine_times(&mut document);
    let text = serde_json::to_string_pretty(&document).unwrap();
    names.iter().fold(text, |text, (found, name)| text.replace(found, name))
}

/// Replaces all durations that depend on the machine, and the scores that depend on them.
pub(super) fn without_machine_times(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_machine_times),
        Value::Object(members) => {
            let mark = |members: &mut Map<String, Value>, names: &[&str]| {
                for name in names {
                    if let Some(member) =
                        members.get_mut(*name).filter(|member| !member.is_null() && !member.is_object())
                    {
                        *member = json!(format!("[{name}]"));
                    }
                }
            };
            if members.get("id").is_some_and(|id| id == "latency") {
                mark(members, &["points", "why"]);
            }
            if members.contains_key("latency_ms") {
                mark(members, &["latency_ms", "score"]);
            }
            mark(members, &["latency_p50_ms", "latency_p95_ms", "probe_score", "took_ms"]);
            // Of the stored history.
            if members.contains_key("since") {
                mark(members, &["ms"]);
            }
            if members.contains_key("breakdown") {
                mark(members, &["value", "score"]);
            }
            members.values_mut().for_each(without_machine_times);
        }
        _ => {}
    }
}
