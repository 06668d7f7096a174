//! A signed statement about a listing, over what the registry observed itself. What a caller would like to have signed is
//! refused by name: a registry that signs strangers' words vouches for nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::lookup;
use crate::operation::{Effect, Operation};
use crate::route::Action;
use registry_app::App;
use registry_domain::trust::attestation::{self, Attestation, LIFE_HOURS, Statement, USUAL_HOURS};
use registry_domain::trust::facts;
use registry_domain::views::LogPlace;
use registry_formats::argument_schema;
use registry_model::error::Problem;
use registry_model::{AttestationType, Caller, LimitedAction, ListingId};

/// Signs a statement about a listing.
#[derive(Debug)]
pub struct Attest;

/// About which listing, and what.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = argument_schema::one_of(&["listing_id", "subject"])))]
#[schemars(extend("anyOf" = [{ "required": ["type", "listing_b"], "properties": { "type": { "const": "composition" }, "listing_b": { "type": "string" } } }, { "properties": { "type": { "not": { "const": "composition" } }, "listing_b": { "type": "null" } } }]))]
pub struct Arguments {
    /// The id of the listing.
    listing_id: Option<String>,
    /// The same; both need not be given, and may not differ.
    subject: Option<String>,
    /// What is stated; `liveness` where it is left out.
    #[serde(rename = "type")]
    about: Option<AttestationType>,
    /// With `composition`: the other listing.
    listing_b: Option<String>,
    /// How long the statement counts; 72 where it is left out.
    #[schemars(range(min = 1, max = 720))]
    expires_hours: Option<u32>,
    /// Not taken: only what the registry observed is signed.
    #[schemars(extend("maxProperties" = 0))]
    claims: Option<Map<String, Value>>,
    /// Not taken: only what the registry observed is signed.
    #[schemars(length(max = 0))]
    body: Option<String>,
}

/// The statement.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// What was signed, and the token.
    attestation: Attestation,
    /// Its leaf in the log of evidence, which is taken up within minutes.
    log: LogPlace,
    note: &'static str,
}

impl Operation for Attest {
    const NAME: &'static str = "attest";
    const TITLE: &'static str = "Signed statement about a listing";
    const DESCRIPTION: &'static str = "Signs a statement (JWS, ES256) about a listing over what the registry observed \
        itself: liveness, probe_clean, capability, reciprocity, identity_bind, composition or outcome, with values and \
        times, true or false as they are. Claims of callers are never signed. Anybody verifies it with the key set or verify_attestation.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str =
        r#"{"type": "liveness", "listing_id": "agtpub_0123456789abcdef0123", "expires_hours": 24}"#;
    const PHRASES: &'static [&'static str] =
        &["attest {id}", "sign an attestation for {id}", "sign a statement about {id}"];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["attest"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        refuse_words(&arguments)?;
        let hours = arguments.expires_hours.unwrap_or(USUAL_HOURS);
        if !LIFE_HOURS.contains(&hours) {
            let detail = "`expires_hours` must be from 1 to 720.";
            return Err(Problem::invalid("expires_hours", "out_of_range", detail));
        }
        let about = arguments.about.unwrap_or(AttestationType::Liveness);
        let found = lookup::listing_with_evidence(app, &subject(&arguments)?).await?;
        let (listing, evidence) = &*found;
        let other = other(about, arguments.listing_b.as_deref())?;
        let claims = facts::observed(app, about, listing, evidence.as_ref(), other.as_ref()).await?;
        let name = caller.name();
        let allowance = app.allowance(LimitedAction::Attestation, &name, None);
        let (listing_id, kind) = (listing.id.clone(), listing.shown_kind());
        let statement = Statement { about, listing_id, kind, claims, hours };
        let attestation = attestation::issue(app, statement, allowance.as_ref()).await?;
        let Attestation { id, subject, issued_at, .. } = &attestation;
        Ok(Answer {
            ok: true,
            version: registry_domain::trust::VERSION,
            log: LogPlace::of_attestation(&app.settings, subject, *issued_at, id, None),
            attestation,
            note: "It states what the registry observed, and no opinion. Verify it with `verify_attestation`, or with the \
                key set and any JOSE library.",
        })
    }
}

fn subject(arguments: &Arguments) -> Result<String, Problem> {
    match (&arguments.listing_id, &arguments.subject) {
        (Some(id), Some(subject)) if id != subject => {
            let detail = "`subject` and `listing_id` name different listings. A statement is about one.";
            Err(Problem::invalid("subject", "another_subject", detail))
        }
        (Some(id), _) | (None, Some(id)) => Ok(id.clone()),
        (None, None) => {
            let detail = "`listing_id` is missing: the id of the listing that is stated something about.";
            Err(Problem::invalid("listing_id", "listing_id_missing", detail))
        }
    }
}

/// The other listing of a composition.
fn other(about: AttestationType, id: Option<&str>) -> Result<Option<ListingId>, Problem> {
    match (about, id) {
        (AttestationType::Composition, Some(id)) => {
            id.parse().map(Some).map_err(|_| Problem::listing_not_found(id))
        }
        (AttestationType::Composition, None) => {
            let detail = "`listing_b` is missing: a composition is of two listings.";
            Err(Problem::invalid("listing_b", "listing_b_missing", detail))
        }
        (_, Some(_)) => {
            let detail = "`listing_b` goes with the type `composition` only.";
            Err(Problem::invalid("listing_b", "listing_b_without_composition", detail))
        }
        (_, None) => Ok(None),
    }
}

fn refuse_words(arguments: &Arguments) -> Result<(), Problem> {
    let claims = arguments.claims.as_ref().is_some_and(|claims| !claims.is_empty());
    let body = arguments.body.as_ref().is_some_and(|body| !body.is_empty());
    let field = match (claims, body) {
        (true, _) => "claims",
        (_, true) => "body",
        _ => return Ok(()),
    };
    let types: Vec<&str> = AttestationType::ALL.iter().map(|about| about.as_str()).collect();
    let detail = format!(
        "`{field}` is not taken: the registry signs only what it observed itself. Leave it out; what a statement of each \
         type ({}) says comes from the registry's own evidence.",
        types.join(", ")
    );
    Err(Problem::invalid(field, "claims_not_taken", detail))
}
