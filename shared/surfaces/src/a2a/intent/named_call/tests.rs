use super::*;

#[test]
fn calls_are_read_from_data_parts() {
    for data in [
        json!({ "operation": "check_status", "arguments": { "id": "x" } }),
        json!({ "skill": "check-status", "args": { "id": "x" } }),
        json!({ "skill": { "id": "check-status" }, "input": { "id": "x" } }),
        json!({ "tool": "get_listing_status", "params": { "id": "x" } }),
        json!({ "name": "check_status", "arguments": { "id": "x" } }),
        json!({ "action": "poll", "method": "GET", "url": "u", "tool": "check_status", "arguments": { "id": "x" } }),
        json!({ "action": "a", "method": "POST", "url": "u", "tool": "check_status", "body": { "id": "x" } }),
    ] {
        let call = parse(&data).unwrap();
        assert_eq!(call.entry.unwrap().name, "check_status", "{data}");
        assert_eq!(call.arguments, json!({ "id": "x" }), "{data}");
    }
    let act = parse(&json!({ "action": "check_status", "id": "x" })).unwrap();
    assert_eq!((act.entry.unwrap().name, act.arguments), ("check_status", json!({ "id": "x" })));
    assert!(parse(&json!({ "action": "message", "listing_id": "x" })).is_none());
    assert!(parse(&json!({ "tool": "no_such" })).unwrap().entry.is_none());
    for data in
        [json!({ "name": "Bob" }), json!({ "tool": 7 }), json!([1]), json!(null), json!({ "tool": " " })]
    {
        assert!(parse(&data).is_none(), "{data}");
    }
}
