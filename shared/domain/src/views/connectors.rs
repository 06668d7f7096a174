//! The rules of outreach as answers show them: the steps for connectors, the rules for messages, and the
//! limits of this registry.

use schemars::JsonSchema;
use serde::Serialize;

use crate::outreach::connector_day::{MIN_LIKENESS, MIN_LIVE_SCORE};
use registry_model::settings::Settings;

/// How connectors are found and contacted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Playbook {
    goal: String,
    definition_of_connector_class: Vec<String>,
    daily_ritual_15_min: Vec<String>,
    where_to_find_more: Vec<Source>,
    quality_over_quota: Thresholds,
    promote_to_active_when: Vec<String>,
}

/// A place where connectors are found.
#[derive(Debug, Serialize, JsonSchema)]
struct Source {
    source: String,
    how: String,
}

/// A day below these thresholds is a research day.
#[derive(Debug, Serialize, JsonSchema)]
struct Thresholds {
    /// Of 100.
    min_connector_likeness: u8,
    /// Of 10: the score of the last probe in tenths.
    min_live_score: u8,
}

pub fn playbook(settings: &Settings) -> Playbook {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let source = |source: &str, how: String| Source { source: source.to_owned(), how };
    Playbook {
        goal: "Each day, contact one Live listing that connects others to agents and MCP servers.".to_owned(),
        definition_of_connector_class: texts(&[
            "It routes or bridges between peers: a router, gateway, proxy, bridge, relay or broker.",
            "It lists or finds peers: a registry, a discovery service, a directory of agents or servers.",
            "It orchestrates agents: an orchestrator, a coordinator, a swarm, a delegator.",
            "It brings supply and demand together: a marketplace or hub.",
            "It joins other servers into one: a federation, an aggregator, a mesh.",
        ]),
        daily_ritual_15_min: texts(&[
            "Read the pick of the day, its traits and its last probe.",
            "Call the partner yourself, at its endpoint, and see what it does.",
            "Read the replies of earlier partners at /api/products/reply-capture.",
            "On a research day, publish one connector that is not listed yet.",
        ]),
        where_to_find_more: vec![
            source(
                "this registry",
                format!("GET {} and read the Live listings", settings.url("/api/match?q=multi-agent+gateway")),
            ),
            source(
                "the official MCP registry",
                "GET https://registry.modelcontextprotocol.io/v0.1/servers?search=gateway and publish the servers that are not listed here"
                    .to_owned(),
            ),
            source(
                "agents by their well-known cards",
                format!(
                    "Find /.well-known/agent-card.json at the site of a hub and POST its URL to {}",
                    settings.url("/api/publish")
                ),
            ),
        ],
        quality_over_quota: Thresholds {
            min_connector_likeness: MIN_LIKENESS,
            min_live_score: MIN_LIVE_SCORE,
        },
        promote_to_active_when: texts(&[
            "Its last probe is ok and no blocking check fails.",
            "Its weekly rechecks are ok.",
        ]),
    }
}

pub fn laws(settings: &Settings) -> Vec<String> {
    vec![
        "At most one connector receives its first message in a UTC day.".to_owned(),
        format!(
            "A listing that has received a message receives no other within {} days.",
            settings.outreach_pause_days
        ),
        "Only Live listings with clean checks receive messages.".to_owned(),
        "A listing that has opted out never receives a message again.".to_owned(),
        "If no pick reaches the thresholds, the day is a research day without a message.".to_owned(),
    ]
}
