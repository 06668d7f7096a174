use serde_json::{Value, json};

fn required(card: Value) -> bool {
    match card {
        Value::Object(card) => super::required(&card),
        _ => unreachable!("cards are objects"),
    }
}

#[test]
fn credentials_are_needed_if_every_alternative_needs_them() {
    let bearer = json!({"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}});
    let needed = [
        json!({"securitySchemes": bearer, "securityRequirements": [{"schemes": {"bearer": {"list": []}}}]}),
        json!({"securitySchemes": {"key": {"type": "apiKey"}}, "security": [{"key": []}]}),
        json!({"security": [{"undeclared": []}]}),
        json!({"authentication": {"schemes": ["Bearer"]}}),
    ];
    for card in needed {
        assert!(required(card.clone()), "{card}");
    }
    let open = [
        json!({}),
        json!({"securitySchemes": bearer}),
        json!({"securityRequirements": [{}]}),
        json!({"securityRequirements": [{"schemes": {"bearer": {"list": []}}}, {}]}),
        json!({"securitySchemes": {"none": {"type": "http", "scheme": "none"}}, "securityRequirements": [{"none": []}]}),
        json!({"securitySchemes": {"open": {"httpAuthSecurityScheme": {"scheme": "none"}}}, "security": [{"open": []}]}),
        json!({"authentication": {"schemes": ["none"]}}),
        json!({"authentication": {"schemes": []}}),
        json!({"authentication": {}}),
        json!({"security": "yes", "authentication": 7}),
    ];
    for card in open {
        assert!(!required(card.clone()), "{card}");
    }
}
