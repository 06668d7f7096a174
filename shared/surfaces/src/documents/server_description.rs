//! `/api/mcp-registry/server.json`: this registry's own entry as other MCP registries take it (`server.json`, schema of
//! 2025-12-11).

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Document, DocumentRequest, NoQuery, json};
use super::mcp_server_card::DESCRIPTION;
use registry_app::App;
use registry_domain::views::own_server_name;
use registry_model::error::Problem;
use registry_model::protocol::{MCP_SHORT_ENDPOINT, SERVER_DESCRIPTION_SCHEMA};
use registry_model::settings::Settings;

/// A server description.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerDescription {
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// The domain reversed, a slash, and the server's own name.
    name: String,
    title: String,
    description: &'static str,
    version: &'static str,
    website_url: String,
    /// Where it is reached.
    remotes: [Remote; 1],
}

#[derive(Debug, Serialize, JsonSchema)]
struct Remote {
    #[serde(rename = "type")]
    transport: &'static str,
    url: String,
}

#[derive(Debug)]
pub(super) struct OwnServerDescription;

impl Document for OwnServerDescription {
    const PATHS: &'static [&'static str] = &["/api/mcp-registry/server.json"];
    const SUMMARY: &'static str = "This registry's own server.json, as other MCP registries take it.";
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = ServerDescription;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&description(&app.settings))
    }
}

fn description(settings: &Settings) -> ServerDescription {
    ServerDescription {
        schema: SERVER_DESCRIPTION_SCHEMA,
        name: own_server_name(settings),
        title: settings.brand.clone(),
        description: DESCRIPTION,
        version: registry_model::VERSION,
        website_url: settings.base_url.clone(),
        remotes: [Remote { transport: "streamable-http", url: settings.url(MCP_SHORT_ENDPOINT) }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_formats::server_json;
    use registry_model::Reach;
    use registry_model::settings::Mode;

    #[test]
    fn it_is_taken_where_others_publish_theirs() {
        let lookup = |name: &str| (name == "BASE_URL").then(|| "https://registry.example.com".to_owned());
        let settings = Settings::from_env(Mode::Public, lookup).unwrap();
        let document = serde_json::to_value(description(&settings)).unwrap();
        let read = server_json::read(&document, Reach::Public).unwrap();
        assert_eq!(read.name, "com.example.registry/registry");
        assert_eq!(read.remotes[0].url.as_str(), "https://registry.example.com/mcp");
    }
}
