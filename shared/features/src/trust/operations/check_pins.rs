//! Checks pins of tools: whether servers still offer exactly the tools that a client approved, and what changed.

use std::collections::HashSet;

use schemars::{Schema, SchemaGenerator, json_schema};

use crate::prelude::*;
use crate::trust::pins::{self, MAX_PINS, Pin, PinResult, PinState};

pub struct CheckPins;

/// The pins to check.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The approved tools or tool sets.
    #[schemars(schema_with = "pins_schema")]
    pins: Vec<Pin>,
}

fn pins_schema(_: &mut SchemaGenerator) -> Schema {
    let text = |limit: u32, about: &str| json!({ "type": ["string", "null"], "maxLength": limit, "description": about });
    json_schema!({
        "type": "array",
        "description": "The approved tools or tool sets, from `listing_tools`.",
        "minItems": 1,
        "maxItems": MAX_PINS,
        "items": {
            "type": "object",
            "required": ["hash"],
            "anyOf": argument_schema::one_of(&["listing_id", "endpoint"]),
            "properties": {
                "listing_id": text(200, "The id of the listing."),
                "endpoint": text(2048, "The URL of a Live MCP server, instead of `listing_id`."),
                "tool": text(200, "The name of a tool. Default: the pin is for the whole tool set."),
                "hash": {
                    "type": "string",
                    "pattern": "^(sha256:)?[0-9a-f]{64}$",
                    "description": "The hash of the tool, or `tools_hash` of the set.",
                },
            },
        },
    })
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    all_hold: bool,
    holding: usize,
    /// How many pins do not hold, or cannot be checked.
    failing: usize,
    /// The results in the order of the pins.
    pins: Vec<PinResult>,
}

impl Operation for CheckPins {
    const NAME: &'static str = "check_pins";
    const TITLE: &'static str = "Check pinned tools";
    const VERSION: Option<&'static str> = Some(crate::trust::VERSION);
    const DESCRIPTION: &'static str = "Checks whether the tools last read from MCP servers are those that you approved. \
        Pass pins: at most 100 hashes of tools or tool sets from listing_tools. Returns which hold, what changed \
        and how severe it is, and the latest entry of the evidence log about each server.";
    const PHRASES: &'static [&'static str] = &["check my pinned tools"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"pins": [{"listing_id": "agtpub_0123456789abcdef0123", "tool": "add", "hash": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"}]}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Pins that hold: {holding}. Pins that do not hold or cannot be checked: {failing}.",
        "[pins]{listing_id} | {tool} | : {state} | , severity {severity} | ; no probe has passed since {failing_since}",
    ];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/pins/check", Ok)];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let servers: HashSet<_> = arguments.pins.iter().map(|pin| (&pin.listing_id, &pin.endpoint)).collect();
        // Each can have thousands of tools.
        if servers.len() > 10 {
            app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
        }
        let pins = pins::check(app, &arguments.pins).await?;
        let holding = pins.iter().filter(|pin| pin.state == PinState::Holds).count();
        Ok(Answer { all_hold: holding == pins.len(), holding, failing: pins.len() - holding, pins })
    }
}
