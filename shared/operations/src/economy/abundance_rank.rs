//! Ranks listings by how they stand out beside relevance: by reported outcomes and by their trails. Two batch reads,
//! however many are asked for.

use std::collections::BTreeSet;

use crate::prelude::*;
use registry_domain::economy::abundance::{Boost, FORMULA};
use registry_domain::economy::{self, EXONOMICS_PATH, EXONOMICS_VERSION};
use registry_formats::argument_schema;
use registry_model::error::shorten;
use registry_model::{Kind, Listing};

/// The most listings of one call.
const MOST: usize = 50;

pub struct AbundanceRank;

/// Which listings.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["listing_id"]), { "required": ["listing_ids"], "properties": { "listing_ids": { "minItems": 1 } } }]))]
pub struct Arguments {
    /// One listing.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// Up to 50 listings.
    #[serde(default)]
    #[schemars(length(max = 50))]
    listing_ids: Vec<String>,
}

/// The ranking.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    at: Moment,
    /// The listings that are Live, the highest boost first.
    ranking: Vec<Ranked>,
    /// Of those asked for, what is not listed here.
    unknown: Vec<String>,
    /// Of those asked for, what is not Live.
    not_live: Vec<ListingId>,
    formula: &'static str,
    inputs: Inputs,
}

/// What all boosts share.
#[derive(Debug, Serialize, JsonSchema)]
struct Inputs {
    /// The multiplier of `get_acceleration`.
    match_boost: f64,
}

/// A listing and its boost.
#[derive(Debug, Serialize, JsonSchema)]
struct Ranked {
    rank: usize,
    listing_id: ListingId,
    name: String,
    kind: Kind,
    #[serde(flatten)]
    boost: Boost,
}

impl Operation for AbundanceRank {
    const NAME: &'static str = "abundance_rank";
    const TITLE: &'static str = "Abundance rank";
    const DESCRIPTION: &'static str = "Ranks up to 50 Live listings that you name by 0.6 outcome score + 0.4 trail boost, \
        each with both parts: which of several equal matches others were content with and came back to.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"listing_ids": ["agtpub_0123456789abcdef0123", "mcp-org-example-adder"]}"#;
    const PHRASES: &'static [&'static str] =
        &["what is the abundance rank of {id}?", "rank {id} by abundance", "show the abundance of {id}"];
    const ACTIONS: &'static [Action] = &[Action { path: EXONOMICS_PATH, names: &["abundance_rank"] }];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let in_the_list = arguments.listing_ids.len();
        let asked: BTreeSet<String> = arguments.listing_id.into_iter().chain(arguments.listing_ids).collect();
        if asked.is_empty() || in_the_list > MOST {
            let detail = "Name 1 to 50 listings in `listing_ids`, or one in `listing_id`.";
            return Err(Problem::invalid("listing_ids", "out_of_range", detail));
        }
        let (mut ids, mut unknown) = (Vec::new(), Vec::new());
        for text in asked {
            match text.parse::<ListingId>() {
                Ok(id) => ids.push(id),
                Err(_) => unknown.push(shorten(&text, 120)),
            }
        }
        let (listings, boosts) = futures::try_join!(app.store.listings(&ids), economy::boosts(app, &ids))?;
        ids.retain(|id| !listings.iter().any(|listing| listing.id == *id));
        unknown.extend(ids.iter().map(ToString::to_string));
        let oldest = app.oldest_proof();
        let (live, others): (Vec<Listing>, Vec<Listing>) =
            listings.into_iter().partition(|listing| listing.is_live(oldest));
        let mut live: Vec<(Boost, Listing)> =
            live.into_iter().map(|listing| (boosts.of(&listing.id), listing)).collect();
        live.sort_by(|(a, one), (b, other)| {
            b.boost.total_cmp(&a.boost).then_with(|| one.id.as_str().cmp(other.id.as_str()))
        });
        let ranked = live.into_iter().enumerate().map(|(place, (boost, listing))| Ranked {
            rank: place + 1,
            kind: listing.shown_kind(),
            listing_id: listing.id,
            name: listing.name,
            boost,
        });
        Ok(Answer {
            ok: true,
            version: EXONOMICS_VERSION,
            at: app.clock.now(),
            ranking: ranked.collect(),
            unknown,
            not_live: others.into_iter().map(|listing| listing.id).collect(),
            formula: FORMULA,
            inputs: Inputs { match_boost: boosts.match_boost },
        })
    }
}
