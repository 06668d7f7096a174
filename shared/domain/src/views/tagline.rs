//! What this registry is, in the one sentence that pages and documents begin with.

use registry_model::settings::Settings;

#[must_use]
pub fn tagline(settings: &Settings) -> String {
    format!(
        "A registry of AI agents and MCP servers in which every Live row has answered a real protocol handshake within \
         {} days, with the evidence shown.",
        settings.recheck_days
    )
}
