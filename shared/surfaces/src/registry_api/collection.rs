//! The servers of a collection. The index knows a part of the rules; the others are checked for each row.

use crate::prelude::*;
use registry_features::trust::collection_rules;
use registry_formats::registry_name;
use registry_model::{Access, Category, Collection, CollectionRules};
use registry_search::{Query, Text};

/// Hits of the search text of a collection.
const MAX_HITS: usize = 100;

#[derive(Clone, Debug)]
pub(crate) struct Selection {
    pub(super) collection: Collection,
    /// The names or ids to which the index is limited.
    pub(super) only: Option<Arc<HashSet<String>>>,
}

impl Selection {
    /// # Errors
    /// 404 for an unknown collection; the table is busy.
    pub(super) async fn load(app: &App, name: &str) -> Result<Arc<Self>, Problem> {
        let found = app.store.collection(name).await?;
        let collection = found.ok_or_else(|| collection_rules::not_found(name))?;
        let rules = &collection.rules;
        let only = match &rules.q {
            Some(q) => Some(hits(app, q, rules).await?),
            None if rules.servers.is_empty() => None,
            None => Some(rules.servers.iter().cloned().collect()),
        };
        Ok(Arc::new(Self { only: only.map(Arc::new), collection }))
    }

    pub(super) fn matches(&self, listing: &Listing, now: Moment) -> bool {
        let rules = &self.collection.rules;
        // A name that nobody had when the collection was published belongs to whoever proves it.
        let has_name = listing.has_proven_name() || listing.listed_at <= self.collection.updated_at;
        let is_named = |server: &String| {
            *server == listing.id.as_str() || has_name && *server == registry_name::name_of_listing(listing)
        };
        let is_recent = |hours: u32| {
            let is_recent = |at| now.duration_since(at) <= SignedDuration::from_hours(hours.into());
            listing.proven_at().is_some_and(is_recent)
        };
        (rules.access == Access::All || rules.access == listing.access())
            && (rules.servers.is_empty() || rules.servers.iter().any(is_named))
            && rules.category.as_ref().is_none_or(|category| category == listing.texts.category.id())
            && (!rules.proven_names || listing.holds_proven_name())
            && rules.max_age_hours.is_none_or(is_recent)
    }
}

async fn hits(app: &App, q: &str, rules: &CollectionRules) -> Result<HashSet<String>, Problem> {
    let query = Query {
        text: Text::parse(q, "q")?,
        kind: Some(Kind::Mcp),
        category: rules.category.as_deref().and_then(Category::by_id),
        listed: Some(rules.access).into(),
        skip: 0,
        limit: MAX_HITS,
    };
    let found = app.search.find(&query, app.clock.now()).await?;
    Ok(found.hits.into_iter().map(|hit| hit.listing.id.to_string()).collect())
}
