//! The list of public agents, in the format of proposals for A2A discovery (A2A discussion #741). It is for
//! clients of registries that use this format. It contains the Live agents with their skills. Clients can
//! page with offset and limit, and search by words or by skill.

use serde::{Deserializer, de};

use super::document::json as json_bytes;
use crate::prelude::*;
use registry_features::listing::ProbeSummary;
use registry_features::operation::arguments::page_limit;
use registry_model::Listed;
use registry_search::{Hit, Query, Text};

const DEFAULT_LIMIT: u32 = 50;
const MAX_OFFSET: usize = 100_000;
const MAX_SKILLS: usize = 64;

/// Which agents to list, as a query or a body.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DirectoryQuery {
    /// A search in plain words.
    #[serde(alias = "query", alias = "text")]
    #[schemars(length(max = 20000))]
    q: String,
    /// A skill that the agents must have: a name or tag, in any case. Of an agent, the first 24 of each count.
    skill: Option<String>,
    /// Another name for `skill`.
    capability: Option<String>,
    /// The most agents of a page: 1 to 100, default 50.
    #[serde(deserialize_with = "number")]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The number of agents to skip: the `next_offset` of the previous page.
    #[serde(deserialize_with = "number")]
    #[schemars(range(max = 100_000))]
    offset: Option<u32>,
    /// Lists of skills and tags that the agents must have.
    filters: Filters,
}

/// `filters` as other registries accept them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Filters {
    #[schemars(length(max = 64))]
    skills: Vec<String>,
    #[schemars(length(max = 64))]
    capabilities: Vec<String>,
}

