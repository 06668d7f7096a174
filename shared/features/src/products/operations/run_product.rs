//! Checks a listing once: its status, what to fix, unread messages, and the next step in the funnel. Each step contains what was
//! checked, the result and the call to make.

use crate::funnel;
use crate::listing::operations::check_status;
use crate::prelude::*;
use registry_model::{Reason, TalkMessage};
use registry_probe::explain;
use registry_store::FunnelCounts;

const MAX_MESSAGES: u32 = 50;

pub struct RunProduct;

/// A listing. Without a listing, the answer describes how to call this tool.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    name: &'static str,
    /// How to call this tool.
    usage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    ran_at: Moment,
    /// The number of steps with something to do.
    to_do: usize,
    steps: Vec<Step>,
}

impl Operation for RunProduct {
    const NAME: &'static str = "run_product";
    const TITLE: &'static str = "Check what a listing should do now";
    const DESCRIPTION: &'static str = "Checks in four steps what a listing should do now. The steps cover \
        its status, problems to fix, unread messages, and its way to a product. Each step returns a result \
        and the next call. Changes nothing. Call it each time your routine is due.";
    const PHRASES: &'static [&'static str] = &[
        "run the routine for {id}",
        "what should {id} do next in its routine?",
        "run the alive routine of {id}",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{listing_id} has {to_do#step} to do now.",
        "[steps]{step} | {to_do?(to do)|(nothing to do)} | : {found}",
        "{usage}",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/run")];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let usage = format!("GET {}?listing_id=…", app.settings.url("/api/products/run"));
        let answer = Answer {
            name: "What a listing should do now",
            usage,
            listing_id: None,
            ran_at: app.clock.now(),
            to_do: 0,
            steps: Vec::new(),
        };
        let Some(id) = arguments.listing_id else { return Ok(answer) };
        let found = lookup::listing_with_evidence(app, &id).await?;
        let (listing, evidence) = &*found;
        let fix = check_status::next(app, listing, evidence.as_ref()).await?;
        if listing.lane == Lane::Withdrawn {
            let detail = "This listing was withdrawn, so the routine cannot run for it.";
            return Err(Problem::conflict(Code::ListingWithdrawn, detail).with_next(fix));
        }
        let now = app.clock.now();
        let inbox = app.store.inbox(&listing.id, listing.listed_at, None, MAX_MESSAGES, now);
        let (live, (inbox, _)) = futures::try_join!(app.store.live(), inbox)?;
        let lane = listing.public_lane(app.oldest_proof());
        let open = explain::advice(listing, lane, evidence.as_ref()).must_fix;
        let run = Run { app, listing, lane };
        let steps = vec![run.status(), run.reasons(&open, fix), run.inbox(&inbox), run.funnel(&live.funnel)];
        let to_do = steps.iter().filter(|step| step.to_do).count();
        Ok(Answer { listing_id: Some(listing.id.clone()), to_do, steps, ..answer })
    }
}

#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    /// `status`, `reasons`, `inbox` or `funnel`.
    step: &'static str,
    /// What was checked.
    looked_at: &'static str,
    /// The result in one sentence.
    found: String,
    /// The result as data.
    #[schemars(with = "Map<String, Value>")]
    data: Value,
    /// Whether there is something to do now.
    to_do: bool,
    /// The call to make now, or the call that returns more details.
    call: NextStep,
}

struct Run<'a> {
    app: &'a App,
    listing: &'a Listing,
    lane: Lane,
}

