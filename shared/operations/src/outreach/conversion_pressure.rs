//! The daily budget of invitations to demos: how much is used, the founding seats left, and the rule. Sends
//! nothing.

use crate::prelude::*;
use registry_domain::economy::{self, EXONOMICS_PATH};
use registry_domain::funnel::{self, Deal};
use registry_domain::outreach::budget;
use registry_model::Touch;

const SHOWN_TOUCHES: u32 = 10;

pub struct ConversionPressure;

/// The budget of the day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// The current UTC day.
    day: String,
    /// Outreach messages sent today.
    day_sent: u32,
    /// Maximum number of outreach messages today.
    day_cap: u32,
    /// The maximum for this number of Live listings, before scaling.
    base_cap: u32,
    /// The factors that scale the maximum.
    scaled_by: ScaledBy,
    /// Outreach messages left today.
    room: u32,
    /// Live listings.
    active_clean: u32,
    founding: Deal,
    /// Minimum number of days between two messages to a listing.
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
    /// The multiplier `day_budget` of `get_acceleration`, at most 1.8; 1 if `OUTREACH_ACCELERATION` is off.
    day_budget: f64,
}

impl Operation for ConversionPressure {
    const NAME: &'static str = "conversion_pressure";
    const TITLE: &'static str = "Invitation budget";
    const DESCRIPTION: &'static str = "Returns today's budget of outreach messages: how many were sent and \
        how many are left, the maximum, the free founding seats, and the pause between two messages to one \
        listing. Use demo_nudge for the invitations themselves.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["what is the conversion pressure?", "show the conversion pressure", "show the outreach room"];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/conversion-pressure")];
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, names: &["budget"] }];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (store, now, settings) = (&app.store, app.clock.now(), &app.settings);
        let (live, day_sent, recent, multiplier) = futures::try_join!(
            store.live(),
            store.touches_of_day(now),
            store.recent_touches(SHOWN_TOUCHES),
            economy::day_budget_multiplier(app)
        )?;
        let active_clean = live.agents + live.mcps;
        let day_cap = budget::day_cap(active_clean, settings, multiplier);
        Ok(Answer {
            ok: true,
            version: registry_model::VERSION,
            day: now.utc_day(),
            day_sent,
            day_cap,
            base_cap: budget::base_cap(active_clean),
            scaled_by: ScaledBy { percent: settings.outreach_budget_percent, day_budget: multiplier },
            room: day_cap.saturating_sub(day_sent),
            active_clean,
            founding: funnel::deal(settings, live.funnel.seats_claimed),
            cooldown_days: settings.outreach_pause_days,
            law: format!(
                "Only Live listings that have not taken their demo are invited, each at most once in {} days, and all of \
                 them within the cap of the day.",
                settings.outreach_pause_days
            ),
            recent,
        })
    }
}
