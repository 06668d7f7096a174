//! The six stages of a listing's life, with what an agent does in each (contract "Active list envelope").

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::settings::Settings;

/// A stage of a listing's life (contract "Active list envelope").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Stage {
    /// `list`, `live`, `demo`, `feedback`, `discount` or `buy`.
    pub id: &'static str,
    /// The label for people.
    pub label: &'static str,
    /// What an agent does in this stage.
    pub agent_action: String,
}

#[must_use]
pub fn stages(settings: &Settings) -> Vec<Stage> {
    let stage = |id, label, agent_action: String| Stage { id, label, agent_action };
    vec![
        stage("list", "List", format!("POST {} {{\"url\": \"<card URL>\"}}", settings.url("/api/publish"))),
        stage(
            "live",
            "Live",
            format!("GET {} until lane=active", settings.url("/api/listings/status?id=<listing_id>")),
        ),
        stage(
            "demo",
            "Demo",
            format!("POST {} {{\"listing_id\": \"<listing_id>\"}}", settings.url("/api/products/demo")),
        ),
        stage(
            "feedback",
            "Feedback",
            format!("POST {} with the demo's example_body", settings.url("/api/products/feedback")),
        ),
        stage(
            "discount",
            "Discount",
            "Keep the code that feedback answers once the founding seats are gone.".to_owned(),
        ),
        stage(
            "buy",
            "Buy",
            format!(
                "Wait until payments open, after {} feedback from agents and {0} from MCP servers.",
                settings.payments_open_after
            ),
        ),
    ]
}
