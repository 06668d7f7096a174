//! Returns the tools of an MCP server in full, with their content addresses, and what changed since an earlier look. Also
//! returns its resources, resource templates and prompts.

use crate::listing::tools::{self, ShownSet, ShownTool};
use crate::prelude::*;
use registry_model::{ServerContents, Severity, ToolChange, ToolSet, set_of_tools_hash, tools_hash};

pub struct ListingTools;

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
const MAX_CHANGES: usize = 100;

/// A listing, and which part of its tools.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "listing_id")]
    id: String,
    /// Only the tool with this name. Default: all tools.
    #[schemars(length(max = 200))]
    tool: Option<String>,
    /// The hash of an earlier tool set (64 hex digits, or a `tools_hash`). `changes` begins there. Default: the set before
    /// the current one.
    #[schemars(regex(pattern = "^(sha256:)?[0-9a-f]{64}$"))]
    since: Option<String>,
    /// Tools to return. Default: 20.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<u32>,
    /// The name of the last tool of the previous page.
    #[schemars(length(max = 200))]
    after: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// The hash of the current tool set; null while no tools are stored.
    tools_hash: Option<String>,
    /// The current tool set; null while no tools are stored.
    set: Option<ShownSet>,
    /// The tools by name.
    tools: Vec<ShownTool>,
    /// Pass it as `after` to get more tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<String>,
    /// Tools that are part of the set's hash, but too many to store.
    unlisted: u32,
    #[serde(flatten)]
    contents: ServerContents,
    /// The earlier set that `changes` begins with. Null if no earlier set is stored.
    changed_since: Option<ShownSet>,
    /// How much the severest change matters to clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    /// What changed since then, the severest first, at most 100 changes.
    changes: Vec<ToolChange>,
    /// The earlier sets that are stored, the latest first.
    earlier: Vec<ShownSet>,
}

impl Operation for ListingTools {
    const NAME: &'static str = "listing_tools";
    const TITLE: &'static str = "Tools of a listing";
    const DESCRIPTION: &'static str = "Returns the tools of a listed MCP server with parameters, annotations and content \
        hashes; with `detail` `full`, also its resources and prompts. Also returns what changed since an earlier tool \
        set, with a severity. Pass id. Use it before you approve a server or after a tool changed.";
    const PHRASES: &'static [&'static str] = &["show the tools of {id}", "which tools does {id} have?"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"id": "agtpub_0123456789abcdef0123", "limit": 20}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{listing_id}: {tools#tool} shown; tools in its set: {set.tools:none is stored}.",
        "Tools: [tools]{name} | with the parameters {parameters} | ({annotations.read_only?declared to only read|declared to change something}) | ({annotations.destructive?declared destructive|declared not destructive}) | : \"{description}\"",
        "The hash of the set is {tools_hash} | ; it is the stored set since {set.at}, and no later change was seen.",
        "Changes since {changed_since.at} | , the severest is {severity}: [changes]{tool} | : {kind} | ({argument})",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/listings/tools").cached_for(30)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const SHORT: &'static [&'static str] = &[
        "ok",
        "listing_id",
        "tools_hash",
        "set.at",
        "set.tools",
        "tools.name",
        "tools.hash",
        "tools.description",
        "tools.parameters",
        "tools.annotations",
        "next_after",
        "changed_since.hash",
        "changed_since.at",
        "severity",
        "changes",
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = bounded_number("limit", arguments.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let (id, _) = lookup::meant(app, &arguments.id).await?;
        let listing = lookup::visible_listing(app, id.as_str()).await?;
        let seen = app.store.seen_tools(&listing.id).await?;
        let current = seen.sets.first();
        let before = match &arguments.since {
            Some(hash) => Some(since(&seen.sets, hash)?),
            None => seen.sets.get(1),
        };
        let mut changes = match (before, current) {
            (Some(before), Some(current)) => tools::changes(&seen, before, current),
            _ => Vec::new(),
        };
        if let Some(name) = &arguments.tool {
            changes.retain(|change| change.tool == *name);
        }
        let severity = tools::severity(&changes);
        changes.truncate(MAX_CHANGES);
        let listed = current.into_iter().flat_map(|set| &set.tools);
        let mut matching = listed
            .filter(|tool| arguments.tool.as_ref().is_none_or(|name| tool.name == *name))
            .filter(|tool| arguments.after.as_ref().is_none_or(|after| tool.name > *after))
            .peekable();
        let mut shown: Vec<ShownTool> = Vec::new();
        // The next page begins after a name, so tools with one name are on one page.
        let fits = |shown: &[ShownTool], name: &str| {
            shown.len() < limit || shown.last().is_some_and(|last| last.name == name)
        };
        while let Some(tool) = matching.next_if(|tool| fits(&shown, &tool.name)) {
            shown.push(ShownTool::of(&app.settings, &seen, tool));
        }
        let next_after = matching.peek().and_then(|_| Some(shown.last()?.name.clone()));
        let set = |set: &ToolSet| ShownSet::of(&app.settings, set);
        Ok(Answer {
            listing_id: listing.id,
            tools_hash: current.map(|set| tools_hash(&set.hash)),
            set: current.map(set),
            tools: shown,
            next_after,
            unlisted: current.map_or(0, |set| set.unlisted),
            changed_since: before.map(set),
            severity,
            changes,
            earlier: seen.sets.iter().skip(1).map(set).collect(),
            contents: seen.contents.unwrap_or_default(),
        })
    }
}

fn since<'a>(sets: &'a [ToolSet], hash: &str) -> Result<&'a ToolSet, Problem> {
    let hash = set_of_tools_hash(hash).unwrap_or(hash);
    sets.iter().find(|set| set.hash == hash).ok_or_else(|| {
        let detail = "No tool set of this listing with this hash is stored. `earlier` in the answer without `since`, \
            with `detail` `full`, contains the stored sets.";
        Problem::not_found(Code::ToolSetNotFound, detail)
    })
}
