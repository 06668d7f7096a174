//! Lists the tools of MCP servers with the official Rust SDK: one URL per line on stdin, one JSON line per URL on stdout.

use std::error::Error;
use std::time::Duration;

use futures::StreamExt;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

/// The time limit for a URL, in steps, which take longer while the process is busy.
const TICKS: u32 = 100;
const TICK: Duration = Duration::from_millis(100);
const AT_ONCE: usize = 16;

async fn offers(url: &str) -> Result<Value, Box<dyn Error>> {
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let client = ().serve_with_lifecycle(StreamableHttpClientTransport::from_uri(url), lifecycle).await?;
    let capabilities = client.peer_info().map(|info| info.capabilities.clone()).unwrap_or_default();
    let mut tools = Vec::new();
    if capabilities.tools.is_some() {
        tools = client.list_all_tools().await?.into_iter().map(|tool| tool.name).collect();
    } else {
        if capabilities.prompts.is_some() {
            client.list_prompts(None).await?;
        }
        if capabilities.resources.is_some() {
            client.list_resources(None).await?;
        }
    }
    Ok(json!({ "ok": true, "tools": tools }))
}

async fn answer(url: String) -> Value {
    let late = async {
        for _ in 0..TICKS {
            tokio::time::sleep(TICK).await;
        }
    };
    let mut answer = tokio::select! {
        offered = offers(&url) => offered.unwrap_or_else(|error| {
            let cause = format!("{error:?}");
            json!({ "ok": false, "error": cause.chars().take(300).collect::<String>() })
        }),
        () = late => json!({ "ok": false, "error": "time limit" }),
    };
    answer["url"] = url.into();
    answer
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut urls = Vec::new();
    while let Some(url) = lines.next_line().await? {
        urls.push(url);
    }
    let mut answers = futures::stream::iter(urls).map(answer).buffer_unordered(AT_ONCE);
    while let Some(answer) = answers.next().await {
        println!("{answer}");
    }
    Ok(())
}