/// A query contains a number as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Integer(u32),
        Text(String),
    }
    match Option::<Number>::deserialize(deserializer) {
        Ok(None) => Ok(None),
        Ok(Some(Number::Integer(number))) => Ok(Some(number)),
        Ok(Some(Number::Text(text))) => text.parse().map(Some).map_err(de::Error::custom),
        Err(_) => Err(de::Error::custom("must be a whole number, and not too large")),
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Directory {
    ok: bool,
    /// This registry and its version.
    registry: Value,
    registry_version: &'static str,
    /// `a2a-open-discovery`.
    protocol: &'static str,
    /// The search of the request.
    #[serde(skip_serializing_if = "String::is_empty")]
    query: String,
    /// The number of agents on all pages; null with a skill filter if there are other pages.
    total: Option<usize>,
    /// The number of agents on this page.
    count: usize,
    offset: usize,
    /// The offset of the next page; null on the last.
    next_offset: Option<usize>,
    /// The agents: with a search the best first, otherwise the last changed first.
    agents: Vec<Agent>,
    /// The same list, under the name that some clients expect.
    items: Vec<Agent>,
    /// The request that lists an agent.
    register: Value,
    search: String,
    /// The URL of the whole list.
    public: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Agent {
    listing_id: ListingId,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The endpoint of the agent.
    url: String,
    agent_card_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    category_id: String,
    /// Its first 24 skills, in the words of the publisher; the card describes them all.
    skills: Vec<SkillName>,
    /// The first 24 tags of its skills.
    tags: Vec<String>,
    protocols: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<String>,
    /// The evidence of the last probe.
    probe: ProbeSummary,
    /// How well it matches the search, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u8>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SkillName {
    name: String,
}

pub static WELL_KNOWN_AGENTS: AnyDocument = AnyDocument {
    paths: &["/.well-known/agents", "/.well-known/agents/public"],
    summary: "Live agents with up to 24 skills each, in the format of the A2A discovery proposals.",
    ..DIRECTORY
};

pub static PUBLIC_AGENTS: AnyDocument = AnyDocument {
    paths: &["/agents/public", "/agents/search"],
    summary: "Live agents with up to 24 skills each. Returns all agents, or the agents that match words or a skill.",
    ..DIRECTORY
};

const DIRECTORY: AnyDocument = AnyDocument {
    max_age_s: Some(30),
    ..AnyDocument::of::<Directory>(|app, request| {
        Box::pin(async { json_bytes(&read_directory(app, request.query()?).await?) })
    })
    .with_query::<DirectoryQuery>()
};

/// # Errors
/// The table is busy, or a number is out of range.
pub async fn read_directory(app: &App, query: &DirectoryQuery) -> Result<Directory, Problem> {
    let text = Text::parse(&query.q, "q")?;
    let limit = page_limit(query.limit, DEFAULT_LIMIT)?;
    let skip = usize::try_from(query.offset.unwrap_or_default()).unwrap_or(usize::MAX);
    if skip > MAX_OFFSET {
        let detail = format!("`offset` must be at most {MAX_OFFSET}.");
        return Err(Problem::invalid("offset", Code::OutOfRange, detail));
    }
    let skills = query.skills()?;
    let has_skills = |hit: &Hit| skills.iter().all(|skill| has(hit, skill));
    let condition: Option<&(dyn Fn(&Hit) -> bool + Sync)> =
        if skills.is_empty() { None } else { Some(&has_skills) };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let words = text.as_str().to_owned();
    let query = Query { text, kind: Some(Kind::Agent), category: None, listed: Listed::Live, skip, limit };
    let found = app.search.find_filtered(query, app.clock.now(), condition).await?;
    let agents: Vec<Agent> = found.hits.iter().map(|hit| agent(app, hit, !words.is_empty())).collect();
    let settings = &app.settings;
    Ok(Directory {
        ok: true,
        registry: json!({
            "name": settings.brand, "url": settings.base_url,
            "agent_card_url": settings.url("/.well-known/agent-card.json"),
        }),
        registry_version: registry_model::VERSION,
        protocol: "a2a-open-discovery",
        query: words,
        total: found.total,
        count: agents.len(),
        offset: skip,
        next_offset: found.next,
        note: match (agents.len(), found.next) {
            (0, None) if skip == 0 => Some(
                "No Live agent was found. Leave out words and filters, if any, or POST one to /api/publish.",
            ),
            (1.., _) if found.nearest_only => Some("No sure match. These agents are the nearest."),
            _ => None,
        },
        items: agents.clone(),
        agents,
        register: json!({
            "list": settings.url("/api/publish"), "method": "POST",
            "body": { "url": "<URL of the agent card>" },
        }),
        search: settings.url("/agents/search"),
        public: settings.url("/agents/public"),
    })
}

impl DirectoryQuery {
    /// In lower case, each once.
    fn skills(&self) -> Result<BTreeSet<String>, Problem> {
        let one = [&self.skill, &self.capability].into_iter().flatten();
        let all = one.chain(&self.filters.skills).chain(&self.filters.capabilities);
        let skills: BTreeSet<String> =
            all.map(|skill| skill.trim().to_lowercase()).filter(|skill| !skill.is_empty()).collect();
        if skills.len() > MAX_SKILLS {
            let detail = format!("Ask for at most {MAX_SKILLS} skills and capabilities.");
            return Err(Problem::invalid("filters", Code::TooManySkills, detail));
        }
        Ok(skills)
    }
}

fn has(hit: &Hit, required: &str) -> bool {
    hit.abilities.names.iter().chain(&hit.abilities.tags).any(|name| name.to_lowercase() == required)
}

fn agent(app: &App, hit: &Hit, by_words: bool) -> Agent {
    let listing = &hit.listing;
    Agent {
        listing_id: listing.id.clone(),
        name: listing.texts.name.clone(),
        description: listing.texts.description.clone(),
        url: listing.endpoint.clone().unwrap_or_else(|| listing.target().to_owned()),
        agent_card_url: listing.public_card_url().to_owned(),
        version: listing.texts.version.clone(),
        category_id: listing.texts.category.id().to_owned(),
        skills: hit.abilities.names.iter().map(|name| SkillName { name: name.clone() }).collect(),
        tags: hit.abilities.tags.clone(),
        protocols: vec!["a2a"],
        protocol_version: listing.proof.era.clone(),
        probe: ProbeSummary::of(listing, app.clock.now()),
        score: by_words.then_some(hit.score),
    }
}
