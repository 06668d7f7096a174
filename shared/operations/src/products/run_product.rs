//! Runs the routine of the product `alive` once for a listing. The routine keeps a listing Live. It checks
//! the listing's status, the age of its proof and what to fix. It also looks for new peers and the next step
//! in the funnel. Each step contains what was checked, the result and the call to make.

use std::sync::Arc;

use http::StatusCode;
use jiff::SignedDuration;

use crate::prelude::*;
use registry_domain::funnel;
use registry_domain::views::hours;
use registry_model::{Assessment, Listing, Reason, TalkMessage};
use registry_probe::explain;
use registry_products::Profile;
use registry_store::FunnelCounts;

/// A peer is new for so many days after going Live.
const NEW_DAYS: i64 = 7;
const MAX_MESSAGES: u32 = 50;

pub struct RunProduct;

/// A listing. Without a listing, the answer describes how to call this tool.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: Option<String>,
}

/// The steps of the run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    name: &'static str,
    /// How to call this tool.
    usage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// The time of this run.
    ran_at: Moment,
    /// The number of steps with something to do.
    to_do: usize,
    steps: Vec<Step>,
}

impl Operation for RunProduct {
    const NAME: &'static str = "run_product";
    const TITLE: &'static str = "Check what a listing should do now";
    const DESCRIPTION: &'static str = "Checks in seven steps what a listing should do now. The steps cover \
        its status, the age of its proof, the weekly recheck, problems to fix, unread messages, new peers, \
        and its way to a product. Each step returns a result and the next call. Changes nothing. Call it \
        each time your routine is due.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] =
        &["{listing_id} has {to_do} steps to do now.", "[steps]{step} | {to_do?(to do)|(fine)} | : {found}"];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/run")];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let usage = format!("GET {}?listing_id=…", app.settings.url("/api/products/run"));
        let answer = Answer {
            name: "One run of the alive routine",
            usage,
            listing_id: None,
            ran_at: app.clock.now(),
            to_do: 0,
            steps: Vec::new(),
        };
        let Some(id) = arguments.listing_id else { return Ok(answer) };
        let unknown = || Problem::listing_not_found(&id);
        let listing_id = id.parse::<ListingId>().map_err(|_| unknown())?;
        let found = app.store.listing_with_evidence(&listing_id).await?.ok_or_else(unknown)?;
        let (listing, evidence) = &*found;
        if listing.lane == Lane::Withdrawn {
            let detail = "This listing was withdrawn, so the routine cannot run for it.";
            return Err(Problem::new(StatusCode::CONFLICT, "listing_withdrawn", detail));
        }
        let profile = Profile::of(listing, evidence.as_ref());
        let now = app.clock.now();
        let inbox =
            async { Ok(app.store.inbox(&listing_id, listing.listed_at, None, MAX_MESSAGES, now).await?.0) };
        let live = async { Ok(app.store.live().await?) };
        let (peers, live, inbox) = futures::try_join!(funnel::peer_listings(app, &profile), live, inbox)?;
        let run = Run { app, listing, now, lane: listing.shown_lane(app.oldest_proof()) };
        let steps = vec![
            run.status(),
            run.proof(),
            run.recheck(),
            run.reasons(evidence.as_ref()),
            run.inbox(&inbox),
            run.peers(&peers),
            run.funnel(&live.funnel),
        ];
        let to_do = steps.iter().filter(|step| step.to_do).count();
        Ok(Answer { listing_id: Some(listing_id), to_do, steps, ..answer })
    }
}

/// One step of the routine.
#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    /// `status`, `proof`, `recheck`, `reasons`, `inbox`, `peers` or `funnel`.
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
    call: Call,
}

/// A call to make.
#[derive(Debug, Serialize, JsonSchema)]
struct Call {
    method: &'static str,
    url: String,
    /// The JSON body of a POST.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    body: Option<Value>,
    why: String,
}

/// The input of the steps.
struct Run<'a> {
    app: &'a App,
    listing: &'a Listing,
    now: Moment,
    lane: Lane,
}

