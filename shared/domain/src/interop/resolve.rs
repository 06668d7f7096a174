//! Which Live listings can do what is wanted: those that the search finds, held against the tool or skill that was named.
//! One search and one batch read, however many are listed.

use super::invocation::{Wish, is_same_name};
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Kind, ListingId, Skill};
use registry_search::{Query, Text};
use registry_store::NamedListing;

/// Candidates read for each wanted listing when a tool or skill is named.
const TRIED: usize = 4;
const MOST_TRIED: usize = 48;

#[derive(Clone, Debug)]
pub struct Wanted {
    /// Empty, with neither tool nor skill: the newest listings.
    pub text: Text,
    pub tool: Option<String>,
    pub skill: Option<String>,
    pub limit: usize,
}

impl Wanted {
    #[must_use]
    pub fn wish(&self) -> Wish<'_> {
        Wish { words: self.text.as_str(), tool: self.tool.as_deref(), skill: self.skill.as_deref() }
    }

    fn is_named(&self) -> bool {
        self.tool.is_some() || self.skill.is_some()
    }

    fn holds(&self, (_, evidence): &NamedListing) -> bool {
        let Some(facts) = evidence.as_ref().map(|evidence| &evidence.verdict.facts) else { return false };
        let has_tool = |name: &str| facts.tools.iter().any(|tool| is_same_name(&tool.name, name));
        let is_skill =
            |skill: &Skill, name: &str| is_same_name(&skill.name, name) || is_same_name(&skill.id, name);
        let has_skill = |name: &str| facts.skills.iter().any(|skill| is_skill(skill, name));
        self.tool.as_deref().is_some_and(has_tool) || self.skill.as_deref().is_some_and(has_skill)
    }
}

pub async fn resolve(app: &App, wanted: &Wanted) -> Result<Vec<NamedListing>, Problem> {
    let kind = match (&wanted.tool, &wanted.skill) {
        (Some(_), None) => Some(Kind::Mcp),
        (None, Some(_)) => Some(Kind::Agent),
        _ => None,
    };
    let names = [wanted.tool.as_deref(), wanted.skill.as_deref()].into_iter().flatten();
    let words = names.map(|name| name.replace(['_', '-'], " ")).chain([wanted.text.as_str().to_owned()]);
    let text = Text::parse(&words.collect::<Vec<_>>().join(" "), "q")?;
    let limit = if wanted.is_named() { (wanted.limit * TRIED).min(MOST_TRIED) } else { wanted.limit };
    let query = Query { text, kind, category: None, skip: 0, limit };
    let found = app.search.find(&query, app.clock.now()).await?;
    let ids: Vec<ListingId> = found.hits.into_iter().map(|hit| hit.listing.id.clone()).collect();
    let mut listings = live_in_order(app, &ids).await?;
    if wanted.is_named() {
        listings.retain(|listing| wanted.holds(listing));
    }
    listings.truncate(wanted.limit);
    Ok(listings)
}

/// The Live listings of these ids with their evidence, in this order.
pub async fn live_in_order(app: &App, ids: &[ListingId]) -> Result<Vec<NamedListing>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let oldest_proof = app.oldest_proof();
    let mut listings = app.store.listings_with_evidence(ids).await?;
    listings.retain(|(listing, _)| listing.is_live(oldest_proof));
    listings.sort_by_key(|(listing, _)| ids.iter().position(|id| *id == listing.id));
    Ok(listings)
}
