//! Opts a listing out of all outreach, or in again. Anyone may do this: the registry has no accounts, and less outreach
//! does no harm. After a message, a listing gets no other message for some days. Opting in does not shorten this pause.

use crate::lookup;
use crate::prelude::*;
use registry_domain::outreach::texts;
use registry_store::OutreachClass;

pub struct OutreachOptOut;

/// The listing and the choice.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// `opt_out` (default) or `opt_in`.
    #[serde(default)]
    action: Choice,
}

/// Whether the listing gets outreach messages (invitations and connector messages).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// The listing gets no more outreach messages.
    #[default]
    OptOut,
    /// The listing can get outreach messages, under the same rules as other listings.
    OptIn,
}

/// The state after the call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    opted_out: bool,
    /// Whether this call changed the choice.
    changed: bool,
    /// The earliest time of the next message. Null if the listing opted out.
    may_be_written_to_from: Option<Moment>,
    note: &'static str,
}

impl Operation for OutreachOptOut {
    const NAME: &'static str = "outreach_opt_out";
    const TITLE: &'static str = "Opt out of invitations";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Stops all invitations and connector messages to a listing, \
        permanently. Pass listing_id. With action opt_in, the listing can get messages again. The listing \
        itself does not change. Returns whether it gets messages, and when the registry may send the next \
        one.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "action": "opt_out"}"#;
    const PHRASES: &'static [&'static str] =
        &["opt {id} out of invitations", "stop inviting {id}", "send {id} no more invitations"];
    const ROUTES: &'static [Route] = &[Route::post_as(texts::OPT_OUT_PATH, unchanged)];
    const REFUSALS: &'static [u16] = &[404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let caller = app.caller_digest(caller).await?;
        app.count(LimitedAction::OptOut, &caller, None).await?;
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        let (store, now) = (&app.store, app.clock.now());
        let opted_out = arguments.action == Choice::OptOut;
        let (changed, from) = if opted_out {
            (store.opt_out(&listing.id, now).await?, None)
        } else {
            let states = store.outreach_states(std::slice::from_ref(&listing.id)).await?;
            let touched_at = states.into_iter().next().and_then(|(_, state)| state.touched_at);
            let class = if touched_at.is_some() { OutreachClass::Again } else { OutreachClass::New };
            let from = touched_at.map_or(now, |at| (at + app.settings.outreach_pause()).max(now));
            (store.opt_in(&listing.id, class, from, listing.lane == Lane::Active).await?, Some(from))
        };
        Ok(Answer {
            opted_out,
            changed,
            may_be_written_to_from: from,
            note: match arguments.action {
                Choice::OptOut => "This listing will receive no invitations and no connector messages.",
                Choice::OptIn => "This listing may be invited again, under the same rules as other listings.",
            },
            listing_id: listing.id,
        })
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a route's reader")]
fn unchanged(body: Value) -> Result<Value, Problem> {
    Ok(body)
}
