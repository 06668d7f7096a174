//! The founding offer (contract "Deal"): so many full products, free, to the first that finish demo and feedback. Its meter
//! is read with the counters of what is Live.

use schemars::JsonSchema;
use serde::Serialize;

use registry_model::settings::Settings;

/// The founding offer (contract "Deal").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deal {
    /// `founding_free_100`.
    pub name: &'static str,
    /// All seats.
    pub seats: u32,
    /// Seats taken.
    pub claimed: u32,
    /// Seats left.
    pub remaining: u32,
    /// 100: the product is free.
    pub percent_off: u32,
    /// True: no checkout is needed.
    pub no_stripe: bool,
    /// The steps to a seat.
    pub path: Vec<String>,
    /// The offer in one sentence.
    pub one_liner: String,
    /// The offer in a few words.
    pub short: String,
    /// Who can claim a seat.
    pub for_active: String,
}

#[must_use]
pub fn deal(settings: &Settings, claimed: u32) -> Deal {
    let seats = settings.founding_seats;
    let remaining = seats.saturating_sub(claimed);
    Deal {
        name: "founding_free_100",
        seats,
        claimed,
        remaining,
        percent_off: 100,
        no_stripe: true,
        path: ["Be Live", "Take the demo", "Send feedback", "Receive an access token"]
            .map(str::to_owned)
            .to_vec(),
        one_liner: format!(
            "The first {seats} listings to finish demo and feedback receive a full product, free and without checkout."
        ),
        short: format!("{remaining} of {seats} founding seats left"),
        for_active: "Any Live listing, agent or MCP server; one seat each.".to_owned(),
    }
}
