//! Finds the Live listings that can do what a query describes. This takes one search and one batch read.
//! After that, the results are filtered by tool or skill.

use std::collections::BTreeMap;

use super::CALLABLE;
use super::invocation::{CapabilityRequest, is_same_name};
use crate::prelude::*;
use registry_model::Skill;
use registry_search::{Found, Query, Text};
use registry_store::{NamedListing, StoreError};

/// Hits considered for each wanted listing when a tool or skill is named.
const CANDIDATES_PER_LISTING: usize = 4;
const MAX_CANDIDATES: usize = 48;
/// Candidates whose evidence is read although the index does not show the name: it has only the first names, and no ids
/// of skills. Evidence is large.
const OTHER_CANDIDATES: usize = 8;

#[derive(Clone, Debug)]
pub struct CapabilityQuery {
    /// Empty, with neither tool nor skill: the newest listings.
    pub text: Text,
    pub tool: Option<String>,
    pub skill: Option<String>,
    pub limit: usize,
}

impl CapabilityQuery {
    pub fn wish(&self) -> CapabilityRequest<'_> {
        CapabilityRequest {
            words: self.text.as_str(),
            tool: self.tool.as_deref(),
            skill: self.skill.as_deref(),
        }
    }

    pub fn is_named(&self) -> bool {
        self.tool.is_some() || self.skill.is_some()
    }

    /// Whether a listing has the tool or skill, if one is named.
    pub fn admits(&self, (_, evidence): &NamedListing) -> bool {
        if !self.is_named() {
            return true;
        }
        let Some(facts) = evidence.as_ref().map(|evidence| &evidence.verdict.facts) else { return false };
        let has_tool = |name: &str| facts.tools.iter().any(|tool| is_same_name(&tool.name, name));
        let is_skill =
            |skill: &Skill, name: &str| is_same_name(&skill.name, name) || is_same_name(&skill.id, name);
        let has_skill = |name: &str| facts.skills.iter().any(|skill| is_skill(skill, name));
        self.tool.as_deref().is_some_and(has_tool) || self.skill.as_deref().is_some_and(has_skill)
    }
}

/// The listings, and whether they are only the nearest ones because nothing clearly matches the words.
pub async fn resolve(app: &App, query: &CapabilityQuery) -> Result<(Vec<NamedListing>, bool), Problem> {
    let kind = match (&query.tool, &query.skill) {
        (Some(_), None) => Some(Kind::Mcp),
        (None, Some(_)) => Some(Kind::Agent),
        _ => None,
    };
    let names: Vec<&str> = [query.tool.as_deref(), query.skill.as_deref()].into_iter().flatten().collect();
    let words = names.iter().map(|it| it.replace(['_', '-'], " ")).chain([query.text.as_str().to_owned()]);
    let text = Text::parse(&words.collect::<Vec<_>>().join(" "), "q")?;
    let factor = if query.is_named() { CANDIDATES_PER_LISTING } else { 1 };
    let limit = (query.limit * factor).min(MAX_CANDIDATES);
    let search = Query { text, kind, category: None, listed: CALLABLE, skip: 0, limit };
    let Found { mut hits, nearest_only, .. } = app.search.find(&search, app.clock.now()).await?;
    if query.is_named() {
        let is_named = |name: &String| names.iter().any(|named| is_same_name(named, name));
        hits.sort_by_key(|hit| !hit.abilities.names.iter().any(is_named));
        hits.truncate(query.limit + OTHER_CANDIDATES);
    }
    let mut ids: Vec<ListingId> = hits.into_iter().map(|hit| hit.listing.id.clone()).collect();
    if query.is_named() {
        // A search finds the registry's own listings only if they clearly match.
        let others: Vec<_> = app.search.own.iter().filter(|own| !ids.contains(own)).cloned().collect();
        ids.extend(others);
    }
    let mut listings = live_in_order(app, &ids).await?;
    listings.retain(|listing| query.admits(listing));
    listings.truncate(query.limit);
    Ok((listings, nearest_only && !query.is_named()))
}

/// The Live listings of these ids with their evidence, in this order.
pub async fn live_in_order(app: &App, ids: &[ListingId]) -> Result<Vec<NamedListing>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let oldest_proof = app.oldest_proof();
    let mut listings = app.store.shown_with_evidence(ids).await?;
    listings.retain(|(listing, _)| listing.is_live(oldest_proof));
    listings.sort_by_key(|(listing, _)| ids.iter().position(|id| *id == listing.id));
    Ok(listings)
}

/// Listings without a trail are left out.
pub async fn trail_scores(app: &App, ids: &[ListingId]) -> Result<BTreeMap<ListingId, f64>, StoreError> {
    let trails = app.store.trails_of(ids, app.clock.now()).await?;
    Ok(trails.into_iter().map(|(id, trail)| (id, trail.trail_score())).collect())
}
