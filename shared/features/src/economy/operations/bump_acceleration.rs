//! Lets the operator increase the acceleration index, for example for events outside the registry. The
//! increase is stored and shown separately from counted events. It decreases with time in the same way.

use crate::economy::acceleration::{self, OPERATOR_BUMP};
use crate::economy::{Multipliers, rounded};
use crate::operation::operator_token;
use crate::prelude::*;
use registry_model::TrailEvent;

const DEFAULT_AMOUNT: f64 = 10.0;
const MAX_AMOUNT: f64 = 50.0;

pub struct BumpAcceleration;

/// The event to count, and the amount.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The event whose weight is added: one of the `inputs` of `get_acceleration`, but not `operator_bump`.
    event: Option<String>,
    /// From 1 to 50. Default: 10. The weight is multiplied by a factor: amount / 10, but not less than 0.25
    /// and not more than 3.
    #[schemars(range(min = 1.0, max = 50.0), extend("default" = 10))]
    amount: Option<f64>,
}

/// The added value and the index.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The name under which the added value is shown: `operator_bump`.
    counted_as: &'static str,
    event: &'static str,
    amount: f64,
    /// The value that was added. The index is at most 3.
    added: f64,
    /// The index after the call.
    acceleration_index: f64,
    multipliers: Multipliers,
    formula: &'static str,
}

impl Operation for BumpAcceleration {
    const NAME: &'static str = "bump_acceleration";
    const TITLE: &'static str = "Bump the acceleration index";
    const FAMILY: Option<Family> = Some(Family::AUTOCATALYSIS);
    const DESCRIPTION: &'static str = "Adds the weight of an event to the acceleration index (recent \
        activity), for example for an event outside the registry. Only for the operator (bearer token). Pass \
        event and amount. The added value decreases within days and is shown as operator_bump. Returns the \
        new index.";
    const PHRASES: &'static [&'static str] = &["bump the acceleration index", "add an operator bump"];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"event": "take_demo", "amount": 10}"#;
    const SUMMARY: &'static [&'static str] =
        &["{event} adds {added}; the acceleration index is now {acceleration_index}."];
    const ACTION: &'static str = "bump";
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Unauthenticated, ErrorKind::Forbidden];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let amount = arguments.amount.unwrap_or(DEFAULT_AMOUNT);
        if !(1.0..=MAX_AMOUNT).contains(&amount) {
            return Err(Problem::invalid("amount", Code::OutOfRange, "`amount` must be from 1 to 50."));
        }
        let event = weighted_event(arguments.event.as_deref())?;
        let added = acceleration::bump(event, amount);
        app.store.add_bump(added, app.clock.now()).await?;
        let found = crate::economy::acceleration(app).await?;
        Ok(Answer {
            counted_as: OPERATOR_BUMP,
            event: event.as_str(),
            amount,
            added: rounded(added),
            acceleration_index: found.index,
            multipliers: found.multipliers(),
            formula: "added = weight(event) * clamp(amount / 10, 0.25, 3)",
        })
    }
}

fn weighted_event(name: Option<&str>) -> Result<TrailEvent, Problem> {
    let weighted = || TrailEvent::ALL.into_iter().filter(|event| acceleration::weight(*event) > 0.0);
    if let Some(event) = weighted().find(|event| Some(event.as_str()) == name) {
        return Ok(event);
    }
    let names: Vec<&str> = weighted().map(TrailEvent::as_str).collect();
    let detail = match name {
        Some(name) => {
            format!("Unknown event `{}`; `event` must be one of: {}.", shorten(name, 60), names.join(", "))
        }
        None => format!("`event` is required; it must be one of: {}.", names.join(", ")),
    };
    Err(Problem::invalid("event", Code::UnknownEvent, detail))
}
