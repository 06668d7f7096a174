//! An answer as a caller sees it, and the means to write it into a snapshot: what differs from run to run is named.

use http::HeaderMap;
use serde_json::{Map, Value, json};

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The JSON of the body; a text where it is none.
    pub body: Value,
}

impl Reply {
    pub(super) async fn of(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text().await.unwrap();
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        Self { status, headers, body }
    }

    /// A header, empty where it is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// What a refusal says: status, code, field, and what to do.
    #[must_use]
    pub fn refusal(&self) -> String {
        let text = |name: &str| self.body[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} `{}`: {}", self.status, text("code"), text("field"), text("detail"))
    }

    /// The same with these members of the body only.
    #[must_use]
    pub fn only(&self, members: &[&str]) -> Self {
        let kept = |name: &String| members.contains(&name.as_str());
        let body = self.body.as_object().unwrap().iter().filter(|(name, _)| kept(name));
        let body = body.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into();
        Self { body, ..self.clone() }
    }

    /// The same without these members of the body.
    #[must_use]
    pub fn without(&self, members: &[&str]) -> Self {
        let names: Vec<&str> = self.body.as_object().unwrap().keys().map(String::as_str).collect();
        self.only(&names.into_iter().filter(|name| !members.contains(name)).collect::<Vec<_>>())
    }

    /// Status and body as a snapshot shows them: each of `names` (found text, name) is put in, and times of the
    /// machine go.
    #[must_use]
    pub fn snapshot(&self, names: &[(&str, &str)]) -> String {
        format!("HTTP {}\n{}", self.status, snapshot_of(&self.body, names))
    }

    /// Holds what every problem document must hold (RFC 9457, design §5 Errors).
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

/// A document as a snapshot shows it: each of `names` (found text, name) is put in, and times of the machine go.
#[must_use]
pub fn snapshot_of(document: &Value, names: &[(&str, &str)]) -> String {
    let mut document = document.clone();
    without_machine_times(&mut document);
    let text = serde_json::to_string_pretty(&document).unwrap();
    names.iter().fold(text, |text, (found, name)| text.replace(found, name))
}

/// Puts a mark in the place of every time that the machine took, and of the scores that hang on it.
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
            if members.contains_key("breakdown") {
                mark(members, &["value", "score"]);
            }
            members.values_mut().for_each(without_machine_times);
        }
        _ => {}
    }
}
