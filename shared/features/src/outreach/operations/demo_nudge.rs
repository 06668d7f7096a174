//! The invitations to the demo: today's budget, waiting listings, the latest invitations and the rules. The
//! answer contains only the ids of listings. The messages stay in the inboxes of the listings.

use crate::outreach::budget::{self, DayBudget};
use crate::outreach::texts;
use crate::prelude::*;
use registry_model::Touch;
use registry_store::OutreachClass;

const SHOWN_TOUCHES: u32 = 12;

pub struct DemoNudge;

/// The state of the invitations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// When the job last completed. Null before the first run.
    last_run_at: Option<Moment>,
    day: ShownBudget,
    /// Live listings, also those whose last probe failed.
    live: u32,
    /// Listings in the queue for a first message, counted to 1000. Those with a demo, and the registry's own, get none.
    first_message_queue: u32,
    /// Contacted listings whose next message is not due yet. The count stops at 1000.
    cooling: u32,
    /// Listings that opted out, without those that have stopped being Live since. The count stops at 1000.
    do_not_contact: u32,
    totals: Totals,
    /// The latest outreach messages, newest first.
    recent: Vec<Touch>,
    plan: Plan,
    policy: Policy,
}

/// The outreach messages (invitations and connector messages) of the current UTC day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DayBudget")]
struct ShownBudget {
    /// Such as `2026-11-20`.
    day: String,
    sent: u32,
    cap: u32,
    /// Outreach messages left today.
    room: u32,
}

/// Totals since the start of the registry.
#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    touches: u32,
    /// The number of these messages that were sent to a connector of the day.
    connectors: u32,
    a2a_delivered: u32,
    a2a_failed: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Plan {
    /// How often the job runs.
    every: &'static str,
    order: &'static str,
    /// `talk` or `talk+a2a`.
    delivery: &'static str,
    /// No run now could send more invitations. It also counts queued listings that the run takes out, uninvited.
    max_today: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Policy {
    who: &'static str,
    pause_days: u32,
    /// Maximum number of outreach messages per day, by the number of Live listings.
    #[schemars(with = "Vec<Map<String, Value>>")]
    day_budget: Value,
    budget_percent: u32,
    /// The factor from the acceleration index, at most 1.8.
    budget_multiplier: f64,
    /// The call that opts a listing out.
    #[schemars(with = "Map<String, Value>")]
    opt_out: Value,
}

impl Operation for DemoNudge {
    const NAME: &'static str = "demo_nudge";
    const TITLE: &'static str = "Demo invitations";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Returns the state of the invitations to the free demo: how many the \
        registry sent today, how many are left, and how many listings are in the queue. Also returns the \
        latest messages, the rules, and how to opt out. To opt a listing out, use outreach_opt_out.";
    const PHRASES: &'static [&'static str] =
        &["show the demo invitations", "show the demo nudges", "how many demo nudges were sent?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Invitations and connector messages on {day.day}: {day.sent} of {day.cap} sent, {day.room} left. In the queue for a first message: at most {first_message_queue#listing} (counted up to 1000). Those that took their demo, and this registry's own, get no invitation.",
        r#"To opt a listing out, say: "unsubscribe" and its id."#,
    ];
    const ROUTES: &'static [Route] = &[Route::get(texts::OPT_OUT_PATH)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (store, settings) = (&app.store, &app.settings);
        let now = app.clock.now();
        let (day, totals, recent, (first, later), (again, cooling), (out, out_later)) = futures::try_join!(
            DayBudget::read(app),
            store.outreach_totals(),
            store.recent_touches(SHOWN_TOUCHES),
            store.outreach_counts(OutreachClass::New, now),
            store.outreach_counts(OutreachClass::Again, now),
            store.outreach_counts(OutreachClass::OptedOut, now),
        )?;
        let room = day.room();
        Ok(Answer {
            last_run_at: totals.last_run_at,
            day: ShownBudget { day: now.utc_day(), sent: day.sent, cap: day.cap, room },
            live: day.active,
            first_message_queue: (first + later).min(1000),
            cooling,
            do_not_contact: (out + out_later).min(1000),
            totals: Totals {
                touches: totals.touches,
                connectors: totals.connectors,
                a2a_delivered: totals.a2a_delivered,
                a2a_failed: totals.a2a_failed,
            },
            recent,
            plan: Plan {
                every: "hour",
                order: "First come listings never contacted, then those whose pause is over. One whose last probe failed waits 24 hours. Queued listings that took their demo, and this registry's own, are taken out, uninvited.",
                delivery: settings.outreach_delivery.as_str(),
                max_today: room.min(first + again),
            },
            policy: policy(settings, day.multiplier),
        })
    }
}

fn policy(settings: &Settings, multiplier: f64) -> Policy {
    let budget =
        [1, 50, 100, 200, 333].map(|from| json!({ "active_from": from, "cap": budget::base_cap(from) }));
    Policy {
        who: "Live listings whose last probe passed, not this registry's own, that have not taken their demo and have not opted out.",
        pause_days: settings.outreach_pause_days,
        day_budget: budget.to_vec().into(),
        budget_percent: settings.outreach_budget_percent,
        budget_multiplier: multiplier,
        opt_out: json!({
            "method": "POST",
            "url": settings.url(texts::OPT_OUT_PATH),
            "body": { "listing_id": "<listing_id>", "action": "opt_out" },
        }),
    }
}
