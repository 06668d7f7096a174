//! `/for-agents`: the guide for agents. It explains how to list, find and prove, and what a probe does. It
//! has an example request for every protocol, and the form for people. It is made from the catalog of
//! operations and the settings.

use super::command::Command;
use super::frame::{Frame, Section, html, page};
use super::problem_page::PublishForm;
use crate::a2a::intent;
use crate::call::{self, Call};
use crate::prelude::*;
use registry_features::funnel::{self, Stage};
use registry_features::listing::operations::{ARD_SEARCH, CHECK_STATUS, MATCH_CAPABILITY};
use registry_features::operation::toolsets::{CORE, FAMILIES};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::SCORE;
use registry_features::trust::operations::{ATTEST, BIND_IDENTITY};
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REVISIONS};

/// An MCP revision in which a call needs only name and arguments; the newest one needs headers and `_meta`.
const PLAIN_REVISION: &str = MCP_REVISIONS[1];

#[derive(Template)]
#[template(path = "for_agents.html")]
struct Page<'a> {
    frame: Frame<'a>,
    form: PublishForm,
    protocols: Vec<Protocol>,
    stages: Vec<Stage>,
    core: Vec<Entry>,
    families: Vec<Family>,
}

impl Page<'_> {
    fn command(&self, operation: &Description) -> Command {
        Command::of(operation, self.frame.settings)
    }
}

/// Options of the guide.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct GuideQuery {
    /// A URL to fill into the form.
    #[serde(default)]
    url: String,
}

struct Protocol {
    name: &'static str,
    url: String,
    about: String,
    request: Command,
}

struct Entry {
    operation: &'static Description,
    /// Method and path, and the command; `None` if REST does not serve it.
    call: Option<(String, Command)>,
    /// A request in plain words.
    phrase: Option<String>,
}

/// Operations that are not in the core.
struct Family {
    name: &'static str,
    about: &'static str,
    operations: Vec<Entry>,
}

fn families(settings: &Settings) -> Vec<Family> {
    let is_core = |operation: &Description| CORE.described().any(|core| core.name == operation.name);
    let families = FAMILIES.iter().map(|family| {
        let others = family.described().filter(|operation| !is_core(operation));
        let operations = others.map(|operation| Entry::of(operation, settings)).collect();
        Family { name: family.name, about: family.about, operations }
    });
    families.collect()
}

impl Entry {
    fn of(operation: &'static Description, settings: &Settings) -> Self {
        let is_served = !operation.routes.is_empty() || !operation.actions.is_empty();
        let call = is_served.then(|| Call::by_example(operation, settings));
        Self {
            operation,
            call: call.map(|call| (format!("{} {}", call.method, call.path), Command::of_call(&call))),
            phrase: operation.phrases().next().map(intent::filled),
        }
    }
}

pub(super) static FOR_AGENTS: AnyDocument = AnyDocument {
    paths: &["/for-agents"],
    summary: "The guide for agents and people. It shows how to list yourself, find listings and prove your identity, \
        with complete example requests.",
    max_age_s: Some(300),
    validator: |app, request| {
        let is_filled = !request.query::<GuideQuery>()?.url.is_empty();
        // It depends on the settings and the code only.
        let made_from = format!("for-agents/{}/{:?}", registry_model::VERSION, app.settings);
        Ok(Some(CacheValidator::weak(&made_from)).filter(|_| !is_filled))
    },
    ..page(|app, request| Box::pin(render(app, request))).with_query::<GuideQuery>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let settings = &app.settings;
    let description = "How to list an agent or MCP server with one request, find listings that answer, \
            and prove your identity. You can use REST, MCP, A2A or ARD.";
    html(&Page {
        frame: Frame::of(settings, Section::ForAgents, "/for-agents", "For agents", description),
        form: PublishForm::of(&request.query::<GuideQuery>()?.url),
        protocols: protocols(settings),
        stages: funnel::stages(settings),
        core: CORE.described().map(|operation| Entry::of(operation, settings)).collect(),
        families: families(settings),
    })
}

fn protocols(settings: &Settings) -> Vec<Protocol> {
    let (mcp, a2a) = (settings.url(MCP_ENDPOINT), settings.url("/api/a2a"));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": CHECK_STATUS.name, "arguments": call::example(CHECK_STATUS.described) } });
    let words = LIST_YOURSELF.phrases().next().map(intent::filled).unwrap_or_default();
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "message/send", "params": { "message": {
        "role": "user", "parts": [{ "type": "text", "text": words }] } } });
    vec![
        Protocol {
            name: "MCP",
            about: format!(
                "Streamable HTTP, without sessions or keys. Supported revisions: {}. Every operation is a \
                tool.",
                MCP_REVISIONS.join(", ")
            ),
            request: Command::post(
                &mcp,
                &[
                    ("accept", "application/json, text/event-stream"),
                    ("mcp-protocol-version", PLAIN_REVISION),
                ],
                &call,
            ),
            url: mcp,
        },
        Protocol {
            name: "A2A",
            about: format!(
                "JSON-RPC and HTTP+JSON, protocol 1.0 and older. The agent card is at {}. You can also send \
                requests in plain words.",
                settings.url("/.well-known/agent-card.json")
            ),
            request: Command::post(&a2a, &[], &message),
            url: a2a,
        },
        Protocol {
            name: "REST",
            about: "Requests and responses are JSON, and errors follow RFC 9457. The list of operations \
                below contains the paths."
                .to_owned(),
            request: Command::of(CHECK_STATUS.described, settings),
            url: settings.url("/api/listings/active"),
        },
        Protocol {
            name: "ARD",
            about: format!(
                "Agentic Resource Discovery: you can search, list and explore. The catalog is at {}.",
                settings.url("/.well-known/ai-catalog.json")
            ),
            request: Command::of(ARD_SEARCH.described, settings),
            url: settings.url(ARD_BASE),
        },
        Protocol {
            name: "MCP registry API",
            about:
                "The same API as the official MCP registry. It returns the MCP servers that are Live here."
                    .to_owned(),
            request: Command::get(&settings.url("/v0.1/servers?limit=5")),
            url: settings.url("/v0.1/servers"),
        },
    ]
}
