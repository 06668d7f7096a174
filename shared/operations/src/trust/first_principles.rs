//! What the family of trust is: what the registry observes, signs and lets others prove, and how much of that there is. The
//! actions of the family's endpoint are its members.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, Operation};
use crate::route::Route;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{AttestationType, Caller, TrailEvent};

const PATH: &str = "/api/products/first-principles";

/// Tells what the family is.
#[derive(Debug)]
pub struct FirstPrinciples;

/// Nothing is asked for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {}

/// What the family is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    model: &'static str,
    /// What everything else is made of.
    atoms: Vec<Atom>,
    totals: Totals,
    /// What statements may be about.
    attestation_types: Vec<AttestationType>,
    endpoints: Endpoints,
    /// What holds for all of it.
    laws: Vec<&'static str>,
    note: &'static str,
}

/// One thing that the family deals in, and the tool for it.
#[derive(Debug, Serialize, JsonSchema)]
struct Atom {
    id: &'static str,
    meaning: &'static str,
    tools: Vec<&'static str>,
}

/// How much there is.
#[derive(Debug, Serialize, JsonSchema)]
struct Totals {
    /// Statements that were signed since the registry exists.
    attestations: u64,
    /// Listings whose domain bound a key.
    identities: u32,
    /// Live agents and MCP servers.
    live: u32,
}

/// Where the family is reached.
#[derive(Debug, Serialize, JsonSchema)]
struct Endpoints {
    /// GET for this, and with `?action=` for what only reads; POST `{action, ...}` for anything.
    family: String,
    reciprocity: String,
    /// The keys by which statements are verified.
    jwks: String,
}

impl Operation for FirstPrinciples {
    const NAME: &'static str = "first_principles";
    const TITLE: &'static str = "Trust, from first principles";
    const DESCRIPTION: &'static str = "Tells what the family of trust offers: capability hashes, liveness, signed statements \
        and their verification, proven domains, owners' acts; with totals and endpoints.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["show the first principles", "what are the first principles?", "first principles overview"];
    const ROUTES: &'static [Route] = &Route::family(PATH);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, Arguments {}: Arguments) -> Result<Answer, Problem> {
        let (live, trails) = futures::try_join!(app.store.live(), app.store.trail_totals(app.clock.now()))?;
        Ok(Answer {
            ok: true,
            version: registry_domain::trust::VERSION,
            model: "Observe, state, prove: the registry states only what it observed, and whoever speaks for a domain proves \
                that with a key of the domain.",
            atoms: atoms(),
            totals: Totals {
                attestations: trails.of(TrailEvent::Attestation).count,
                identities: live.identities,
                live: live.agents + live.mcps,
            },
            attestation_types: AttestationType::ALL.to_vec(),
            endpoints: Endpoints {
                family: app.settings.url(PATH),
                reciprocity: app.settings.url("/api/products/reciprocity"),
                jwks: app.settings.url("/.well-known/jwks.json"),
            },
            laws: vec![
                "Nothing that a caller says is signed.",
                "A statement says what was observed, when, and until when it counts; false is stated like true.",
                "A key counts for a listing only where the listing's own domain makes it known.",
                "A proven domain says who speaks, not how good it is.",
                "An owner's act is good once, for the act that the signed challenge names.",
            ],
            note: "POST {\"action\": \"attest\", \"listing_id\": \"...\"} to the family's endpoint, or call the tool of that \
                name.",
        })
    }
}

fn atoms() -> Vec<Atom> {
    let atom = |id, meaning, tools: &[&'static str]| Atom { id, meaning, tools: tools.to_vec() };
    vec![
        atom("capability", "What something can do, as one short hash.", &["capability_hash"]),
        atom("liveness", "When something last answered a real handshake.", &["check_liveness"]),
        atom(
            "attestation",
            "A signed statement of what was observed.",
            &["attest", "verify_attestation", "attestations"],
        ),
        atom("identity", "Who speaks for a domain.", &["bind_identity", "manage_listing"]),
        atom("reciprocity", "What a listing gives back.", &["get_reciprocity"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named;

    #[test]
    fn every_tool_of_an_atom_is_an_operation() {
        for tool in atoms().iter().flat_map(|atom| &atom.tools) {
            assert!(named(tool).is_some_and(|entry| entry.name == *tool), "{tool}");
        }
    }
}
