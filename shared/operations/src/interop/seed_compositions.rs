//! Pairs that may work together, proposed so that the graph of compositions has somewhere to begin. What is stored is the
//! operator's doing alone: a stranger's word makes no edge here.

use crate::operator_token;
use crate::prelude::*;
use registry_domain::interop::{self, Pair};

/// Pairs where no number is given.
const USUAL: u32 = 24;
const MOST: u32 = 100;

pub struct SeedCompositions;

/// How many.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// At most so many pairs, from 1 to 100; 24 where it is left out.
    #[schemars(range(min = 1, max = 100))]
    max_pairs: Option<u32>,
}

/// The pairs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// Whether any of them was stored: only the operator's call stores some.
    stored: bool,
    /// How many were stored; a pair that was used together already is left as it is.
    stored_count: usize,
    /// The pairs, the best first.
    pairs: Vec<Pair>,
    /// What they are, in a sentence.
    note: String,
    /// How a pair that really works is told.
    next: NextStep,
}

impl Operation for SeedCompositions {
    const NAME: &'static str = "seed_compositions";
    const TITLE: &'static str = "Propose compositions";
    const DESCRIPTION: &'static str = "Proposes pairs of a Live agent and a Live MCP server that match each other. Nothing \
        is stored on a stranger's word; the operator's call stores faint edges, marked as seeded.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: false };
    const EXAMPLE: &'static str = r#"{"max_pairs": 6}"#;
    const PHRASES: &'static [&'static str] = &["seed compositions", "seed the graph of compositions"];
    const ACTIONS: &'static [Action] = &[
        Action { path: "/api/products/interop", names: &["seed_compositions", "seed"] },
        Action { path: "/api/products/first-principles", names: &["bootstrap"] },
    ];
    const REFUSALS: &'static [u16] = &[401, 403];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let most = arguments.max_pairs.unwrap_or(USUAL);
        if !(1..=MOST).contains(&most) {
            let detail = format!("`max_pairs` must be from 1 to {MOST}.");
            return Err(Problem::invalid("max_pairs", "out_of_range", detail));
        }
        let by_operator = caller.bearer.is_some();
        if by_operator {
            operator_token::require(app, caller)?;
        }
        let pairs = interop::pairs(app, usize::try_from(most).unwrap_or(usize::MAX)).await?;
        let mut stored_count = 0;
        if by_operator {
            for pair in &pairs {
                let pair = (&pair.listing_a, &pair.listing_b);
                stored_count += usize::from(app.store.seed_edge(pair, app.clock.now()).await?);
            }
        }
        let note = match (by_operator, pairs.len()) {
            (true, _) => {
                format!("{stored_count} faint edges were stored, marked as seeded; the others were there.")
            }
            (false, 0) => "No two Live listings match each other yet; nothing was stored.".to_owned(),
            (false, _) => {
                "These are proposals; nothing was stored. Try one, and tell by used_with that it works."
                    .to_owned()
            }
        };
        let url = app.settings.url("/api/products/stigmergy");
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            stored: stored_count > 0,
            stored_count,
            note,
            next: NextStep::post_own(
                "used_with",
                url,
                "Send listing_id and listing_b of a pair that you used together.",
            ),
            pairs,
        })
    }
}
