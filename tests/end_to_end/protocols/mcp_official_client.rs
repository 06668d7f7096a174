//! Runs the official Rust client against the MCP endpoint in each of its lifecycle modes. The client
//! connects, lists tools, calls tools, and gets an error for an unknown tool.

use registry::operations::toolsets::{CORE, SPECIFIED};
use rmcp::model::{CallToolRequestParams, ClientConfig, ErrorCode, ProtocolVersion};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::{Value, json};
use tests::test_registry::{TestRegistry, client};

type Client = RunningService<RoleClient, ClientConfig>;

async fn connect(registry: &TestRegistry, path: &str, lifecycle: ClientLifecycleMode) -> Client {
    let config = StreamableHttpClientTransportConfig::with_uri(registry.url(path));
    let transport = StreamableHttpClientTransport::with_client(client(), config);
    ClientConfig::default().serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

fn auto() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

fn discover() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn call(name: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(arguments.as_object().unwrap().clone())
}

/// Lists and calls tools. The results do not depend on the lifecycle mode.
async fn use_tools(client: &Client, count: usize) {
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), count);

    let found =
        client.call_tool(call("search_active", &json!({ "limit": 3, "detail": "full" }))).await.unwrap();
    assert_eq!(found.is_error, Some(false), "{found:?}");
    let structured = found.structured_content.unwrap();
    assert_eq!((&structured["ok"], &structured["listings"]), (&json!(true), &json!([])));
    let text = found.content[0].as_text().unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text.text).unwrap(), structured);

    let absent = json!({ "id": "agtpub_00000000000000000000" });
    let failed = client.call_tool(call("get_listing_status", &absent)).await.unwrap();
    assert_eq!(failed.is_error, Some(true));
    let problem = failed.structured_content.unwrap();
    assert_eq!(
        (&problem["code"], &problem["next"]["action"]),
        (&json!("listing_not_found"), &json!("publish"))
    );

    match client.call_tool(call("nope", &json!({}))).await {
        Err(ServiceError::McpError(error)) => {
            assert_eq!((error.code, &*error.message), (ErrorCode::INVALID_PARAMS, "Unknown tool: nope"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn client_that_tries_the_newest_version_first_gets_it() {
    let registry = TestRegistry::start().await;
    // With the tool that lists the toolsets.
    let core = CORE.operations.len() + 1;
    for (path, count) in [("/api/protocol", SPECIFIED.operations.len()), ("/mcp", core)] {
        let client = connect(&registry, path, auto()).await;
        assert_eq!(client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2026_07_28);
        use_tools(&client, count).await;
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn client_works_without_a_handshake() {
    let registry = TestRegistry::start().await;
    let client = connect(&registry, "/api/protocol", discover()).await;
    assert_eq!(client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2026_07_28);
    use_tools(&client, SPECIFIED.operations.len()).await;
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn client_with_a_handshake_gets_2025_11_25() {
    let registry = TestRegistry::start().await;
    let client = connect(&registry, "/api/protocol", ClientLifecycleMode::Initialize).await;
    assert_eq!(client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2025_11_25);
    use_tools(&client, SPECIFIED.operations.len()).await;
    client.cancel().await.unwrap();
}
