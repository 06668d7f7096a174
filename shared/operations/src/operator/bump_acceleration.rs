//! The operator adds to the acceleration index by hand, such as for what happened elsewhere. It is kept and shown apart
//! from what was counted, and decays like it.

use crate::operator_token;
use crate::prelude::*;
use registry_domain::economy::acceleration::{self, OPERATOR_BUMP};
use registry_domain::economy::{self, AUTOCATALYSIS_PATH, AUTOCATALYSIS_VERSION, Multipliers, rounded};
use registry_model::TrailEvent;
use registry_model::error::shorten;

/// The amount where none is given.
const USUAL: f64 = 10.0;
/// The most that may be given.
const MOST: f64 = 50.0;

pub struct BumpAcceleration;

/// As what it is to count.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The event whose weight is added: `take_demo`, `leave_feedback` or another of `inputs` in `get_acceleration`.
    event: Option<String>,
    /// How much: the weight is scaled by a tenth of it, from a quarter to three times. From 1 to 50; 10 if not given.
    #[schemars(range(min = 1.0, max = 50.0))]
    amount: Option<f64>,
}

/// What was added.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// As which event it is shown: `operator_bump`.
    counted_as: &'static str,
    event: &'static str,
    amount: f64,
    /// What it added to the index, which is 3 at most.
    added: f64,
    /// The index now.
    acceleration_index: f64,
    multipliers: Multipliers,
    formula: &'static str,
}

impl Operation for BumpAcceleration {
    const NAME: &'static str = "bump_acceleration";
    const TITLE: &'static str = "Bump the acceleration index";
    const DESCRIPTION: &'static str = "For the operator of this registry, with the operator token: adds the weight of an \
        event to the acceleration index. It decays within days and is shown as operator_bump.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"event": "take_demo", "amount": 10}"#;
    const PHRASES: &'static [&'static str] = &["bump the acceleration index", "add an operator bump"];
    const ACTIONS: &'static [Action] = &[Action { path: AUTOCATALYSIS_PATH, names: &["bump"] }];
    const REFUSALS: &'static [u16] = &[401, 403];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let amount = arguments.amount.unwrap_or(USUAL);
        if !(1.0..=MOST).contains(&amount) {
            return Err(Problem::invalid("amount", "out_of_range", "`amount` must be from 1 to 50."));
        }
        let event = weighted_event(arguments.event.as_deref())?;
        let added = acceleration::bump(event, amount);
        app.store.add_bump(added, app.clock.now()).await?;
        let found = economy::acceleration(app).await?;
        Ok(Answer {
            ok: true,
            version: AUTOCATALYSIS_VERSION,
            counted_as: OPERATOR_BUMP,
            event: event.as_str(),
            amount,
            added: rounded(added),
            acceleration_index: found.index,
            multipliers: Multipliers::of(found.excess),
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
    let given = name.map_or("nothing".to_owned(), |name| format!("`{}`", shorten(name, 60)));
    let detail = format!("`event` is {given}; it must be one of: {}.", names.join(", "));
    Err(Problem::invalid("event", "unknown_event", detail))
}
