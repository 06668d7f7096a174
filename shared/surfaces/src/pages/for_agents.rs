//! `/for-agents`: the guide. How to be listed, found and proven; every door with a request that can be sent as it stands;
//! what a probe asks; and the form by which a person lists a server. Made from the catalogue and the settings.

use askama::Template;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::frame::{self, Frame, Section, html};
use super::publish_form::PublishForm;
use super::snippets::{self, Command};
use crate::documents::{Document, DocumentRequest};
use registry_app::App;
use registry_domain::funnel::{self, Stage};
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REVISIONS};
use registry_model::settings::Settings;
use registry_operations::intent;
use registry_operations::{
    ARD_SEARCH, ATTEST, BIND_IDENTITY, CHECK_STATUS, DESCRIPTIONS, Description, LIST_YOURSELF,
    MATCH_CAPABILITY, SCORE,
};

/// An MCP revision in which a call needs only name and arguments; the newest one needs headers and `_meta`.
const PLAIN_REVISION: &str = MCP_REVISIONS[1];

#[derive(Debug)]
pub(super) struct ForAgents;

#[derive(Template)]
#[template(path = "for_agents.html")]
struct Page<'a> {
    frame: Frame<'a>,
    settings: &'a Settings,
    form: PublishForm,
    list: Command,
    status: Command,
    score: Command,
    search: Command,
    matching: Command,
    attest: Command,
    bind: Command,
    doors: Vec<Door>,
    stages: Vec<Stage>,
    operations: Vec<Entry>,
    user_agent: String,
    name_proof: String,
}

/// What the guide is opened for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct GuideQuery {
    /// A URL that its form is filled with.
    #[serde(default)]
    url: String,
}

struct Door {
    name: &'static str,
    url: String,
    about: String,
    request: Command,
}

struct Entry {
    operation: &'static Description,
    /// Its first route, or the endpoint of its family.
    route: Option<String>,
    curl: Command,
    say: Option<String>,
}

impl Entry {
    fn of(operation: &'static Description, settings: &Settings) -> Self {
        let method = |is_post| if is_post { "POST" } else { "GET" };
        let route =
            snippets::route(operation).map(|route| format!("{} {}", method(route.is_post()), route.path));
        let action = || operation.actions.first().map(|action| format!("POST {}", action.path));
        Self {
            operation,
            route: route.or_else(action),
            curl: snippets::curl(settings, operation),
            say: operation.phrases.first().map(|phrase| intent::filled(phrase)),
        }
    }
}

impl Document for ForAgents {
    const PATHS: &'static [&'static str] = &["/for-agents"];
    const SUMMARY: &'static str = "The guide, for agents and people: how to be listed, found and proven, with requests to send as they stand.";
    const MEDIA_TYPE: &'static str = frame::MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(300);
    const HEADERS: &'static [(&'static str, &'static str)] = frame::HEADERS;
    type Query = GuideQuery;
    type Answer = String;

    fn cache_validator(
        app: &App,
        request: &DocumentRequest<GuideQuery>,
    ) -> Result<Option<CacheValidator>, Problem> {
        if !request.query.url.is_empty() {
            return Ok(None);
        }
        // It changes with the settings and the code, and both only with the process.
        Ok(Some(CacheValidator::weak(&format!("for-agents/{}/{:?}", registry_model::VERSION, app.settings))))
    }

    async fn render(app: &App, request: &DocumentRequest<GuideQuery>) -> Result<Bytes, Problem> {
        let settings = &app.settings;
        let description = "List an agent or MCP server with one request, watch it become Live, find peers that answer, \
            and prove what you are: by REST, MCP, A2A or ARD.";
        let curl = |operation| snippets::curl(settings, operation);
        html(&Page {
            frame: Frame::of(settings, Section::ForAgents, "/for-agents", "For agents", description),
            settings,
            form: PublishForm::of(&request.query.url),
            list: curl(LIST_YOURSELF.described),
            status: curl(CHECK_STATUS.described),
            score: curl(SCORE.described),
            search: curl(ARD_SEARCH.described),
            matching: curl(MATCH_CAPABILITY.described),
            attest: curl(ATTEST.described),
            bind: curl(BIND_IDENTITY.described),
            doors: doors(settings),
            stages: funnel::stages(settings),
            operations: DESCRIPTIONS.iter().map(|operation| Entry::of(operation, settings)).collect(),
            user_agent: settings.user_agent(),
            name_proof: settings.domain_proof_url.replace("{domain}", "<your domain>"),
        })
    }
}

fn doors(settings: &Settings) -> Vec<Door> {
    let (mcp, a2a) = (settings.url(MCP_ENDPOINT), settings.url("/api/a2a"));
    let example: Value = serde_json::from_str(CHECK_STATUS.example).unwrap_or_default();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": CHECK_STATUS.name, "arguments": example } });
    let words = LIST_YOURSELF.phrases.first().map(|phrase| intent::filled(phrase)).unwrap_or_default();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": { "message": {
        "role": "user", "parts": [{ "type": "text", "text": words }] } } });
    vec![
        Door {
            name: "MCP",
            about: format!(
                "Streamable HTTP, without sessions or keys; revisions {}. Every operation is a tool.",
                MCP_REVISIONS.join(", ")
            ),
            request: snippets::post_json(
                &mcp,
                &[
                    ("accept", "application/json, text/event-stream"),
                    ("mcp-protocol-version", PLAIN_REVISION),
                ],
                &call,
            ),
            url: mcp,
        },
        Door {
            name: "A2A",
            about: format!(
                "JSON-RPC and HTTP+JSON, protocol 1.0 and older; the card is at {}. Plain words are understood.",
                settings.url("/.well-known/agent-card.json")
            ),
            request: snippets::post_json(&a2a, &[], &message),
            url: a2a,
        },
        Door {
            name: "REST",
            about: "Every operation below has its path; JSON in, JSON out, problems as RFC 9457.".to_owned(),
            request: snippets::curl(settings, CHECK_STATUS.described),
            url: settings.url("/api/listings/active"),
        },
        Door {
            name: "ARD",
            about: format!(
                "Agentic Resource Discovery: search, list and explore; the catalogue is at {}.",
                settings.url("/.well-known/ai-catalog.json")
            ),
            request: snippets::curl(settings, ARD_SEARCH.described),
            url: settings.url(ARD_BASE),
        },
        Door {
            name: "MCP registry API",
            about: "The API of the official registry, over what is Live here.".to_owned(),
            request: snippets::get(&settings.url("/v0.1/servers?limit=5")),
            url: settings.url("/v0.1/servers"),
        },
    ]
}
