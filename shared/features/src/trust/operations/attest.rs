//! Signs a statement about a listing. The statement contains only what the registry observed. Claims of
//! callers are refused: if the registry signed any claim, its signature would prove nothing.

use crate::log::LogPlace;
use crate::prelude::*;
use crate::trust::attestation::{self, Attestation, DEFAULT_HOURS, LIFE_HOURS, Statement};
use crate::trust::facts;
use registry_model::AttestationType;

pub struct Attest;

/// The listing and the type of statement.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = argument_schema::one_of(&["listing_id", "subject"])))]
#[schemars(extend("anyOf" = [{ "required": ["type", "listing_b"], "properties": { "type": { "const": "composition" }, "listing_b": { "type": "string" } } }, { "properties": { "type": { "not": { "const": "composition" } }, "listing_b": { "type": "null" } } }]))]
pub struct Arguments {
    /// The id of the listing that the statement is about. Required, unless you send `subject`.
    listing_id: Option<String>,
    /// Another name for `listing_id`. Send only one of the two.
    subject: Option<String>,
    /// The type of statement. Default: `liveness`.
    #[serde(rename = "type")]
    #[schemars(extend("default" = "liveness"))]
    about: Option<AttestationType>,
    /// The id of the second listing. Required with type `composition`; refused with any other type.
    listing_b: Option<String>,
    /// The number of hours until the statement expires, from 1 to 720. Default: 72.
    #[schemars(range(min = 1, max = 720), extend("default" = 72))]
    expires_hours: Option<u32>,
    /// Do not send this argument. The registry signs only what it observed.
    #[schemars(extend("maxProperties" = 0))]
    claims: Option<Map<String, Value>>,
    /// Do not send this argument. The registry signs only what it observed.
    #[schemars(length(max = 0))]
    body: Option<String>,
}

/// The signed statement.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The signed facts and the token (JWS).
    attestation: Attestation,
    /// The place of the statement in the evidence log. One leaf commits to all statements of an hour.
    log: LogPlace,
    note: &'static str,
}

impl Operation for Attest {
    const NAME: &'static str = "attest";
    const TITLE: &'static str = "Signed statement about a listing";
    const DESCRIPTION: &'static str = "Signs a statement (JWS, ES256) about a listing and returns the token. \
        Pass listing_id and type: liveness, probe_clean, capability, reciprocity, identity_bind, composition \
        or outcome. It contains only what the registry observed, good or bad. Verify it with \
        verify_attestation or the key set.";
    const PHRASES: &'static [&'static str] =
        &["sign a statement about {id}", "attest {id}", "sign an attestation for {id}"];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str =
        r#"{"type": "liveness", "listing_id": "agtpub_0123456789abcdef0123", "expires_hours": 24}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The registry signed the {attestation.type} statement {attestation.id} about {attestation.subject} | ; it expires at {attestation.expires_at}. The data contains what was found, good or bad (claims), and the token (jws).",
    ];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        refuse_claims(&arguments)?;
        let hours = arguments.expires_hours.unwrap_or(DEFAULT_HOURS);
        if !LIFE_HOURS.contains(&hours) {
            let detail = "`expires_hours` must be from 1 to 720.";
            return Err(Problem::invalid("expires_hours", Code::OutOfRange, detail));
        }
        let about = arguments.about.unwrap_or(AttestationType::Liveness);
        let found = lookup::listing_with_evidence(app, &subject(&arguments)?).await?;
        let (listing, evidence) = &*found;
        let other = other(app, about, arguments.listing_b.as_deref())?;
        let claims = facts::observed(app, about, listing, evidence.as_ref(), other.as_ref()).await?;
        let name = app.caller_digest(caller).await?;
        let allowance = app.allowance(LimitedAction::Attestation, &name, None);
        let statement = Statement { about, listing_id: listing.id.clone(), claims, hours };
        let attestation = attestation::issue(app, statement, allowance.as_ref()).await?;
        let Attestation { id, subject, issued_at, .. } = &attestation;
        Ok(Answer {
            log: LogPlace::of_attestation(&app.settings, subject, *issued_at, id, None),
            attestation,
            note: "The statement contains only what the registry observed, with times in whole seconds, rounded down. Verify it with `verify_attestation`, \
                or with the key set and any JOSE library.",
        })
    }
}

fn subject(arguments: &Arguments) -> Result<String, Problem> {
    match (&arguments.listing_id, &arguments.subject) {
        (Some(id), Some(subject)) if id != subject => {
            let detail = "`subject` and `listing_id` are different listings. Send only one of the two.";
            Err(Problem::invalid("subject", Code::AnotherSubject, detail))
        }
        (Some(id), _) | (None, Some(id)) => Ok(id.clone()),
        (None, None) => {
            let detail = "`listing_id` is required: the listing that the statement is about.";
            Err(Problem::invalid("listing_id", Code::ListingIdMissing, detail))
        }
    }
}

fn other(app: &App, about: AttestationType, id: Option<&str>) -> Result<Option<ListingId>, Problem> {
    match (about, id) {
        (AttestationType::Composition, Some(id)) => {
            id.parse().map(Some).map_err(|_| Problem::listing_not_found(&app.settings.base_url, id))
        }
        (AttestationType::Composition, None) => {
            let detail = "`listing_b` is required with type `composition`: the second listing.";
            Err(Problem::invalid("listing_b", Code::ListingBMissing, detail))
        }
        (_, Some(_)) => {
            let detail = "`listing_b` is accepted only with type `composition`. Leave it out.";
            Err(Problem::invalid("listing_b", Code::ListingBWithoutComposition, detail))
        }
        (_, None) => Ok(None),
    }
}

fn refuse_claims(arguments: &Arguments) -> Result<(), Problem> {
    let claims = arguments.claims.as_ref().is_some_and(|claims| !claims.is_empty());
    let body = arguments.body.as_ref().is_some_and(|body| !body.is_empty());
    let field = match (claims, body) {
        (true, _) => "claims",
        (_, true) => "body",
        _ => return Ok(()),
    };
    let types: Vec<&str> = AttestationType::ALL.iter().map(|about| about.as_str()).collect();
    let detail = format!(
        "`{field}` is not accepted: the registry signs only what it observed. Leave it out and choose a `type`: {}.",
        types.join(", ")
    );
    Err(Problem::invalid(field, Code::ClaimsNotTaken, detail))
}
