//! Results of outreach: demos, feedback and check-ins of listings that the registry contacted recently. The
//! numbers are read from the listings, so the numbers always agree with the listings. No texts are returned.

use std::collections::{HashMap, HashSet};

use crate::prelude::*;
use registry_model::TouchKind;
use registry_store::OutreachState;

pub struct ReplyCapture;

/// What listings did after an outreach message.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The totals for the latest messages (at most 50).
    totals: Totals,
    /// The numbers of each listing. The listing with the latest message comes first.
    recent: Vec<Reply>,
    /// Number of rows in `recent`.
    count: usize,
    updated_at: Moment,
    funnel: &'static str,
    endpoints: Endpoints,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Totals {
    touched: u32,
    demos: u32,
    feedback: u32,
    check_ins: u32,
}

/// A contacted listing, and what it did after the message.
#[derive(Debug, Serialize, JsonSchema)]
struct Reply {
    listing_id: ListingId,
    touched_at: Moment,
    kind: TouchKind,
    /// Whether the listing generated its demo after the message.
    demo: bool,
    /// Whether the listing took its demo and sent its feedback after the message.
    feedback: bool,
    /// How often the listing checked in.
    check_ins: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    demo: String,
    feedback: String,
    talk: String,
}

impl Operation for ReplyCapture {
    const NAME: &'static str = "reply_capture";
    const TITLE: &'static str = "Invitation results";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Returns what listings did after the latest invitations: whether they \
        took the demo, gave feedback or checked in at their inbox. Contains the numbers for each listing and \
        the totals, but no texts. Use it to see whether invitations work.";
    const PHRASES: &'static [&'static str] = &[
        "what replies did the invitations get?",
        "what replies did outreach capture?",
        "show the reply capture",
        "what came back after the touches?",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "Of {totals.touched#listing} contacted last, {totals.demos} took the demo and {totals.feedback} gave feedback; together they sent {totals.check_ins#check-in}.",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/reply-capture")];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        // Their listings take two batch reads.
        let mut touches = app.store.recent_touches(50).await?;
        // Keep only the latest touch of each listing.
        let mut known = HashSet::new();
        touches.retain(|touch| known.insert(touch.listing_id.clone()));
        let ids: Vec<ListingId> = touches.iter().map(|touch| touch.listing_id.clone()).collect();
        let (listings, states) =
            futures::try_join!(app.store.listings(&ids), app.store.outreach_states(&ids))?;
        let listings: HashMap<&ListingId, &Listing> = listings.iter().map(|one| (&one.id, one)).collect();
        let states: HashMap<ListingId, OutreachState> = states.into_iter().collect();
        let reply = |touch: &registry_model::Touch| {
            let listing = listings.get(&touch.listing_id).filter(|_| !touch.after_demo);
            Reply {
                listing_id: touch.listing_id.clone(),
                touched_at: touch.at,
                kind: touch.kind,
                demo: listing.is_some_and(|one| one.demoed),
                feedback: listing.is_some_and(|one| one.feedbacked),
                check_ins: states.get(&touch.listing_id).map_or(0, |state| state.check_ins),
            }
        };
        let recent: Vec<Reply> = touches.iter().map(reply).collect();
        let totals = recent.iter().fold(Totals::default(), |all, one| Totals {
            touched: all.touched + 1,
            demos: all.demos + u32::from(one.demo),
            feedback: all.feedback + u32::from(one.feedback),
            check_ins: all.check_ins + one.check_ins,
        });
        Ok(Answer {
            totals,
            count: recent.len(),
            recent,
            updated_at: app.clock.now(),
            funnel: "touch, demo, feedback, founding seat or discount",
            endpoints: Endpoints {
                demo: app.settings.url("/api/products/demo"),
                feedback: app.settings.url("/api/products/feedback"),
                talk: app.settings.url("/api/talk"),
            },
        })
    }
}
