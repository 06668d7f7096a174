use super::*;
use crate::a2a::v1::send_schema;

fn message(message: &Value, dialect: Dialect) -> Result<Message, RpcError> {
    let params = json!({ "message": message });
    read_message(Fields::at(&params, "").unwrap(), dialect, || "new".to_owned())
}

#[test]
fn parts_of_every_dialect_are_accepted() {
    for (part, content) in [
        (json!({ "text": "x" }), Content::Text("x".to_owned())),
        (json!({ "kind": "text", "text": "x" }), Content::Text("x".to_owned())),
        (json!({ "type": "text", "text": "x" }), Content::Text("x".to_owned())),
        (json!({ "text": "" }), Content::Text(String::new())),
        (json!({ "kind": "data", "data": [1] }), Content::Data(json!([1]))),
        (json!({ "url": "https://a", "mediaType": "x/y" }), Content::Url("https://a".to_owned())),
        (json!({ "kind": "file", "file": { "uri": "https://a" } }), Content::Url("https://a".to_owned())),
        (
            json!({ "kind": "file", "file": { "bytes": "aGk=", "name": "f" } }),
            Content::Raw("aGk=".to_owned()),
        ),
    ] {
        let message = message(&json!({ "role": "user", "parts": [part] }), Dialect::V03).unwrap();
        assert_eq!(message.parts[0].content, content);
    }
}

#[test]
fn described_messages_are_accepted() {
    let described = jsonschema::validator_for(&send_schema()).unwrap();
    for changed in [
        json!({}),
        json!({ "contextId": null, "taskId": "t", "metadata": {}, "extensions": ["https://a"] }),
        json!({ "role": "ROLE_AGENT", "referenceTaskIds": null }),
        json!({ "parts": [{ "data": [1], "url": null, "mediaType": "x/y" }, { "text": "", "data": null }] }),
        json!({ "messageId": "" }),
        json!({ "messageId": "x".repeat(129) }),
        json!({ "contextId": "a\u{7}" }),
        json!({ "metadata": [] }),
        json!({ "extensions": [1] }),
        json!({ "parts": vec![json!({ "text": "x" }); MAX_PARTS + 1] }),
        json!({ "parts": [{ "text": "x", "data": 1 }] }),
        json!({ "parts": [{ "text": "x", "filename": 1 }] }),
    ] {
        let mut value = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x" }] });
        for (name, changed) in changed.as_object().unwrap() {
            value[name] = changed.clone();
        }
        let is_described = described.is_valid(&json!({ "message": value }));
        assert_eq!(is_described, message(&value, Dialect::V1).is_ok(), "{value}");
    }
}

#[test]
fn data_that_could_not_be_read_again_is_refused() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let read = |data: Value| message(&json!({ "parts": [{ "data": data }] }), Dialect::V03);
    assert!(read(nested(MAX_LEVELS)).is_ok());
    let error = read(nested(MAX_LEVELS + 1)).unwrap_err();
    assert_eq!(error.data[0]["fieldViolations"][0]["field"], "message.parts[0].data");
}

#[test]
fn error_contains_the_path_of_the_invalid_member() {
    let described = jsonschema::validator_for(&send_schema()).unwrap();
    let text = json!([{ "text": "x" }]);
    for (value, field) in [
        (json!({ "role": "ROLE_USER", "parts": text }), "message.messageId"),
        (json!({ "messageId": "m", "parts": text }), "message.role"),
        (json!({ "messageId": "m", "role": "ROLE_KING", "parts": text }), "message.role"),
        (json!({ "messageId": "m", "role": "ROLE_USER" }), "message.parts"),
        (json!({ "messageId": "m", "role": "ROLE_USER", "parts": [] }), "message.parts"),
        (json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{}] }), "message.parts[0]"),
        (
            json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x", "raw": "y" }] }),
            "message.parts[0]",
        ),
        (json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": 7 }] }), "message.parts[0].text"),
        (json!({ "messageId": 7, "role": "ROLE_USER", "parts": text }), "message.messageId"),
        (json!("hello"), "message"),
    ] {
        assert!(!described.is_valid(&json!({ "message": value })), "{value}");
        let error = message(&value, Dialect::V1).unwrap_err();
        assert_eq!(error.data[0]["fieldViolations"][0]["field"], field, "{value}");
    }
}

#[test]
fn member_names_may_be_in_camel_case_or_snake_case() {
    let value = json!({ "page_size": "10", "historyLength": 3.0, "contextId": null, "flag": true });
    let fields = Fields::at(&value, "").unwrap();
    assert_eq!(fields.number("pageSize", 1, 100), Ok(Some(10)));
    assert_eq!(fields.number("historyLength", 0, 5), Ok(Some(3)));
    assert_eq!(fields.id("contextId"), Ok(None));
    assert_eq!(fields.flag("flag"), Ok(Some(true)));
    for (name, wrong) in
        [("n", json!(0)), ("n", json!(101)), ("n", json!(-1)), ("n", json!("x")), ("n", json!([]))]
    {
        let value = json!({ name: wrong });
        assert!(Fields::at(&value, "").unwrap().number(name, 1, 100).is_err(), "{wrong}");
    }
    let long = json!({ "id": "x".repeat(129) });
    assert!(Fields::at(&long, "").unwrap().id("id").is_err());
    assert!(Fields::at(&json!([]), "p").is_err());
}
