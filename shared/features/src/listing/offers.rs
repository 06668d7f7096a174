//! What this registry offers to a Live listing: its demo, the founding offer and the next step.

use super::demo_url;
use crate::funnel::{self, Deal, ListingDeal, TakeDemo};
use crate::prelude::*;

// Without a doc comment: in a schema, it would stand for the row that these members are a part of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Offers {
    /// Whether the listing has taken its demo.
    pub demoed: bool,
    /// Whether the listing has given feedback.
    pub feedbacked: bool,
    /// The complete request for the demo of the listing.
    pub take_demo: TakeDemo,
    /// A link to its demo.
    pub take_demo_get: String,
    /// The founding offer for this listing.
    pub deal: ListingDeal,
    /// How far the listing is on its way to a full product.
    pub activation: Activation,
    /// What to do next, in one sentence.
    pub next: String,
}

/// How far a listing is on its way to a full product.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Activation {
    /// `live`.
    pub stage: &'static str,
    /// The next step, in one sentence.
    pub next: String,
}

impl Offers {
    pub fn of(listing: &Listing, settings: &Settings, deal: &Deal) -> Self {
        let next = next(listing).to_owned();
        Self {
            demoed: listing.demoed,
            feedbacked: listing.feedbacked,
            take_demo: funnel::demo_offer(listing, settings, deal),
            take_demo_get: demo_url(settings, &listing.id),
            deal: funnel::listing_deal(listing, settings, deal),
            activation: Activation { stage: "live", next: next.clone() },
            next,
        }
    }
}

fn next(listing: &Listing) -> &'static str {
    match (listing.demoed, listing.feedbacked) {
        _ if listing.schedule.failing_since.is_some() => {
            "Its last probe failed: check_status shows what to fix before it is no longer Live."
        }
        (false, _) => "Take the free demo: send the `take_demo` request of this row.",
        (true, false) => {
            "Send feedback: the example_body from the response to the demo. You then receive a founding seat \
             (a free product), if one is left for this listing, else a discount code."
        }
        (true, true) => "Use your product, or keep your discount code, and read your Talk inbox.",
    }
}
