//! Returns a plan for two listings: a request to the first, a request to the second, and a signed statement of how often
//! callers reported that they used both together. The registry does not send the requests, and a plan is no use.

use crate::interop::{Call, Endpoints, Invocation};
use crate::prelude::*;
use crate::trust::attestation::{self, Attestation, DEFAULT_HOURS, Statement};
use crate::trust::facts;
use registry_model::{AttestationType, sha256_hex};
use registry_store::NamedListing;

pub struct ExecuteCompose;

/// The two listings, in order.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing to call first.
    #[serde(alias = "listing_a")]
    listing_id: String,
    /// The id of the listing to call second. Its request uses the answer of the first listing.
    listing_b: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    pipeline: Pipeline,
    /// The reported uses of both listings together; 0 if the last one was long ago.
    composition_count: u32,
    /// The registry's signed statement about the pair. Null if no report of a use counted.
    attestation: Option<Attestation>,
    note: &'static str,
    /// What to do after both calls.
    next: NextStep,
}

/// The calls, in order.
#[derive(Debug, Serialize, JsonSchema)]
struct Pipeline {
    /// `pipe_` and 24 hexadecimal digits. The same two listings in the same order have the same id.
    id: String,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    listing_id: ListingId,
    name: String,
    kind: Kind,
    endpoints: Endpoints,
    /// The request to send.
    call: Call,
}

impl Step {
    fn of(app: &App, listing: &NamedListing, message: &str) -> Self {
        let (node, invocation) = Invocation::usual(app, listing, 0.0, message);
        Self {
            listing_id: node.listing_id,
            name: node.name,
            kind: node.kind,
            endpoints: node.endpoints,
            call: invocation.call().clone(),
        }
    }
}

impl Operation for ExecuteCompose {
    const NAME: &'static str = "execute_compose";
    const TITLE: &'static str = "Plan a composition";
    const DESCRIPTION: &'static str = "Plans calls to two Live listings. Pass listing_id (called first) and \
        listing_b (called second). Returns one complete request for each listing; you send both, in this \
        order. If callers reported a use of both, also returns a signed statement of how often. To report yours, \
        call used_with.";
    const PHRASES: &'static [&'static str] = &[
        "plan calls to {id} and {id}",
        "execute the composition of {id} and {id}",
        "compose {id} and {id} into a pipeline",
    ];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str =
        r#"{"listing_id": "agtpub_0123456789abcdef0123", "listing_b": "mcp-com-example-weather"}"#;
    const SUMMARY: &'static [&'static str] =
        &["{note}", "Reported uses of both together that count now: {composition_count}."];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Plans calls to two Live listings. Returns a complete request for each listing.",
        &["registry", "interop", "composition", "pipeline"],
    )];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let first = lookup::live_listing_with_evidence(app, &arguments.listing_id).await?;
        let second = lookup::live_listing_with_evidence(app, &arguments.listing_b).await?;
        let (a, b) = (first.0.id.clone(), second.0.id.clone());
        lookup::different(a.as_str(), b.as_str())?;
        let edge = app.store.edge((&a, &b), app.clock.now()).await?;
        let attestation = statement(app, caller, &first, &b).await?;
        let steps = vec![
            Step::of(app, &first, ""),
            Step::of(app, &second, &format!("Use the answer of {}.", first.0.id)),
        ];
        let url = app.settings.url("/api/products/interop");
        // Only the caller knows whether the calls worked, so the body is in the note.
        let report = format!(
            "After the calls, report the outcome of each listing. Send {{\"action\": \"deposit_outcome\", \"listing_id\": \
             \"{b}\", \"listing_b\": \"{a}\", \"ok\": …}}, and the same with the two ids exchanged."
        );
        let pair = sha256_hex(format!("pipeline\n{a}\n{b}"));
        Ok(Answer {
            pipeline: Pipeline { id: format!("pipe_{}", &pair[..24]), steps },
            composition_count: edge.map_or(0, |edge| edge.count),
            attestation,
            note: "Send the call of the first step. Put the answer into the call of the second step. Then \
                send the second call.",
            next: NextStep::post_own("deposit_outcome", url, report),
        })
    }
}

/// A signed statement of the pair; `None` if no report of a use counted.
async fn statement(
    app: &App,
    caller: &Caller,
    (listing, evidence): &NamedListing,
    other: &ListingId,
) -> Result<Option<Attestation>, Problem> {
    let about = AttestationType::Composition;
    let claims = match facts::observed(app, about, listing, evidence.as_ref(), Some(other)).await {
        Ok(claims) => claims,
        Err(problem) if problem.kind == ErrorKind::Conflict => return Ok(None),
        Err(problem) => return Err(problem),
    };
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::Attestation, &name, None);
    let statement = Statement { about, listing_id: listing.id.clone(), claims, hours: DEFAULT_HOURS };
    Ok(Some(attestation::issue(app, statement, allowance.as_ref()).await?))
}
