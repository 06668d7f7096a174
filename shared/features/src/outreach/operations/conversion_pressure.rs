//! The daily budget of invitations to the demo: how much of it is used, how many founding seats are left, and
//! the rule for the budget. This operation sends nothing.

use crate::funnel::{self, Deal};
use crate::outreach::budget::{self, DayBudget};
use crate::prelude::*;
use registry_model::Touch;

const SHOWN_TOUCHES: u32 = 10;

pub struct ConversionPressure;

/// The budget of outreach messages (invitations and connector messages) for today.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The current UTC day.
    day: String,
    /// Outreach messages sent today.
    day_sent: u32,
    /// Maximum number of outreach messages today.
    day_cap: u32,
    /// The maximum for this number of Live listings, before the factors in `scaled_by` are applied.
    base_cap: u32,
    /// The factors that scale the maximum.
    scaled_by: ScaledBy,
    /// Outreach messages left today.
    room: u32,
    /// Live listings, also those whose last probe failed.
    live: u32,
    founding: Deal,
    /// The minimum number of days between two messages to one listing.
    cooldown_days: u32,
    law: String,
    /// The latest outreach messages, newest first.
    recent: Vec<Touch>,
}

/// The factors that scale the maximum.
#[derive(Debug, Serialize, JsonSchema)]
struct ScaledBy {
    /// The setting `OUTREACH_BUDGET_PERCENT`.
    percent: u32,
    /// The multiplier `day_budget` of `get_acceleration`, at most 1.8.
    day_budget: f64,
}

impl Operation for ConversionPressure {
    const NAME: &'static str = "conversion_pressure";
    const TITLE: &'static str = "Invitation budget";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Returns how many invitations and connector messages the registry may \
        send today, how many it has sent, and how many are left. Also returns the number of free founding \
        seats, and the pause between two messages to one listing. For the invitations themselves, use \
        demo_nudge.";
    const PHRASES: &'static [&'static str] = &[
        "how many invitations are left today?",
        "what is the conversion pressure?",
        "show the conversion pressure",
        "show the outreach room",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "The registry has sent {day_sent} of {day_cap} invitations and connector messages on {day}; {room} left.",
        "{founding.remaining} of {founding.seats} founding seats are left. One listing gets at most one message in {cooldown_days#day}.",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/conversion-pressure")];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let settings = &app.settings;
        let (day, recent) =
            futures::try_join!(DayBudget::read(app), app.store.recent_touches(SHOWN_TOUCHES))?;
        Ok(Answer {
            day: app.clock.now().utc_day(),
            day_sent: day.sent,
            day_cap: day.cap,
            base_cap: budget::base_cap(day.active),
            scaled_by: ScaledBy { percent: settings.outreach_budget_percent, day_budget: day.multiplier },
            room: day.room(),
            live: day.active,
            founding: funnel::deal(settings, day.live.funnel.seats_claimed),
            cooldown_days: settings.outreach_pause_days,
            law: format!(
                "Invitations go only to Live listings that have not taken their demo, and connector messages only to Live \
                    listings. A listing gets at most one message in {}, and none is sent while `day_cap` is reached.",
                counted(settings.outreach_pause_days, "day")
            ),
            recent,
        })
    }
}
