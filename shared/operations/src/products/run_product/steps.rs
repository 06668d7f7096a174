//! The steps of one run of the routine, each from what the registry knows of the listing at that moment.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::prelude::*;
use registry_domain::funnel;
use registry_domain::views::hours;
use registry_model::{Assessment, Lane, Listing, Reason, Sku, TalkMessage};
use registry_probe::explain;
use registry_store::FunnelCounts;

/// A peer that went Live within so many days is new.
const NEW_DAYS: i64 = 7;
/// Messages of the inbox that are looked at.
pub(super) const LOOKED_AT: usize = 50;

/// One step of the routine.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Step {
    /// `status`, `proof`, `recheck`, `reasons`, `inbox`, `peers` or `funnel`.
    step: &'static str,
    looked_at: &'static str,
    found: String,
    /// The same as data.
    #[schemars(with = "Map<String, Value>")]
    data: Value,
    /// Whether there is something to do now.
    pub(super) to_do: bool,
    /// The call to make, now or for more.
    call: Call,
}

/// A call to make.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Call {
    method: &'static str,
    url: String,
    /// The JSON body of a POST.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    body: Option<Value>,
    why: String,
}

/// A listing at the moment of a run.
pub(super) struct At<'a> {
    pub(super) app: &'a App,
    pub(super) listing: &'a Listing,
    pub(super) now: Moment,
    pub(super) lane: Lane,
}

