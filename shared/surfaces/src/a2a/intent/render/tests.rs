use registry_settings::Mode;

use super::*;

#[test]
fn help_is_short() {
    let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
    let text = help_text(&settings);
    assert!(text.len() < 1500);
    assert!(text.contains("may send 20 requests per second and publish 60 listings an hour"), "{text}");
    assert_eq!(filled("is {listing_id} live?"), "is {listing_id} live?");
    assert_eq!(filled("find an agent that can {read papers}"), "find an agent that can read papers");
}

#[test]
fn next_step_contains_the_message_to_send() {
    for (step, message) in [
        (
            json!({ "tool": "take_demo", "body": { "listing_id": "mcp-a" } }),
            r#"Say: "take the demo for mcp-a""#,
        ),
        (json!({ "tool": "check_status", "arguments": { "id": "mcp-a" } }), r#"Say: "is mcp-a live?""#),
        (
            json!({ "tool": "list_yourself", "body": { "url": "https://a.example/" } }),
            r#"Say: "list my agent at https://a.example/""#,
        ),
        (
            json!({ "tool": "get_access", "arguments": { "token": "at_x" } }),
            r#"Send: {"tool":"get_access","arguments":{"token":"at_x"}}"#,
        ),
        (
            json!({ "tool": "sense_traces", "body": { "action": "sense_traces", "listing_id": "mcp-a" } }),
            r#"Say: "which traces were left at mcp-a?""#,
        ),
        (json!({ "tool": "take_demo" }), ""),
        (json!({ "method": "GET", "url": "/x" }), ""),
    ] {
        let mut step = step;
        step["note"] = json!("Go on.");
        assert_eq!(next(&step).unwrap(), format!("Next: Go on. {message}").trim_end());
    }
}
