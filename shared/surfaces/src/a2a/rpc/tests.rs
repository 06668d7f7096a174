use super::*;

fn refusal(body: &'static str) -> (Value, i32) {
    let Malformed { id, error } = read_request(Ok(RawBody(body.into()))).unwrap_err();
    (id, error.code)
}

#[test]
fn malformed_requests_get_the_specified_error_codes() {
    for (body, id, code) in [
        ("", Value::Null, -32700),
        ("{", Value::Null, -32700),
        ("\u{feff}{}", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"help\"}]", Value::Null, -32600),
        ("7", Value::Null, -32600),
        ("{\"id\":1}", json!(1), -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"help\"}", json!("x"), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"help\"}", Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"help\"}", Value::Null, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":7}", json!(1.5), -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"help\",\"params\":[1]}", json!(1), -32602),
    ] {
        assert_eq!(refusal(body), (id, code), "{body}");
    }
    assert_eq!(refusal(Box::leak("[".repeat(100_000).into_boxed_str())), (Value::Null, -32700));
    let request = read_request(Ok(RawBody("{\"jsonrpc\":\"2.0\",\"method\":\"help\"}".into()))).unwrap();
    assert_eq!((request.id, request.method.as_str()), (Value::Null, "help"));
}
