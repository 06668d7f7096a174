//! Ranks the given listings by their reported outcomes and their trails (their recent use). It does not
//! compare the listings with a query. This takes two batch reads for any number of listings.

use std::collections::BTreeSet;

use crate::economy;
use crate::economy::acceleration::{BOOST_FORMULA, Boost};
use crate::prelude::*;

const MAX_LISTINGS: usize = 50;

pub struct AbundanceRank;

/// The listings to rank.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["listing_id"]), { "required": ["listing_ids"], "properties": { "listing_ids": { "minItems": 1 } } }]))]
pub struct Arguments {
    /// The id of one listing.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The ids of up to 50 listings.
    #[serde(default)]
    #[schemars(length(max = 50))]
    listing_ids: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    at: Moment,
    /// The Live listings, highest rank value (`boost`) first.
    ranking: Vec<Ranked>,
    /// Requested ids that this registry does not know.
    unknown: Vec<String>,
    /// Requested listings that are not Live.
    not_live: Vec<ListingId>,
    formula: &'static str,
    inputs: Inputs,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Inputs {
    /// The multiplier `match_boost` of `get_acceleration`.
    match_boost: f64,
}

/// A listing and its rank value (`boost`).
#[derive(Debug, Serialize, JsonSchema)]
struct Ranked {
    rank: usize,
    listing_id: ListingId,
    name: String,
    kind: Kind,
    /// The score of the last probe whose result the listing shows, and its time in milliseconds. They do not count.
    score: Option<u8>,
    latency_ms: Option<u32>,
    #[serde(flatten)]
    boost: Boost,
}

impl Operation for AbundanceRank {
    const NAME: &'static str = "abundance_rank";
    const TITLE: &'static str = "Rank listings by reported use";
    const DESCRIPTION: &'static str = "Ranks up to 50 Live listings by reported outcomes and recent \
        use. Pass listing_ids. Use it to choose between equally good matches. The rank value is 0.6 * \
        outcome score + 0.4 * trail boost (recent use; counts up to 20). Each row shows both parts.";
    const PHRASES: &'static [&'static str] = &[
        "how well did {id} work for others?",
        "what is the abundance rank of {id}?",
        "rank {id} by abundance",
        "show the abundance of {id}",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"listing_ids": ["agtpub_0123456789abcdef0123", "mcp-org-example-adder"]}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Ranked: {ranking#listing}.",
        r#"[ranking]{rank}. "{name}" with {outcomes#reported outcome} | ({outcomes_ok} good) | , {endorsements#endorsement} | , a boost of {boost} | , an outcome score of {outcome_score} | , a probe score of {score} | , probed in {latency_ms} ms"#,
        "A listing without an outcome score has no reported outcome that counts; a boost comes from the trail and the outcomes of a listing, and of nearly equal ones none is better.",
        "Unknown: {unknown}.",
        "Not Live: {not_live}.",
    ];
    const FAMILY: Option<Family> = Some(Family::EXONOMICS);
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let list_length = arguments.listing_ids.len();
        let requested: BTreeSet<String> =
            arguments.listing_id.into_iter().chain(arguments.listing_ids).collect();
        if requested.is_empty() || list_length > MAX_LISTINGS {
            let detail = "Send 1 to 50 ids as `listing_ids`, or one id as `listing_id`.";
            return Err(Problem::invalid("listing_ids", Code::OutOfRange, detail));
        }
        let (mut ids, mut unknown) = (Vec::new(), Vec::new());
        for text in requested {
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
            kind: listing.likely_kind(),
            listing_id: listing.id,
            name: listing.texts.name,
            score: listing.proof.probe.as_ref().map(|probe| probe.score),
            latency_ms: listing.proof.probe.as_ref().and_then(|probe| probe.latency_ms),
            boost,
        });
        Ok(Answer {
            at: app.clock.now(),
            ranking: ranked.collect(),
            unknown,
            not_live: others.into_iter().map(|listing| listing.id).collect(),
            formula: BOOST_FORMULA,
            inputs: Inputs { match_boost: boosts.match_boost },
        })
    }
}
