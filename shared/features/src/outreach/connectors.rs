//! Finds the Live listings that connect other listings. It runs a few fixed searches and then ranks the
//! candidates by their traits. The table is read once for all candidates.

use std::collections::HashMap;

use super::likeness::Likeness;
use crate::prelude::*;
use registry_model::Listed;
use registry_search::{Query, Text};
use registry_store::{OutreachClass, OutreachState, StoreError};

/// What connectors write about themselves: one search for each role.
const SEARCHES: [&str; 5] = [
    "gateway, router, proxy or bridge between agents and MCP servers",
    "registry or discovery of agents and MCP servers",
    "multi-agent orchestrator, coordinator or swarm",
    "marketplace or hub of agents",
    "federation, aggregator or interoperability mesh of servers",
];

#[derive(Clone, Debug)]
pub struct Candidate {
    pub listing: Listing,
    pub likeness: Likeness,
    /// The score of the last probe in tenths, 0 to 10.
    pub live_score: u8,
    /// `None` if it has no place in outreach yet.
    pub state: Option<OutreachState>,
}

impl Candidate {
    /// It is in the queue, has not opted out, and its pause is over.
    pub fn may_be_touched(&self, now: Moment, pause: jiff::SignedDuration) -> bool {
        self.state.as_ref().is_some_and(|state| may_be_touched(state, now, pause))
    }
}

pub(super) fn may_be_touched(state: &OutreachState, now: Moment, pause: jiff::SignedDuration) -> bool {
    state.place.is_some()
        && state.class != OutreachClass::OptedOut
        && state.touched_at.is_none_or(|at| at + pause <= now)
}

/// The Live listings that connect others, the strongest first.
pub async fn candidates(app: &App) -> Result<Vec<Candidate>, StoreError> {
    let query = |text: Text| {
        let (listed, limit) = (Listed::Live, 18);
        Query { text, kind: None, category: None, listed, skip: 0, limit }
    };
    let texts = SEARCHES.iter().filter_map(|search| Text::parse(search, "q").ok());
    let queries: Vec<Query> = texts.map(query).collect();
    app.search.refresh().await?;
    let mut ids: Vec<ListingId> = Vec::new();
    for (id, _) in app.search.candidates(&queries).await?.into_iter().flatten() {
        if !ids.contains(&id) && !app.is_own(&id) {
            ids.push(id);
        }
    }
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (named, states) =
        futures::try_join!(app.store.listings_with_evidence(&ids), app.store.outreach_states(&ids))?;
    let mut states: HashMap<ListingId, OutreachState> = states.into_iter().collect();
    let oldest_proof = app.oldest_proof();
    let mut found: Vec<Candidate> = named
        .into_iter()
        .filter(|(listing, _)| listing.is_live(oldest_proof))
        .map(|(listing, evidence)| Candidate {
            likeness: Likeness::of(&listing, evidence.as_ref()),
            live_score: listing.proof.probe.as_ref().map_or(0, |probe| probe.score / 10),
            state: states.remove(&listing.id),
            listing,
        })
        .filter(|candidate| candidate.likeness.points > 0)
        .collect();
    let rank = |one: &Candidate| std::cmp::Reverse((one.likeness.points, one.live_score));
    found
        .sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.listing.id.as_str().cmp(b.listing.id.as_str())));
    Ok(found)
}
