//! A plan of two listings that work together: the request to the first, the request to the second, and a signed statement of
//! how often they were used together. The registry calls neither; it records that somebody is about to.

use http::StatusCode;
use sha2::{Digest, Sha256};

use crate::lookup;
use crate::prelude::*;
use crate::trails::used_with::{self, UsedWith};
use registry_domain::interop::{self, Call, CapabilityNode, Endpoints, Invocation, Wish};
use registry_domain::trust::attestation::{self, Attestation, Statement, USUAL_HOURS};
use registry_domain::trust::facts;
use registry_model::settings::Settings;
use registry_model::{AttestationType, EntryProtocol, Kind};
use registry_store::{Allowance, NamedListing};

/// Compositions of a listing among which the pair is looked for.
const EDGES: usize = 100;

pub struct ExecuteCompose;

/// Which two.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing that is called first.
    #[serde(alias = "listing_a")]
    listing_id: String,
    /// The id of the listing that is called with what the first answered.
    listing_b: String,
    /// Who you are, up to 120 characters; shown as claimed.
    #[schemars(extend("format" = "public-text"), length(max = 120))]
    from: Option<String>,
}

/// The plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    pipeline: Pipeline,
    /// How often they were used together, as far as the registry was told.
    composition_count: u32,
    /// Whether this call was counted as a use together: a source counts once a day for a pair.
    counted: bool,
    /// The registry's signed statement of it; null until a use that was just recorded can be read again.
    attestation: Option<Attestation>,
    /// How it is carried out, in a sentence.
    note: String,
    /// What to do when it was carried out.
    next: NextStep,
}

/// Two listings, one after the other.
#[derive(Debug, Serialize, JsonSchema)]
struct Pipeline {
    /// `pipe_` and 24 hexadecimal digits; the same for the same two in the same order.
    id: String,
    steps: Vec<Step>,
}

/// One step.
#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    listing_id: ListingId,
    name: String,
    kind: Kind,
    /// Where it is reached.
    endpoints: Endpoints,
    /// The request to send.
    call: Call,
}

impl Step {
    fn of(app: &App, listing: &NamedListing, words: &str) -> Self {
        let settings: &Settings = &app.settings;
        let node = CapabilityNode::of(listing, 0.0, settings);
        let prefer = match node.kind {
            Kind::Agent => EntryProtocol::A2a,
            Kind::Mcp => EntryProtocol::Mcp,
        };
        let wish = Wish { words, ..Wish::default() };
        let invocation = Invocation::of(&node, listing, wish, prefer, settings, &app.random);
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
    const DESCRIPTION: &'static str = "Plans how two Live listings work together: a request for each in the protocol it \
        proved, for you to send in order, and a signed statement of how often the two were used together. Calls nobody; \
        records the pair as used together.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "listing_b": "mcp-com-example-weather", "from": "planner"}"#;
    const PHRASES: &'static [&'static str] =
        &["execute the composition of {id} and {id}", "compose {id} and {id} into a pipeline"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "execute-compose",
        name: "Plan a composition",
        description: "Plans how two Live listings work together, with a ready request for each.",
        tags: &["registry", "interop", "composition", "pipeline"],
    }];
    const ACTIONS: &'static [Action] = &[
        Action { path: "/api/products/interop", names: &["execute_compose"] },
        Action { path: "/api/products/first-principles", names: &["compose", "execute_compose"] },
    ];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let first = lookup::live_listing_with_evidence(app, &arguments.listing_id).await?;
        let second = lookup::live_listing_with_evidence(app, &arguments.listing_b).await?;
        let (a, b) = (first.0.id.clone(), second.0.id.clone());
        let used = used_with::Arguments::of(&a, &b, arguments.from);
        let used = UsedWith::run(app, caller, used).await?;
        let edges = app.store.edges_of(&a, EDGES, app.clock.now()).await?;
        let composition_count = edges.iter().find(|edge| *edge.other(&a) == b).map_or(0, |edge| edge.count);
        let attestation = statement(app, caller, &first, &b).await?;
        let steps = vec![
            Step::of(app, &first, ""),
            Step::of(app, &second, &format!("Use what {} answered.", first.0.name)),
        ];
        let url = app.settings.url("/api/products/interop");
        let body = serde_json::json!({
            "action": "deposit_outcome", "listing_id": b, "listing_b": a, "ok": true, "kind": "composition",
        });
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            pipeline: Pipeline { id: pipeline_id(&a, &b), steps },
            composition_count,
            counted: used.is_counted(),
            attestation,
            note: "Send the call of the first step, put what it answered into the call of the second, and send that."
                .to_owned(),
            next: NextStep::post("deposit_outcome", url, body, "Report how it went, for each of the two."),
        })
    }
}

/// The registry's statement of the pair; none where the index does not show yet what was just written.
async fn statement(
    app: &App,
    caller: &Caller,
    (listing, evidence): &NamedListing,
    other: &ListingId,
) -> Result<Option<Attestation>, Problem> {
    let about = AttestationType::Composition;
    let claims = match facts::observed(app, about, listing, evidence.as_ref(), Some(other)).await {
        Ok(claims) => claims,
        Err(problem) if problem.status == StatusCode::CONFLICT => return Ok(None),
        Err(problem) => return Err(problem),
    };
    let name = caller.name();
    let act = Allowance { act: "attest", caller: &name, host: None, rate: app.settings.attestation_rate };
    let act = app.settings.rate_limits.then_some(act);
    let statement = Statement {
        about,
        listing_id: listing.id.clone(),
        kind: listing.shown_kind(),
        claims,
        hours: USUAL_HOURS,
    };
    Ok(Some(attestation::issue(app, statement, act.as_ref()).await?))
}

fn pipeline_id(a: &ListingId, b: &ListingId) -> String {
    let digest = Sha256::digest(format!("pipeline\n{a}\n{b}"));
    let digits: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    format!("pipe_{digits}")
}
