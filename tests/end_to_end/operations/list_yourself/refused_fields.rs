//! Tests publish bodies with invalid fields. Each refusal names the field.

use tests::prelude::*;

use crate::fixtures::refused_bodies;

const URL: &str = "https://agent.example.org/agent-card.json";

/// What a body must contain, the type of each field, and the rules of texts and addresses.
#[tokio::test]
async fn invalid_body_is_refused_with_its_field_and_rule() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let bodies = [
        json!({}),
        json!({ "name": "Adder", "contact_email": "a@example.org" }),
        json!({ "uri": URL }),
        json!([URL]),
        json!(URL),
        json!(null),
        json!(7),
        json!({ "agent_card_url": URL, "mcp_url": "https://agent.example.org/mcp" }),
        agents::card_at("Adder", "https://agent.example.org/rpc"),
    ];
    let refused = refused_bodies(&registry, "/api/publish", &json!({}), bodies).await;
    let fields = [
        json!({ "url": 5 }),
        json!({ "server_json": "a text" }),
        json!({ "server_json": { "name": "org.example/adder" } }),
        json!({ "name": "" }),
        json!({ "name": "x".repeat(121) }),
        json!({ "name": "a\u{7}b" }),
        json!({ "name": "safe\u{202e}cod.exe" }),
        json!({ "name": "jane@example.org" }),
        json!({ "source": "x".repeat(201) }),
        json!({ "source": "line\nline" }),
        json!({ "contact_email": "nobody" }),
        json!({ "contact_email": "a b@example.org" }),
        json!({ "contact_email": "a@example.org\r\nBcc: b@example.org" }),
        json!({ "contact_email": format!("{}@example.org", "a".repeat(65)) }),
    ];
    let of_fields = refused_bodies(&registry, "/api/publish", &json!({ "url": URL }), fields).await;
    insta::assert_snapshot!(refused + &of_fields);
    assert_eq!(registry.table().await.keys(), [""; 0], "a refused body wrote to the table");
}
