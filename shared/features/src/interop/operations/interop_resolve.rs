//! Finds the Live listings that can do what the caller needs. For each listing, it returns a request that the
//! caller can send as it is, in the preferred protocol. The requests are made from the evidence of the last
//! probes. No listing is called.

use crate::interop::{Adapter, CapabilityNode, CapabilityQuery, Invocation};
use crate::listing::operations::ard_search::MAX_SHOWN_QUERY;
use crate::prelude::*;
use registry_formats::argument_text;
use registry_model::EntryProtocol;
use registry_search::Text;
use registry_store::NamedListing;

const DEFAULT_ROWS: u32 = 8;
const MAX_ROWS: u32 = 20;
const MAX_NAME_CHARS: usize = 128;

pub struct InteropResolve;

/// The need, and the preferred protocol.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["q", "tool", "skill", "listing_id"])))]
pub struct Arguments {
    /// The need in plain words. If you send no `q`, send `tool`, `skill` or `listing_id`.
    #[serde(alias = "query", alias = "need", alias = "text")]
    #[schemars(regex(pattern = argument_schema::WORDS), length(max = 20000))]
    q: Option<String>,
    /// The id of a listing. If sent, only this listing is returned.
    listing_id: Option<String>,
    /// The name of a tool that the listing must have; `q` then only ranks. A search knows the first 40 tools of a listing.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = MAX_NAME_CHARS))]
    tool: Option<String>,
    /// The same for a skill. With `tool`, one is enough.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = MAX_NAME_CHARS))]
    skill: Option<String>,
    /// The preferred protocol. Of the best matches, those with it come first; others are returned, too. Default: `mcp`.
    #[schemars(extend("default" = "mcp"))]
    prefer: Option<EntryProtocol>,
    /// The maximum number of listings, from 1 to 20. Default: 8.
    #[schemars(range(min = 1, max = 20), extend("default" = 8))]
    limit: Option<u32>,
}

/// Matching listings and the requests to call them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    prefer: EntryProtocol,
    /// The normalized query.
    query: String,
    /// Present and true if nothing clearly matches: the listings are only the nearest ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nearest_only: bool,
    /// Matching Live listings. Listings with the preferred protocol come first. In each group, the best match comes
    /// first.
    matches: Vec<CapabilityNode>,
    /// How to call each listing, in the order of `matches`.
    invocations: Vec<Invocation>,
    /// What a request contains in each protocol, and the evidence for it.
    adapters: Vec<Adapter>,
    note: String,
    /// What to do if nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    next: Option<Value>,
}

impl Operation for InteropResolve {
    const NAME: &'static str = "interop_resolve";
    const TITLE: &'static str = "Find a listing and how to call it";
    const DESCRIPTION: &'static str = "Finds Live listings for a need. Pass the need as q, tool, skill or \
        listing_id. Returns a complete request for each listing, with URL, headers and body: tools/call for \
        an MCP server, a message for an A2A agent. Of the best matches, those with the preferred protocol come first. You send \
        the request.";
    const PHRASES: &'static [&'static str] = &[
        "show me how to call {a weather agent}",
        "resolve {a currency converter} to a call",
        "resolve how to invoke {a PDF reader}",
        "interop resolve {a route planner}",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"q": "add two numbers", "prefer": "mcp", "limit": 3}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{note}",
        r#"[invocations]"{name}" ({listing_id}) | : MCP (streamable HTTP) {mcp.method} {mcp.url} with the body {mcp.body} | : A2A {a2a.method} {a2a.url} with the body {a2a.body} | : A2A over HTTP {http.method} {http.url} with the body {http.body}"#,
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Finds Live listings for a need. Returns complete requests in MCP, A2A or plain HTTP.",
        &["registry", "interop", "mcp", "a2a", "routing"],
    )];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    const SHORT: &'static [&'static str] =
        &["ok", "version", "prefer", "query", "nearest_only", "invocations", "note", "next"];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let prefer = arguments.prefer.unwrap_or(EntryProtocol::Mcp);
        let wanted = capability_query(&arguments)?;
        let (mut found, nearest_only) = match &arguments.listing_id {
            None => crate::interop::resolve(app, &wanted).await?,
            Some(id) => (vec![lookup::live_listing_with_evidence(app, id).await?.as_ref().clone()], false),
        };
        found.retain(|listing| wanted.admits(listing));
        let ids: Vec<ListingId> = found.iter().map(|(listing, _)| listing.id.clone()).collect();
        let trails = crate::interop::trail_scores(app, &ids).await?;
        let node = |listing: &NamedListing| {
            CapabilityNode::of(listing, trails.get(&listing.0.id).copied().unwrap_or_default(), &app.settings)
        };
        let mut known: Vec<(CapabilityNode, &NamedListing)> =
            found.iter().map(|listing| (node(listing), listing)).collect();
        known.sort_by_key(|(node, _)| !node.protocols.contains(&prefer));
        let invocation = |(node, listing): &(CapabilityNode, &NamedListing)| {
            Invocation::of(node, listing, wanted.wish(), prefer, &app.settings, &app.random)
        };
        let invocations: Vec<Invocation> = known.iter().map(invocation).collect();
        let matches: Vec<CapabilityNode> = known.into_iter().map(|(node, _)| node).collect();
        let (mut note, next) = summary(app, &matches);
        if nearest_only && !matches.is_empty() {
            note = format!("No sure match; these are the nearest. {note}");
        }
        Ok(Answer {
            prefer,
            query: shorten(wanted.text.as_str(), MAX_SHOWN_QUERY),
            nearest_only,
            matches,
            invocations,
            adapters: crate::interop::adapters(),
            note,
            next,
        })
    }
}

fn capability_query(arguments: &Arguments) -> Result<CapabilityQuery, Problem> {
    let limit = bounded_number("limit", arguments.limit, DEFAULT_ROWS, MAX_ROWS)?;
    let name = |field: &str, text: &Option<String>| {
        text.as_deref().map(|text| argument_text::line(field, text, MAX_NAME_CHARS)).transpose()
    };
    let query = CapabilityQuery {
        text: Text::parse(arguments.q.as_deref().unwrap_or_default(), "q")?,
        tool: name("tool", &arguments.tool)?,
        skill: name("skill", &arguments.skill)?,
        limit,
    };
    if query.text.is_empty() && !query.is_named() && arguments.listing_id.is_none() {
        return Err(Problem::invalid("q", Code::Empty, "Send `q`, `tool`, `skill` or `listing_id`."));
    }
    Ok(query)
}

fn summary(app: &App, matches: &[CapabilityNode]) -> (String, Option<Value>) {
    if matches.is_empty() {
        let next = json!({
            "action": "browse", "method": "GET", "url": app.settings.url("/api/listings/active"),
            "tool": "search_active", "arguments": {},
            "note": "Use other words, leave out `tool` and `skill`, or browse all Live listings.",
        });
        let note = "No Live listing matches. Tools and skills after the first 40 of a listing can be missed.";
        return (note.to_owned(), Some(next));
    }
    let note = format!(
        "Returned {}. Fill in a request as its `note` says. Send it with its headers, after those in `before`, if any.",
        counted(matches.len(), "Live listing")
    );
    (note, None)
}
