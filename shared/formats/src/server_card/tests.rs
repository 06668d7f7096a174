use super::*;
use serde_json::json;

#[test]
fn server_cards_of_proposal_sep_2127_are_parsed() {
    let card = parse_server_card(&json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": "com.example/weather", "version": "1.2.0", "title": "Weather", "description": "Forecasts.",
        "websiteUrl": "https://example.com", "remotes": [
            {"type": "streamable-http", "url": "https://mcp.example.com/mcp"},
            {"type": "sse", "url": "https://mcp.example.com/sse"},
            {"type": "streamable-http", "url": "https://mcp.example.com/mcp"}]
    }))
    .unwrap();
    assert_eq!(card.name.as_deref(), Some("com.example/weather"));
    assert_eq!(card.title.as_deref(), Some("Weather"));
    assert_eq!(card.version.as_deref(), Some("1.2.0"));
    assert_eq!(card.website.as_deref(), Some("https://example.com"));
    assert_eq!(card.endpoints, ["https://mcp.example.com/mcp", "https://mcp.example.com/sse"]);
}

#[test]
fn server_card_of_this_registry_is_read() {
    let card = parse_server_card(&json!({
        "schema_version": "2026-07-28", "name": "registry", "title": "Registry", "description": "Lists.",
        "website_url": "https://r.example", "version": "2.9.0",
        "remotes": [{"type": "streamable-http", "url": "https://r.example/api/protocol", "headers": {}}],
        "tools_endpoint": "https://r.example/api/protocol", "packages": []
    }))
    .unwrap();
    assert_eq!(card.website.as_deref(), Some("https://r.example"));
    assert_eq!(card.endpoints, ["https://r.example/api/protocol"]);
}

#[test]
fn server_cards_of_older_drafts_are_parsed() {
    let card = parse_server_card(&json!({
        "version": "1.0", "protocolVersion": "2025-06-18", "description": "Searches.",
        "serverInfo": {"name": "finder", "title": "Finder", "version": "3.1"},
        "transport": {"type": "streamable-http", "endpoint": "/mcp"}, "tools": "dynamic"
    }))
    .unwrap();
    assert_eq!((card.name.as_deref(), card.version.as_deref()), (Some("finder"), Some("3.1")));
    assert_eq!(card.description.as_deref(), Some("Searches."));
    assert_eq!(card.endpoints, ["/mcp"]);
    let card = parse_server_card(
        &json!({"mcp_version": "2025-06-18", "name": "x", "endpoint": "https://x.example/mcp"}),
    );
    assert_eq!(card.unwrap().endpoints, ["https://x.example/mcp"]);
    let card = parse_server_card(
        &json!({"serverInfo": {"name": "x"}, "transport": {"type": "stdio", "endpoint": "x"}}),
    );
    assert_eq!(card.unwrap().endpoints, Vec::<String>::new());
}

#[test]
fn other_documents_are_not_server_cards() {
    let others = [
        json!({"name": "a", "url": "https://a.example", "skills": []}),
        json!({"name": "a", "supportedInterfaces": [], "remotes": [{"url": "https://a.example"}]}),
        json!({"name": "a", "endpoint": "https://a.example"}),
        json!({"start_url": "/", "name": "Shop"}),
        json!([{"serverInfo": {}}]),
        json!("serverInfo"),
    ];
    for document in others {
        assert_eq!(parse_server_card(&document), None, "{document}");
    }
}