impl At<'_> {
    fn get(&self, path: &str, why: impl Into<String>) -> Call {
        let url = self.app.settings.url(&format!("{path}{}", self.listing.id));
        Call { method: "GET", url, body: None, why: why.into() }
    }

    fn post(&self, path: &str, body: Value, why: impl Into<String>) -> Call {
        Call { method: "POST", url: self.app.settings.url(path), body: Some(body), why: why.into() }
    }

    /// Publishing again is how an owner asks for a probe.
    fn publish_again(&self, why: impl Into<String>) -> Call {
        let target = self.listing.target();
        let is_by_url = url::Url::parse(target).is_ok_and(|url| ListingId::of_url(&url) == self.listing.id);
        match is_by_url {
            true => self.post("/api/publish", json!({ "url": target }), why),
            // It was published by its description, which is sent again.
            false => Call { body: None, ..self.post("/api/publish", Value::Null, why) },
        }
    }

    pub(super) fn status(&self) -> Step {
        let live = self.lane == Lane::Active;
        Step {
            step: "status",
            looked_at: "Where the listing stands.",
            found: format!("{} is {}.", self.listing.name, if live { "Live" } else { self.lane.as_str() }),
            data: json!({ "lane": self.lane, "live": live, "live_since": self.listing.live_since }),
            to_do: !live,
            call: self.get("/api/listings/status?id=", "The evidence in full, with a badge for a README."),
        }
    }

    pub(super) fn proof(&self) -> Step {
        let age = self.listing.last_ok_at.map(|at| self.now.duration_since(at));
        let found = match age {
            None => "It never answered a handshake to the end.".to_owned(),
            Some(age) => format!("It last answered a handshake {} ago.", in_words(age)),
        };
        let probe = self.listing.probe.as_ref();
        Step {
            step: "proof",
            looked_at: "When it last answered a real handshake.",
            found,
            data: json!({
                "last_ok_at": self.listing.last_ok_at,
                "age_hours": age.map(hours),
                "score": probe.map(|probe| probe.score),
                "latency_ms": probe.and_then(|probe| probe.latency_ms),
            }),
            to_do: age.is_none(),
            call: self.get("/api/liveness?listing_id=", "Whether that is recent enough for a caller."),
        }
    }

    pub(super) fn recheck(&self) -> Step {
        let (due, strikes) = (self.listing.due_at, self.listing.strikes.len());
        let wait = due.duration_since(self.now);
        let is_due = !wait.is_positive();
        let when = if is_due { "due now".to_owned() } else { format!("due in {}", in_words(wait)) };
        let what = if self.lane == Lane::Active { "weekly recheck" } else { "next probe" };
        let missed = match strikes {
            0 => String::new(),
            hours => format!(" It failed in {hours} of the three hours that demote it."),
        };
        Step {
            step: "recheck",
            looked_at: "When the registry asks it next, without anybody's doing.",
            found: format!("Its {what} is {when}.{missed}"),
            data: json!({ "due_at": due, "due_now": is_due, "failed_recheck_hours": strikes }),
            to_do: strikes > 0,
            call: self.publish_again("Publishing the same again asks for a probe now; useful after a fix."),
        }
    }

    /// `messages` are the newest of its inbox, as far as they were looked at.
    pub(super) fn inbox(&self, messages: &[TalkMessage]) -> Step {
        let is_unread = |message: &&TalkMessage| self.listing.visited_at.is_none_or(|at| message.at > at);
        let unread = messages.iter().filter(is_unread).count();
        let or_more = if unread == messages.len() && unread >= LOOKED_AT { " or more" } else { "" };
        let found = match unread {
            0 => "Nothing new is in its inbox.".to_owned(),
            unread => format!("{unread}{or_more} unread in its inbox."),
        };
        Step {
            step: "inbox",
            looked_at: "What its Talk inbox was told since the last visit.",
            found,
            data: json!({ "unread": unread, "visited_at": self.listing.visited_at }),
            to_do: unread > 0,
            call: self
                .get("/api/talk?listing_id=", "Reading it counts as a visit, and keeps it shown as present."),
        }
    }

    pub(super) fn reasons(&self, evidence: Option<&Assessment>) -> Step {
        let open: Vec<Reason> = evidence.map(explain::reasons).unwrap_or_default();
        let (found, call) = match (open.first(), evidence) {
            (Some(first), _) => {
                let call = self.publish_again(format!("{} Then publish it again.", first.fix));
                (format!("{} open, the first: {}.", open.len(), first.reason), call)
            }
            (None, Some(_)) => {
                let call =
                    self.get("/api/listings/status?id=", "Each part of the score says what it is made of.");
                ("Nothing keeps it from being Live.".to_owned(), call)
            }
            (None, None) => {
                let call = self.get("/api/listings/status?id=", "Ask again when the first probe is done.");
                ("It was not probed yet.".to_owned(), call)
            }
        };
        Step {
            step: "reasons",
            looked_at: "What its last probe found to fix.",
            found,
            data: json!({ "reasons": open }),
            to_do: !open.is_empty(),
            call,
        }
    }

    pub(super) fn peers(&self, peers: &[Arc<Listing>]) -> Step {
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
                    "{} new within {NEW_DAYS} days that complement it, the best: {}.",
                    new.len(),
                    first.name
                )
            }
            None => format!("None new within {NEW_DAYS} days; {} in all complement it.", peers.len()),
        };
        Step {
            step: "peers",
            looked_at: "Live listings that match what it says of itself.",
            found,
            data: json!({ "known": peers.len(), "new": new.iter().map(shown).collect::<Vec<_>>() }),
            to_do: false,
            call: self.get("/api/products/preview?listing_id=", "How a product would put them to use."),
        }
    }

    pub(super) fn funnel(&self, counts: &FunnelCounts) -> Step {
        let (id, settings) = (&self.listing.id, &self.app.settings);
        let seats = funnel::deal(settings, counts.seats_claimed).remaining;
        let unlock = funnel::unlock(settings, counts);
        let live = self.lane == Lane::Active;
        let (stage, found, to_do, call) = if self.listing.feedbacked {
            let call = self.post(
                "/api/products/agent",
                json!({ "tool": "buy_product", "sku": Sku::of_kind(self.listing.shown_kind()) }),
                "What a further product costs, and whether payments are open.",
            );
            ("feedback", format!("Demo and feedback are done. {}", unlock.message), false, call)
        } else if self.listing.demoed {
            let call = self.post(
                "/api/products/demo",
                json!({ "listing_id": id }),
                "The answer holds next_steps.example_body, which is sent to /api/products/feedback.",
            );
            (
                "demo",
                format!("The demo is taken; its feedback is open, and {seats} founding seats are left."),
                true,
                call,
            )
        } else if live {
            let call = self.post(
                "/api/products/demo",
                json!({ "listing_id": id }),
                "The free demo; its feedback comes next.",
            );
            ("live", format!("It may take its free demo; {seats} founding seats are left."), true, call)
        } else {
            let call = self.get("/api/listings/status?id=", "The demo is for Live listings.");
            ("list", "The demo waits until it is Live.".to_owned(), false, call)
        };
        Step {
            step: "funnel",
            looked_at: "How far it is from listing to a full product.",
            found,
            data: json!({ "stage": stage, "seats_remaining": seats, "payments_open": unlock.payments_open }),
            to_do,
            call,
        }
    }
}

/// A length of time in its largest unit.
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
    fn time_is_told_in_its_largest_unit() {
        let told = [0, 1, 119, 120, 2879, 2880].map(|minutes| in_words(SignedDuration::from_mins(minutes)));
        assert_eq!(told, ["0 minutes", "1 minute", "119 minutes", "2 hours", "47 hours", "2 days"]);
    }
}
