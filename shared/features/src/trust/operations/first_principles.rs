//! Overview of the trust family: what the registry observes and signs, what callers can prove, and totals.

use super::attest::Attest;
use super::attestations::Attestations;
use super::bind_identity::BindIdentity;
use super::capability_hash::CapabilityHash;
use super::get_reciprocity::GetReciprocity;
use super::manage_listing::ManageListing;
use super::verify_attestation::VerifyAttestation;
use crate::listing::operations::check_liveness::CheckLiveness;
use crate::prelude::*;
use registry_model::{AttestationType, TrailEvent};

const PATH: &str = Family::TRUST.path;

pub struct FirstPrinciples;

/// Overview of the trust family.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    model: &'static str,
    /// The basic facts that the trust tools work with.
    atoms: Vec<Atom>,
    totals: Totals,
    /// The types of signed statements.
    attestation_types: Vec<AttestationType>,
    endpoints: Endpoints,
    /// Rules that always apply.
    laws: Vec<&'static str>,
    note: &'static str,
}

/// A basic fact, and the tools for this fact.
#[derive(Debug, Serialize, JsonSchema)]
struct Atom {
    id: &'static str,
    meaning: &'static str,
    tools: Vec<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    /// Statements signed so far.
    attestations: u64,
    /// Listings with a key bound to their domain.
    identities: u32,
    /// Live agents and MCP servers.
    live: u32,
}

/// URLs of the family.
#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    /// The URL of the family. GET returns this overview, POST with `{action, ...}` runs an action.
    family: String,
    reciprocity: String,
    /// The keys that verify statements.
    jwks: String,
}

impl Operation for FirstPrinciples {
    const NAME: &'static str = "first_principles";
    const TITLE: &'static str = "Overview of the trust tools";
    const VERSION: Option<&'static str> = Some(crate::trust::VERSION);
    const DESCRIPTION: &'static str = "Returns an overview of the trust tools, with totals and endpoints. \
        The tools cover capability hashes, liveness, signed statements and how to verify them, proven \
        domains, and actions of listing owners. Use it to choose a trust tool.";
    const PHRASES: &'static [&'static str] = &[
        "which trust tools are there?",
        "show the first principles",
        "what are the first principles?",
        "first principles overview",
    ];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &[
        "{model} {note}",
        "{totals.attestations#statement}, {totals.live#Live listing}, and {totals.identities#listing} with a bound key.",
    ];
    const ROUTES: &'static [Route] = &Route::family(PATH);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (live, trails) = futures::try_join!(app.store.live(), app.store.trail_totals(app.clock.now()))?;
        Ok(Answer {
            model: "The registry signs only what it observed. An owner proves control of a domain with a key \
                of that domain.",
            atoms: atoms(),
            totals: Totals {
                attestations: trails.of(TrailEvent::Attestation).count,
                identities: live.identities,
                live: live.agents + live.mcps,
            },
            attestation_types: AttestationType::ALL.to_vec(),
            endpoints: Endpoints {
                family: app.settings.url(PATH),
                reciprocity: app.settings.url("/api/products/reciprocity?id=<listing_id>"),
                jwks: app.settings.url("/.well-known/jwks.json"),
            },
            laws: vec![
                "The registry never signs what callers claim, except numbers of their reports.",
                "A statement contains what was observed, when it was observed, and when the statement \
                    expires. A failed check is signed as well.",
                "A key counts for a listing only if the listing's own domain published it.",
                "A proven domain shows who controls a listing, not how good it is.",
                "A signed challenge can be used once, and only for the action that it names.",
            ],
            note: "To prove that a domain is yours, call `bind_identity`. To get a signed statement of what the registry \
                observed, call `attest`. Both are tools, and actions of `endpoints.family`.",
        })
    }
}

fn atoms() -> Vec<Atom> {
    let atom = |id, meaning, tools: &[&'static str]| Atom { id, meaning, tools: tools.to_vec() };
    vec![
        atom("capability", "What an agent or server can do, as one short hash.", &[CapabilityHash::NAME]),
        atom(
            "liveness",
            "When a listing last passed a probe: a real handshake with clean checks.",
            &[CheckLiveness::NAME],
        ),
        atom(
            "attestation",
            "A signed statement of what the registry observed.",
            &[Attest::NAME, VerifyAttestation::NAME, Attestations::NAME],
        ),
        atom("identity", "Who controls a domain.", &[BindIdentity::NAME, ManageListing::NAME]),
        atom("reciprocity", "Whether a listing links back and proves its domain.", &[GetReciprocity::NAME]),
    ]
}
