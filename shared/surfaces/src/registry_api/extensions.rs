//! Extensions of the official API that its users often request: search by meaning, health and counts. Their paths start
//! with `/x/` and the registry's own namespace, where that API allows extensions. Clients work without them.

use super::query::{Cursor, ServerQuery, read_access, read_limit};
use super::servers::{Metadata, index_page, server_named};
use crate::prelude::*;
use registry_features::listing::{Namespace, ServerEvidence, ServerResponse};
use registry_formats::registry_name;
use registry_model::Listed;
use registry_model::protocol::MCP_REGISTRY;
use registry_search::Text;
use registry_search::browse::{Counts, Facet};

const MAX_VALUES: usize = 50;

/// Servers, best first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ServerMatches")]
pub(crate) struct Matches {
    servers: Vec<ServerResponse>,
    metadata: Found,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    count: usize,
    total: usize,
    /// The query as it was read, if its spelling was corrected.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Each hit has, under our own `match` key, its score and the reasons.
///
/// # Errors
/// 422 for a query over 20,000 characters, an unknown `access` or a limit that is not a number; the table is busy.
pub(super) async fn search(app: &App, query: &Parameters) -> Result<Matches, Problem> {
    let words = Text::parse(query.text("q").unwrap_or_default(), "q")?;
    let limit = read_limit(query)?;
    let search = registry_search::Query {
        text: words,
        kind: Some(Kind::Mcp),
        category: None,
        listed: read_access(query)?.into(),
        skip: 0,
        limit,
    };
    let found = app.search.find(&search, app.clock.now()).await?;
    let ids: Vec<ListingId> = found.hits.iter().map(|hit| hit.listing.id.clone()).collect();
    let documents = app.store.server_documents(&ids).await?;
    let key = Namespace::own(&app.settings).key("match");
    let servers: Vec<ServerResponse> = found
        .hits
        .iter()
        .map(|hit| {
            let document = documents.get(&hit.listing.id);
            let mut server = ServerResponse::of(&hit.listing, document, None, &app.settings);
            let why = json!({
                "score": hit.score, "words": hit.words, "tools": hit.matched_abilities, "boosts": hit.boosts,
            });
            server.meta.insert(key.clone(), why);
            server
        })
        .collect();
    let note = match (found.searched, found.total) {
        (0, _) if search.listed == Listed::Live => Some(format!(
            "No server is Live here now. List one: POST {} {{\"mcp_url\": \"<URL>\"}}.",
            app.settings.url("/api/publish")
        )),
        (_, 0) => Some(format!(
            "No server with this `access` (default: Live) matches. Use other words, or list the Live servers: {}.",
            app.settings.url(MCP_REGISTRY)
        )),
        _ if found.nearest_only => Some("No sure match. These servers are the nearest.".to_owned()),
        _ => None,
    };
    let metadata = Found { count: servers.len(), total: found.total, corrected: found.corrected, note };
    Ok(Matches { servers, metadata })
}

/// The evidence, by server name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ServerHealth")]
pub(crate) struct Health {
    servers: BTreeMap<String, ServerEvidence>,
    metadata: Metadata,
}

/// The evidence for one `name`, or for a page of all servers (with the parameters of the list).
///
/// # Errors
/// As the list; 404 if no Live server has that name.
pub(super) async fn health(app: &App, query: &Parameters) -> Result<Health, Problem> {
    let (rows, next_cursor) = match query.text("name") {
        Some(name) => (vec![server_named(app, name, None).await?], None),
        None => {
            let mut query = ServerQuery::parse(query, None)?;
            // Packages are in the same list here.
            query.part.listed = query.access.into();
            app.search.refresh().await?;
            let after = if let Cursor::Live(after) = &query.begin { after.clone() } else { None };
            let (rows, next) = index_page(app, &query, after, query.part.limit).await?;
            (rows, next.map(|position| Cursor::Live(Some(position)).write()))
        }
    };
    let listings = rows.iter().map(|row| &row.listing);
    let servers: BTreeMap<_, _> = listings
        .map(|listing| (registry_name::name_of_listing(listing), ServerEvidence::of(listing, &app.settings)))
        .collect();
    Ok(Health { metadata: Metadata { next_cursor, count: servers.len() }, servers })
}

/// How many servers have each value.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ServerFacets")]
pub(crate) struct Facets {
    facets: BTreeMap<&'static str, Vec<Count>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Count {
    value: String,
    count: usize,
}

/// # Errors
/// 422 for a query over 20,000 characters; the table is busy.
pub(super) async fn facets(app: &App, query: &Parameters) -> Result<Facets, Problem> {
    let words = Text::parse(query.text("q").unwrap_or_default(), "q")?;
    let by = [Facet::Category, Facet::Publisher];
    let counted = app.search.count(&words, Some(Kind::Mcp), read_access(query)?.into(), &by).await?;
    let values = |counts: Arc<Counts>| {
        // A package has no publisher.
        let most = counts.iter().filter(|(value, _)| !value.is_empty()).take(MAX_VALUES);
        most.map(|(value, count)| Count { value: value.clone(), count: *count }).collect()
    };
    Ok(Facets {
        facets: ["category", "publisher"].into_iter().zip(counted.into_iter().map(values)).collect(),
    })
}
