//! From a need to a call: which Live listings can do it, and the request that reaches each in the protocol that is
//! preferred. Made from the evidence of their last probes; nobody is asked.

use crate::lookup;
use crate::prelude::*;
use registry_domain::interop::{self, Adapter, CapabilityNode, Invocation, Wanted};
use registry_formats::{argument_schema, argument_text};
use registry_model::EntryProtocol;
use registry_search::Text;
use registry_store::NamedListing;

/// Listings where no limit is given.
const USUAL: u32 = 8;
const MOST: u32 = 20;
const LONGEST_NAME: usize = 128;

pub struct InteropResolve;

/// What is needed, and how it is to be reached.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// What is needed, in plain words; where nothing is named at all, the newest listings are told.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    q: String,
    /// The id of one listing, which alone is then told.
    listing_id: Option<String>,
    /// The name of a tool that it must have.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = LONGEST_NAME))]
    tool: Option<String>,
    /// The name of a skill that it must have.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = LONGEST_NAME))]
    skill: Option<String>,
    /// The protocol that is told first; `mcp` where it is left out.
    prefer: Option<EntryProtocol>,
    /// At most so many listings, from 1 to 20; 8 where it is left out.
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u32>,
}

/// Who can, and how they are called.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// The protocol that is told first.
    prefer: EntryProtocol,
    /// The words as they were understood.
    query: String,
    /// The Live listings that answer: those that speak the preferred protocol first, each group the best first.
    matches: Vec<CapabilityNode>,
    /// How each of them is called, in the same order.
    invocations: Vec<Invocation>,
    /// What an invocation holds for each protocol, and what it rests on.
    adapters: Vec<Adapter>,
    /// How it went, in a sentence.
    note: String,
    /// What to do, where nothing answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    next: Option<Value>,
}

impl Operation for InteropResolve {
    const NAME: &'static str = "interop_resolve";
    const TITLE: &'static str = "From a need to a call";
    const DESCRIPTION: &'static str = "Resolves a need (q, tool, skill or listing_id) to Live listings and ready requests: \
        a JSON-RPC tools/call for an MCP server, a message in the proven dialect for an A2A agent, with URL, headers and \
        body, the preferred protocol first. Send them yourself; the registry calls nobody.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"q": "add two numbers", "prefer": "mcp", "limit": 3}"#;
    const PHRASES: &'static [&'static str] =
        &["resolve {text} to a call", "resolve how to invoke {text}", "interop resolve {text}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "interop-resolve",
        name: "From a need to a call",
        description: "Resolves a need to Live listings and to ready requests in MCP, A2A or plain HTTP.",
        tags: &["registry", "interop", "mcp", "a2a", "routing"],
    }];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/interop", names: &["resolve", "interop_resolve"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let prefer = arguments.prefer.unwrap_or(EntryProtocol::Mcp);
        let wanted = read(&arguments)?;
        let found = match &arguments.listing_id {
            None => interop::resolve(app, &wanted).await?,
            Some(id) => vec![lookup::live_listing_with_evidence(app, id).await?.as_ref().clone()],
        };
        let ids: Vec<ListingId> = found.iter().map(|(listing, _)| listing.id.clone()).collect();
        let trails = interop::trail_scores(app, &ids).await?;
        let node = |listing: &NamedListing| {
            let trail = trails.get(&listing.0.id).copied().unwrap_or_default();
            CapabilityNode::of(listing, trail, &app.settings)
        };
        let mut known: Vec<(CapabilityNode, &NamedListing)> =
            found.iter().map(|listing| (node(listing), listing)).collect();
        known.sort_by_key(|(node, _)| !node.protocols.contains(&prefer));
        let invocation = |(node, listing): &(CapabilityNode, &NamedListing)| {
            Invocation::of(node, listing, wanted.wish(), prefer, &app.settings, &app.random)
        };
        let invocations: Vec<Invocation> = known.iter().map(invocation).collect();
        let matches: Vec<CapabilityNode> = known.into_iter().map(|(node, _)| node).collect();
        let (note, next) = summary(app, prefer, &matches);
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            prefer,
            query: wanted.text.as_str().to_owned(),
            matches,
            invocations,
            adapters: interop::adapters(),
            note,
            next,
        })
    }
}

fn read(arguments: &Arguments) -> Result<Wanted, Problem> {
    let limit = arguments.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        let detail = format!("`limit` must be from 1 to {MOST}.");
        return Err(Problem::invalid("limit", "out_of_range", detail));
    }
    let name = |field: &str, text: &Option<String>| {
        text.as_deref().map(|text| argument_text::line(field, text, LONGEST_NAME)).transpose()
    };
    Ok(Wanted {
        text: Text::parse(&arguments.q, "q")?,
        tool: name("tool", &arguments.tool)?,
        skill: name("skill", &arguments.skill)?,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    })
}

fn summary(app: &App, prefer: EntryProtocol, matches: &[CapabilityNode]) -> (String, Option<Value>) {
    if matches.is_empty() {
        let next = json!({
            "action": "browse", "method": "GET", "url": app.settings.url("/api/listings/active"),
            "tool": "search_active", "arguments": {},
            "note": "Ask in other words, without `tool` and `skill`, or go through all that is Live.",
        });
        return ("No Live listing answers to this.".to_owned(), Some(next));
    }
    let speak = matches.iter().filter(|node| node.protocols.contains(&prefer)).count();
    let note = format!(
        "{} Live, {speak} of them by {}. Each invocation is a request to send as it stands, once its arguments are \
         filled in.",
        matches.len(),
        prefer.as_str()
    );
    (note, None)
}
