//! Opting out of all outreach, and in again. Anybody may: the registry has no accounts, and not being written to harms
//! nobody. Opting in gives no more than the pause that was left.

use crate::allowance;
use crate::lookup;
use crate::prelude::*;
use registry_domain::outreach::texts;
use registry_model::Lane;
use registry_store::{Allowance, OutreachClass};

pub struct OutreachOptOut;

/// Which listing, and what it wants.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Its id.
    #[serde(alias = "id")]
    listing_id: String,
    /// `opt_out` where it is left out.
    #[serde(default)]
    action: Choice,
}

/// What a listing wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Choice {
    /// No message of outreach any more.
    #[default]
    OptOut,
    /// Messages again, as for any other listing.
    OptIn,
}

/// What holds now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    listing_id: ListingId,
    opted_out: bool,
    /// Whether this call changed that.
    changed: bool,
    /// From when it may be written to; null where it may not.
    may_be_written_to_from: Option<Moment>,
    note: &'static str,
}

impl Operation for OutreachOptOut {
    const NAME: &'static str = "outreach_opt_out";
    const TITLE: &'static str = "Opt out of invitations";
    const DESCRIPTION: &'static str = "Opts a listing out of all invitations and connector messages, for good, or in \
        again (action opt_in). Its place in the registry is not touched.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "action": "opt_out"}"#;
    const PHRASES: &'static [&'static str] =
        &["opt {id} out of invitations", "stop inviting {id}", "send {id} no more invitations"];
    const ROUTES: &'static [Route] = &[Route::post_as(texts::OPT_OUT_PATH, as_it_is)];
    const REFUSALS: &'static [u16] = &[404];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let caller = caller.name();
        let rate = app.settings.opt_out_rate;
        allowance::count(app, Allowance { act: "opt-out", caller: &caller, host: None, rate }).await?;
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
            ok: true,
            version: registry_model::VERSION,
            opted_out,
            changed,
            may_be_written_to_from: from,
            note: match arguments.action {
                Choice::OptOut => "No invitation and no connector message will be left for this listing.",
                Choice::OptIn => "This listing may be invited again, under the same rules as any other.",
            },
            listing_id: listing.id,
        })
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the form of a route's reader")]
fn as_it_is(body: Value) -> Result<Value, Problem> {
    Ok(body)
}
