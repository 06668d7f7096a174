//! Messages of a client: a request, a notification or a response (JSON-RPC 2.0). In MCP, an id is a string or
//! a whole number, so that every reply can be matched to its request.

use crate::prelude::*;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Id(Value);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) id: Id,
    pub(super) method: String,
    /// Empty if the request has none.
    pub(super) params: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    Request(Request),
    Notification,
    /// Ignored, because this server sends no requests.
    Response,
}

/// JSON that is not a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Malformed {
    /// `None` if it is invalid.
    pub(super) id: Option<Id>,
    pub(super) detail: &'static str,
}

impl Message {
    pub(super) fn read(value: Value) -> Result<Self, Malformed> {
        let Value::Object(mut message) = value else {
            return Err(Malformed { id: None, detail: "A message must be a JSON object." });
        };
        let id = message.remove("id");
        let valid_id = id.clone().and_then(Id::read);
        let wrong = |detail| Err(Malformed { id: valid_id.clone(), detail });
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return wrong("`jsonrpc` must be \"2.0\".");
        }
        let method = match message.remove("method") {
            Some(Value::String(method)) => method,
            Some(_) => return wrong("`method` must be a string."),
            None if message.contains_key("result") || message.contains_key("error") => {
                return Ok(Self::Response);
            }
            None => return wrong("`method` is missing."),
        };
        let params = match message.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return wrong("`params` must be an object."),
        };
        match (id, valid_id) {
            (None, _) => Ok(Self::Notification),
            (Some(_), Some(id)) => Ok(Self::Request(Request { id, method, params })),
            (Some(_), None) => {
                Err(Malformed { id: None, detail: "`id` must be a string or a whole number." })
            }
        }
    }
}

impl Id {
    fn read(value: Value) -> Option<Self> {
        const BOUNDS: (f64, f64) = (-9_223_372_036_854_775_808.0, 18_446_744_073_709_551_616.0);
        // Some clients write whole numbers as `7.0`. Outside the bounds, `serde_json` has read another number.
        let is_whole = |float: f64| float.fract() == 0.0 && float > BOUNDS.0 && float < BOUNDS.1;
        let is_integer = value.is_i64() || value.is_u64() || value.as_f64().is_some_and(is_whole);
        (value.is_string() || is_integer).then_some(Self(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_rpc::request_schema;

    #[test]
    fn described_messages_are_accepted() {
        let described = jsonschema::validator_for(&request_schema()).unwrap();
        for (name, value) in [
            ("id", json!("a")),
            ("id", json!(i64::MIN)),
            ("id", json!(u64::MAX)),
            ("id", json!(7.0)),
            ("id", json!(1.5)),
            ("id", json!(2f64.powi(64))),
            ("id", json!(null)),
            ("method", json!(7)),
            ("params", json!({})),
            ("params", json!([])),
            ("jsonrpc", json!("1.0")),
        ] {
            let mut message = json!({ "jsonrpc": "2.0", "method": "ping" });
            message[name] = value;
            let is_described = described.is_valid(&message);
            assert_eq!(is_described, Message::read(message.clone()).is_ok(), "{message}");
        }
    }

    #[test]
    fn error_for_a_malformed_message_has_its_valid_id() {
        let id = |value: Value| Message::read(value).unwrap_err().id;
        assert_eq!(id(json!({ "id": 7, "method": "ping" })), Some(Id(json!(7))));
        assert_eq!(id(json!({ "jsonrpc": "2.0", "id": 7, "method": 3 })), Some(Id(json!(7))));
        assert_eq!(
            id(json!({ "jsonrpc": "2.0", "id": 7, "method": "x", "params": [1] })),
            Some(Id(json!(7)))
        );
        assert_eq!(id(json!({ "jsonrpc": "2.0", "id": 7 })), Some(Id(json!(7))));
        assert_eq!(id(json!({ "jsonrpc": "2.0", "id": -7.0 })), Some(Id(json!(-7.0))));
        for wrong in [json!(null), json!(1.5), json!(2f64.powi(64)), json!({}), json!([1]), json!(true)] {
            assert_eq!(id(json!({ "jsonrpc": "2.0", "id": wrong, "method": "ping" })), None);
        }
        assert_eq!(id(json!("ping")), None);
    }
}
