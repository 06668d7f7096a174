//! Opts a listing out of all outreach. Anyone may do this: the registry has no accounts, and less outreach does no harm.
//! Only the owner can opt in again, with `manage_listing`.

use crate::outreach::texts;
use crate::prelude::*;

pub struct OutreachOptOut;

/// The listing and the choice.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// `opt_out` (default). `opt_in` is refused: only the owner can opt in, with `manage_listing`.
    #[serde(default)]
    action: Choice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// The listing gets no more outreach messages (invitations and connector messages).
    #[default]
    OptOut,
    /// Refused.
    OptIn,
}

/// The state after the call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    opted_out: bool,
    /// Whether this call changed the choice.
    changed: bool,
    note: &'static str,
}

impl Operation for OutreachOptOut {
    const NAME: &'static str = "outreach_opt_out";
    const TITLE: &'static str = "Opt out of invitations";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Stops all invitations and connector messages to a listing, \
        permanently. Pass listing_id. The listing itself does not change. Returns whether the call changed \
        something. Only the owner of the listing can allow messages again, with manage_listing (act opt_in).";
    const PHRASES: &'static [&'static str] =
        &["opt {id} out of invitations", "stop inviting {id}", "send {id} no more invitations"];
    const EFFECT: Effect = Effect { idempotent: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "action": "opt_out"}"#;
    const SUMMARY: &'static [&'static str] =
        &["{listing_id} gets no more invitations and connector messages | {changed?from now|, as before}."];
    const ROUTES: &'static [Route] = &[Route::post_as(texts::OPT_OUT_PATH, Ok)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Forbidden, ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let caller = app.caller_digest(caller).await?;
        app.count(LimitedAction::OptOut, &caller, None).await?;
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        if arguments.action == Choice::OptIn {
            return Err(opt_in_needs_proof(app, &listing.id));
        }
        Ok(Answer {
            opted_out: true,
            changed: app.store.opt_out(&listing.id, app.clock.now()).await?,
            note: "This listing will receive no invitations and no connector messages.",
            listing_id: listing.id,
        })
    }
}

fn opt_in_needs_proof(app: &App, id: &ListingId) -> Problem {
    let detail = "Only the owner of the listing can opt in. Call `manage_listing` with the act `opt_in`.";
    let script = app.settings.url(&format!("/prove?id={id}"));
    let note = format!("The answer contains a challenge to sign. {script} has a script for it.");
    let body = json!({ "action": "manage_listing", "listing_id": id, "act": "opt_in" });
    let url = app.settings.url("/api/products/first-principles");
    let next = NextStep::post("manage_listing", url, body, note);
    Problem::new(Code::OptInNeedsProof, detail).with_field("action").with_next(next)
}
