//! The rules of outreach, as answers show them: how to find and contact connectors (listings that connect
//! other listings), and the limits for messages.

use super::connector_day::{MIN_LIKENESS, MIN_LIVE_SCORE};
use crate::prelude::*;

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

/// The thresholds that a connector of the day must reach. If no listing reaches them, the day is a research day without
/// a connector.
#[derive(Debug, Serialize, JsonSchema)]
struct Thresholds {
    /// The minimum of `connector_likeness`, from 0 to 100.
    min_connector_likeness: u8,
    /// The minimum of `live_score`, from 0 to 10: the score of the last probe, divided by 10.
    min_live_score: u8,
}

pub fn playbook(settings: &Settings) -> Playbook {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let source = |source: &str, how: String| Source { source: source.to_owned(), how };
    Playbook {
        goal: "Each day, contact one Live listing that connects its users to agents and MCP servers (a \
            connector).".to_owned(),
        definition_of_connector_class: texts(&[
            "It forwards requests between agents or servers: a router, gateway, proxy, bridge, relay or \
             broker.",
            "It lists or finds agents or servers: a registry, a discovery service or a directory.",
            "It orchestrates agents: an orchestrator, coordinator, swarm or delegator.",
            "It connects providers and users of agents: a marketplace or hub.",
            "It combines several servers into one: a federation, aggregator or mesh.",
        ]),
        daily_ritual_15_min: texts(&[
            "Read about the connector of the day: its traits and its last probe.",
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
                    "Find /.well-known/agent-card.json at the site of a hub, and POST the URL of the card to \
                     {}",
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
        "At most one connector message is sent in a UTC day.".to_owned(),
        format!("A listing receives at most one invitation within {} days.", settings.outreach_pause_days),
        "Only Live listings with clean checks receive invitations.".to_owned(),
        "A listing that has opted out receives no invitation until its owner opts in.".to_owned(),
        "On a research day (no listing reaches the thresholds), no connector message is sent.".to_owned(),
    ]
}
