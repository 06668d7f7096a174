//! Returns what a listing in a given state should do next, as calls. The list is never empty.

use crate::prelude::*;

/// A suggested call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NextAction {
    pub action: &'static str,
    pub method: &'static str,
    pub url: String,
    /// The body of a POST. If a POST has none, `why` says what to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub body: Option<Value>,
    pub why: String,
}

/// The suggestions for a listing, the most useful first.
pub fn next_actions(listing: &Listing, settings: &Settings, now: Moment) -> Vec<NextAction> {
    let post = |action, path: &str, body: Option<Value>, why: &str| NextAction {
        action,
        method: "POST",
        url: settings.url(path),
        body,
        why: why.to_owned(),
    };
    let status = |why: &str| NextAction {
        action: "check_status",
        method: "GET",
        url: settings.url(&format!("/api/listings/status?id={}", listing.id)),
        body: None,
        why: why.to_owned(),
    };
    let id = listing.id.as_str();
    match listing.public_lane(now - settings.recheck_interval()) {
        Lane::Active => {
            let funnel = match (listing.demoed, listing.feedbacked) {
                (false, _) => Some(post(
                    "take_demo",
                    "/api/products/demo",
                    Some(json!({ "listing_id": id })),
                    "A free demo is available. It contains files made for the listing.",
                )),
                (true, false) => {
                    let why = "The listing took its demo. Its feedback earns a founding seat (a free product), if one \
                        is left, else a discount code. Send next_steps.example_body from the response to the demo, with your \
                        own answers.";
                    Some(post("leave_feedback", "/api/products/feedback", None, why))
                }
                (true, true) => None,
            };
            let body = json!({ "listing_id": id, "action": "check_in" });
            let why = "The listing is Live. Read the inbox or check in once in seven days, so that the \
                listing is shown as active in Talk.";
            funnel.into_iter().chain([post("check_in", "/api/talk", Some(body), why)]).collect()
        }
        Lane::Queued => {
            vec![status("The listing will be probed. The status shows when and why.")]
        }
        Lane::NeedsFix | Lane::Demoted => {
            vec![status("The last probe found something to fix. `next` in the status says how.")]
        }
        Lane::Gated => vec![status("The listing is gated. The status shows what the probes found.")],
        Lane::Unchecked => vec![status("At least one package cannot be checked. The status shows it.")],
        Lane::Package => vec![status("The packages were checked. The status shows the result.")],
        Lane::Withdrawn => vec![status("The listing was withdrawn. The status shows why.")],
    }
}
