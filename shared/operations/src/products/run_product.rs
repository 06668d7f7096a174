//! One run of the alive routine as a call: where a listing stands, how old its proof is, what is to be fixed, who is new
//! beside it, and what the funnel has next. Each step says what was looked at, what was found, and the call to make.

mod steps;

use http::StatusCode;

use crate::prelude::*;
use registry_domain::funnel;
use registry_model::Lane;
use registry_products::Profile;
use steps::{At, LOOKED_AT, Step};

pub struct RunProduct;

/// For which listing; nothing to be told how it is called.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// Its id.
    #[serde(alias = "id")]
    listing_id: Option<String>,
}

/// The run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    name: &'static str,
    /// How it is called.
    usage: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// When this run looked.
    ran_at: Moment,
    /// Steps in which there is something to do.
    to_do: usize,
    steps: Vec<Step>,
}

impl Operation for RunProduct {
    const NAME: &'static str = "run_product";
    const TITLE: &'static str = "Run the routine once";
    const DESCRIPTION: &'static str = "Runs the alive routine once for a listing: status, age of its last proof, weekly \
        recheck, what is to be fixed and how, unread messages of its inbox, peers that are new, and its stage in the \
        funnel; each step with the call to make next. Reads only; call it as often as the routine is due.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const PHRASES: &'static [&'static str] = &[
        "run the routine for {id}",
        "what should {id} do next in its routine?",
        "run the alive routine of {id}",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/run")];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let usage = format!("GET {}?listing_id=…", app.settings.url("/api/products/run"));
        let answer = Answer {
            ok: true,
            name: "One run of the alive routine",
            usage,
            listing_id: None,
            ran_at: app.clock.now(),
            to_do: 0,
            steps: Vec::new(),
        };
        let Some(asked) = arguments.listing_id else { return Ok(answer) };
        let unknown = || Problem::listing_not_found(&asked);
        let id = asked.parse::<ListingId>().map_err(|_| unknown())?;
        let found = app.store.listing_with_evidence(&id).await?.ok_or_else(unknown)?;
        let (listing, evidence) = &*found;
        if listing.lane == Lane::Withdrawn {
            let detail = "This listing was withdrawn; there is nothing to run.";
            return Err(Problem::new(StatusCode::CONFLICT, "listing_withdrawn", detail));
        }
        let profile = Profile::of(listing, evidence.as_ref());
        let now = app.clock.now();
        let inbox = async {
            let most = u32::try_from(LOOKED_AT).unwrap_or(u32::MAX);
            Ok(app.store.inbox(&id, listing.listed_at, None, most, now).await?.0)
        };
        let live = async { Ok(app.store.live().await?) };
        let (peers, live, inbox) = futures::try_join!(funnel::peer_listings(app, &profile), live, inbox)?;
        let at = At { app, listing, now, lane: listing.shown_lane(app.oldest_proof()) };
        let steps = vec![
            at.status(),
            at.proof(),
            at.recheck(),
            at.reasons(evidence.as_ref()),
            at.inbox(&inbox),
            at.peers(&peers),
            at.funnel(&live.funnel),
        ];
        let to_do = steps.iter().filter(|step| step.to_do).count();
        Ok(Answer { listing_id: Some(id), to_do, steps, ..answer })
    }
}