impl Run<'_> {
    fn check_status(&self, note: &str) -> NextStep {
        NextStep::check_status(&self.app.settings.base_url, &self.listing.id, note)
    }

    fn status(&self) -> Step {
        let live = self.lane == Lane::Active;
        let live_since = self.listing.proof.live_since.filter(|_| live);
        let state = if live { "Live" } else { self.lane.as_str() };
        Step {
            step: "status",
            looked_at: "The state of the listing.",
            found: format!("The state of {} is {state}.", self.listing.texts.name),
            data: json!({ "lane": self.lane, "live": live, "live_since": live_since }),
            to_do: matches!(self.lane, Lane::Queued | Lane::NeedsFix | Lane::Demoted),
            call: self.check_status("The full evidence, and a badge for a README."),
        }
    }

    /// `messages` are the newest of its inbox, at most `MAX_MESSAGES`.
    fn inbox(&self, messages: &[TalkMessage]) -> Step {
        let is_unread = |message: &&TalkMessage| self.listing.read_at.is_none_or(|at| message.at > at);
        let unread = messages.iter().filter(is_unread).count();
        let or_more =
            if unread == messages.len() && unread >= MAX_MESSAGES as usize { " or more" } else { "" };
        let found = match unread {
            0 => "Its inbox has no unread messages.".to_owned(),
            unread => format!("Unread messages in its inbox: {unread}{or_more}."),
        };
        Step {
            step: "inbox",
            looked_at: "Messages in its Talk inbox since the inbox was last read.",
            found,
            data: json!({ "unread": unread, "visited_at": self.listing.visited_at }),
            to_do: unread > 0,
            call: NextStep::talk_inbox(
                &self.app.settings.base_url,
                &self.listing.id,
                "When you read the inbox, it counts as a visit of the listing.",
            ),
        }
    }

    /// `open` is what to fix, and `fix` the call that follows it.
    fn reasons(&self, open: &[Reason], fix: NextStep) -> Step {
        let (found, call) = match open.first() {
            Some(first) => {
                (format!("Reasons in its status: {}. The first: {}.", open.len(), first.reason), fix)
            }
            None => (
                "Its status lists no problem that must be fixed.".to_owned(),
                self.check_status("The status contains all checks and warnings."),
            ),
        };
        Step {
            step: "reasons",
            looked_at: "The problems that its last probe found.",
            found,
            data: json!({ "reasons": open }),
            to_do: !open.is_empty(),
            call,
        }
    }

    fn funnel(&self, counts: &FunnelCounts) -> Step {
        let settings = &self.app.settings;
        let seats = funnel::deal(settings, counts.seats_claimed).remaining;
        let unlock = funnel::unlock(settings, counts);
        let demo = |note: &str| NextStep::take_demo(&settings.base_url, Some(&self.listing.id), note);
        let (stage, found, call) = if self.listing.feedbacked {
            let (sku, id) = (Sku::of_kind(self.listing.likely_kind()), &self.listing.id);
            let body = json!({ "tool": "buy_product", "sku": sku, "listing_id": id });
            let why = "Returns the price of a product, and whether payments are open.";
            let found = format!("The demo and the feedback are done. {}", unlock.message);
            let url = settings.url("/api/products/agent");
            ("feedback", found, NextStep::post("product_agent", url, body, why))
        } else if self.listing.demoed {
            let found =
                format!("The demo is done, but the feedback was not sent yet. Founding seats left: {seats}.");
            // Only a Live listing can take the demo again, for its draft.
            let call = if self.lane == Lane::Active {
                demo("Send next_steps.example_body of its answer to /api/products/feedback.")
            } else {
                let own = "Send `listing_id`, a rating and five answers.";
                NextStep::post_own("leave_feedback", settings.url("/api/products/feedback"), own)
            };
            ("demo", found, call)
        } else if self.lane == Lane::Active {
            let found = format!("The listing can take its free demo. Founding seats left: {seats}.");
            ("live", found, demo("Take the free demo. The next step is feedback."))
        } else {
            let found = "A demo requires a Live listing.".to_owned();
            ("list", found, self.check_status("The status says why the listing is not Live."))
        };
        Step {
            step: "funnel",
            looked_at: "How far the listing is on its way to a full product.",
            found,
            data: json!({ "stage": stage, "seats_remaining": seats, "payments_open": unlock.payments_open }),
            to_do: matches!(stage, "demo" | "live"),
            call,
        }
    }
}
