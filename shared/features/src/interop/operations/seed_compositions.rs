//! Proposes pairs of listings that may work together. So the graph of listings that were used together is not
//! empty at the start. The pairs are stored only if the operator makes the call.

use crate::interop::Pair;
use crate::operation::operator_token;
use crate::prelude::*;

const DEFAULT_PAIRS: u32 = 24;
const MAX_PAIRS: u32 = 100;

pub struct SeedCompositions;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The maximum number of pairs, from 1 to 100. Default: 24.
    #[schemars(range(min = 1, max = 100), extend("default" = 24))]
    max_pairs: Option<u32>,
}

/// The proposed pairs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Whether new pairs were stored. Only a call of the operator stores pairs.
    stored: bool,
    /// The number of new pairs that were stored. Existing pairs are not changed.
    stored_count: usize,
    /// The pairs, best first.
    pairs: Vec<Pair>,
    note: String,
    /// How to go on with the first pair.
    next: NextStep,
}

impl Operation for SeedCompositions {
    const NAME: &'static str = "seed_compositions";
    const TITLE: &'static str = "Propose compositions";
    const DESCRIPTION: &'static str = "Proposes pairs of one of the newest Live agents and a Live MCP server \
        at another host that match each other. Use it to find two listings to use together; max_pairs limits \
        the number. Stores nothing, unless the operator calls it.";
    const PHRASES: &'static [&'static str] =
        &["propose pairs of listings", "seed compositions", "seed the graph of compositions"];
    const EFFECT: Effect = Effect { idempotent: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"max_pairs": 6}"#;
    const SUMMARY: &'static [&'static str] = &["{note}", r#"[pairs]"{name_a}" and "{name_b}""#];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::Unauthenticated, ErrorKind::Forbidden];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let max_pairs = bounded_number("max_pairs", arguments.max_pairs, DEFAULT_PAIRS, MAX_PAIRS)?;
        let by_operator = caller.bearer.is_some();
        if by_operator {
            operator_token::require(app, caller)?;
        }
        let pairs = crate::interop::pairs(app, max_pairs).await?;
        let mut stored_count = 0;
        if by_operator {
            for pair in &pairs {
                let pair = (&pair.listing_a, &pair.listing_b);
                stored_count += usize::from(app.store.seed_edge(pair, app.clock.now()).await?);
            }
        }
        let note = match (by_operator, pairs.len()) {
            (true, 1..) => {
                format!(
                    "Stored as weak edges, marked as seeded: {}. Pairs that existed already: {}.",
                    counted(stored_count, "pair"),
                    pairs.len() - stored_count
                )
            }
            (_, 0) => "No pair was found. Nothing was stored.".to_owned(),
            (false, _) => {
                "These pairs are proposals; nothing was stored. Use the two listings of a pair. If they work \
                    together, report it with used_with."
                    .to_owned()
            }
        };
        let url = |path| app.settings.url(path);
        let next = match pairs.first() {
            Some(Pair { listing_a, .. }) => NextStep::post(
                "compose_peers",
                url("/api/products/interop"),
                json!({ "action": "compose_peers", "listing_id": listing_a }),
                "Returns how to call what matches the first listing.",
            ),
            None => {
                NextStep::get("search_active", url("/api/listings/active"), json!({}), "See what is Live.")
            }
        };
        Ok(Answer { stored: stored_count > 0, stored_count, note, next, pairs })
    }
}
