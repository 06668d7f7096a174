//! How hard the registry asks for demos: what the day has sent of what it may, the seats that are left, and the rule that
//! binds it. The numbers are the table's; nothing here sends anything.

use crate::prelude::*;
use registry_domain::economy::{self, EXONOMICS_PATH};
use registry_domain::funnel::{self, Deal};
use registry_domain::outreach::budget;
use registry_model::Touch;

/// Touches that are shown.
const RECENT: u32 = 10;

pub struct ConversionPressure;

/// How hard the registry asks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// This UTC day.
    day: String,
    /// First touches of this day.
    day_sent: u32,
    /// What this day may have.
    day_cap: u32,
    /// The contract's cap for so many Live listings, before it is scaled.
    base_cap: u32,
    /// What it is scaled by: the setting, and the acceleration index.
    scaled_by: ScaledBy,
    /// What is left of the day.
    room: u32,
    /// Live listings.
    active_clean: u32,
    founding: Deal,
    /// Days between two touches of one listing.
    cooldown_days: u32,
    law: String,
    /// The latest touches, the newest first.
    recent: Vec<Touch>,
}

/// What the cap is scaled by.
#[derive(Debug, Serialize, JsonSchema)]
struct ScaledBy {
    /// The setting `OUTREACH_BUDGET_PERCENT`.
    percent: u32,
    /// The multiplier `day_budget` of `get_acceleration`, 1.8 at most; 1 where `OUTREACH_ACCELERATION` is off.
    day_budget: f64,
}

impl Operation for ConversionPressure {
    const NAME: &'static str = "conversion_pressure";
    const TITLE: &'static str = "Conversion pressure";
    const DESCRIPTION: &'static str = "Tells how hard the registry asks for demos today: first touches sent, the cap, \
        the room that is left, the founding seats, and the pause between two touches of one listing.";
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
            store.recent_touches(RECENT),
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
                "Only Live listings that have not taken their demo are invited, each at most once in {} days, and all \
                 of them together within the cap of the day.",
                settings.outreach_pause_days
            ),
            recent,
        })
    }
}
