//! Agentic Resource Discovery (ards-project/ard-spec 0.9). Live listings are catalog entries. Any client of
//! the standard can search, explore and browse these entries.

pub(crate) mod browse;
pub(crate) mod catalog_entry;
pub(crate) mod explore;
mod filter;
mod list_filter;
mod routes;
pub(crate) mod search;
pub mod token;

pub use routes::{description, routes};

use crate::prelude::*;

/// ARD §7.2 and §7.4: a larger request is reduced to it.
const MAX_PAGE_SIZE: u64 = 100;

/// The URLs of the ARD calls.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ArdAbout")]
pub(crate) struct About {
    ok: bool,
    protocol: &'static str,
    search: CallExample,
    explore: CallExample,
    agents: CallExample,
    catalog: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CallExample {
    method: &'static str,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

/// The description at the base URL of the ARD API.
async fn about(State(app): State<App>) -> Json<About> {
    let at = |path: &str| app.settings.url(path);
    let post = |path, body| CallExample { method: "POST", url: at(path), body: Some(body) };
    Json(About {
        ok: true,
        protocol: "ard",
        search: post("/api/ard/search", json!({ "query": { "text": "weather forecast" } })),
        explore: post("/api/ard/explore", json!({ "resultType": { "facets": [{ "field": "type" }] } })),
        agents: CallExample { method: "GET", url: at("/api/ard/agents"), body: None },
        catalog: at("/.well-known/ai-catalog.json"),
    })
}

fn page_size(size: Option<u64>, default: usize) -> Result<usize, Problem> {
    match size {
        None => Ok(default),
        Some(0) => Err(Problem::malformed("`pageSize` must be at least 1. A page has at most 100 entries.")),
        Some(size) => Ok(usize::try_from(size.min(MAX_PAGE_SIZE)).unwrap_or(default)),
    }
}