impl Run<'_> {
    fn get(&self, path: &str, why: impl Into<String>) -> Call {
        let url = self.app.settings.url(&format!("{path}{}", self.listing.id));
        Call { method: "GET", url, body: None, why: why.into() }
    }

    fn get_status(&self, why: &str) -> Call {
        self.get("/api/listings/status?id=", why)
    }

    fn post(&self, path: &str, body: Value, why: impl Into<String>) -> Call {
        Call { method: "POST", url: self.app.settings.url(path), body: Some(body), why: why.into() }
    }

    /// Publishing again starts a probe.
    fn publish_again(&self, why: impl Into<String>) -> Call {
        let target = self.listing.target();
        let call = self.post("/api/publish", json!({ "url": target }), why);
        // Without a URL as its id it was published with a server description, which must be sent again.
        let by_url = url::Url::parse(target).is_ok_and(|url| ListingId::of_url(&url) == self.listing.id);
        if by_url { call } else { Call { body: None, ..call } }
    }

    fn status(&self) -> Step {
        let live = self.lane == Lane::Active;
        Step {
            step: "status",
            looked_at: "The state of the listing.",
            found: format!("{} is {}.", self.listing.name, if live { "Live" } else { self.lane.as_str() }),
            data: json!({ "lane": self.lane, "live": live, "live_since": self.listing.live_since }),
            to_do: !live,
            call: self.get_status("The full evidence, and a badge for a README."),
        }
    }

    fn proof(&self) -> Step {
        let age = self.listing.last_ok_at.map(|at| self.now.duration_since(at));
        let found = match age {
            None => "It has never completed a handshake.".to_owned(),
            Some(age) => format!("Its last completed handshake was {} ago.", in_words(age)),
        };
        let probe = self.listing.probe.as_ref();
        Step {
            step: "proof",
            looked_at: "When it last completed a handshake.",
            found,
            data: json!({
                "last_ok_at": self.listing.last_ok_at,
                "age_hours": age.map(hours),
                "score": probe.map(|probe| probe.score),
                "latency_ms": probe.and_then(|probe| probe.latency_ms),
            }),
            to_do: age.is_none(),
            call: self.get("/api/liveness?listing_id=", "Whether this is recent enough for a caller."),
        }
    }

    fn recheck(&self) -> Step {
        let (due, strikes) = (self.listing.due_at, self.listing.strikes.len());
        let wait = due.duration_since(self.now);
        let is_due = !wait.is_positive();
        let when = if is_due { "due now".to_owned() } else { format!("due in {}", in_words(wait)) };
        let what = if self.lane == Lane::Active { "weekly recheck" } else { "next probe" };
        let missed = match strikes {
            0 => String::new(),
            hours => format!(" It has failed in {hours} of the three hours after which it is demoted."),
        };
        Step {
            step: "recheck",
            looked_at: "When the registry probes it next.",
            found: format!("Its {what} is {when}.{missed}"),
            data: json!({ "due_at": due, "due_now": is_due, "failed_recheck_hours": strikes }),
            to_do: strikes > 0,
            call: self.publish_again(
                "Publish the same listing again after a fix. It is probed now, unless its proof is fresh.",
            ),
        }
    }

    /// `messages` are the newest of its inbox, at most `MAX_MESSAGES`.
    fn inbox(&self, messages: &[TalkMessage]) -> Step {
        let is_unread = |message: &&TalkMessage| self.listing.visited_at.is_none_or(|at| message.at > at);
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
            call: self.get(
                "/api/talk?listing_id=",
                "When you read the inbox, it counts as a visit of the listing.",
            ),
        }
    }

    fn reasons(&self, evidence: Option<&Assessment>) -> Step {
        let open: Vec<Reason> = evidence.map(explain::reasons).unwrap_or_default();
        let (found, call) = match (open.first(), evidence) {
            (Some(first), _) => {
                let call = self.publish_again(format!("{} Then publish it again.", first.fix));
                (format!("Problems to fix: {}. The first problem: {}.", open.len(), first.reason), call)
            }
            (None, Some(_)) => (
                "Its last probe found nothing to fix.".to_owned(),
                self.get_status("The status contains the parts of the score."),
            ),
            (None, None) => (
                "It has not been probed yet.".to_owned(),
                self.get_status("Check again after the first probe."),
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

    fn peers(&self, peers: &[Arc<Listing>]) -> Step {
        let since = self.now - SignedDuration::from_hours(24 * NEW_DAYS);
        let is_new = |peer: &&Listing| peer.live_since.is_some_and(|at| at > since);
        let new: Vec<&Listing> = peers.iter().map(Arc::as_ref).filter(is_new).collect();
        let shown = |peer: &&Listing| {
            json!({
                "listing_id": peer.id, "kind": peer.shown_kind(), "name": peer.name,
                "url": peer.endpoint.as_deref().unwrap_or_else(|| peer.target()), "live_since": peer.live_since,
            })
        };
        let found = match new.first() {
            Some(first) => {
                format!(
                    "{} new matching listings within {NEW_DAYS} days. The best match: {}.",
                    new.len(),
                    first.id
                )
            }
            None => format!(
                "No new matching listings within {NEW_DAYS} days. Matching listings in total: {}.",
                peers.len()
            ),
        };
        Step {
            step: "peers",
            looked_at: "Live listings that match its description.",
            found,
            data: json!({ "known": peers.len(), "new": new.iter().map(shown).collect::<Vec<_>>() }),
            to_do: false,
            call: self.get("/api/products/preview?listing_id=", "How a product would use these listings."),
        }
    }

    fn funnel(&self, counts: &FunnelCounts) -> Step {
        let settings = &self.app.settings;
        let seats = funnel::deal(settings, counts.seats_claimed).remaining;
        let unlock = funnel::unlock(settings, counts);
        let demo = |why| self.post("/api/products/demo", json!({ "listing_id": self.listing.id }), why);
        let (stage, found, call) = if self.listing.feedbacked {
            let body = json!({ "tool": "buy_product", "sku": Sku::of_kind(self.listing.shown_kind()) });
            let why = "The prices of the other products, and whether payments are open.";
            let found = format!("The demo and the feedback are done. {}", unlock.message);
            ("feedback", found, self.post("/api/products/agent", body, why))
        } else if self.listing.demoed {
            let found = format!(
                "The demo is done, but the feedback was not sent yet. {seats} founding seats are left."
            );
            (
                "demo",
                found,
                demo(
                    "The answer contains next_steps.example_body. Send this body to /api/products/feedback.",
                ),
            )
        } else if self.lane == Lane::Active {
            let found = format!("The listing can take its free demo. {seats} founding seats are left.");
            ("live", found, demo("Take the free demo. The next step is feedback."))
        } else {
            let found = "The listing can take the demo when it is Live.".to_owned();
            ("list", found, self.get_status("The demo requires a Live listing."))
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

/// A duration in its largest unit.
fn in_words(time: SignedDuration) -> String {
    let minutes = time.as_mins().max(0);
    let (count, unit) = match minutes {
        0..=119 => (minutes, "minute"),
        120..=2879 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_written_in_whole_minutes_hours_or_days() {
        let texts = [0, 1, 119, 120, 2879, 2880].map(|minutes| in_words(SignedDuration::from_mins(minutes)));
        assert_eq!(texts, ["0 minutes", "1 minute", "119 minutes", "2 hours", "47 hours", "2 days"]);
    }
}
