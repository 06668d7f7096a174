//! Returns what changed about listings after a cursor, without gaps.

use crate::listing::change_feed;
use crate::prelude::*;
use registry_model::Change;

pub struct Changes;

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

/// Where to begin, and what to leave out.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The `cursor` of the previous answer. Default: the latest changes; with a filter, of the last 1,000.
    since: Option<u64>,
    /// Changes to read. Default: 50.
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<u32>,
    /// Only changes of this listing.
    listing_id: Option<String>,
    /// Only changes of agents or of MCP servers.
    kind: Option<Kind>,
}

/// Changes, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    changes: Vec<Change>,
    /// Pass it as `since` to get what comes next.
    cursor: u64,
    /// Whether more can be read now. If not, changes of the last minutes may still get cursors.
    more: bool,
}

impl Operation for Changes {
    const NAME: &'static str = "changes";
    const TITLE: &'static str = "Changes of listings";
    const DESCRIPTION: &'static str = "Returns what happened to listings after a cursor, oldest first, without gaps: became \
        Live or gated, was demoted or overdue, changed tools, skills or name, was withdrawn or restored. Pass the \
        last cursor as since. A change can appear minutes later: an empty answer is no proof of no change.";
    const PHRASES: &'static [&'static str] =
        &["what changed in the registry?", "what happened to {id} lately?"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"since": 0, "limit": 50, "listing_id": "agtpub_0123456789abcdef0123", "kind": "mcp"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "Shown: {changes#change}; {more?more follow after the cursor|those of the last minutes may follow}. The cursor is {cursor}.",
        "Changes: [changes]{text} | ({at})",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/api/changes").cached_for(2)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const SHORT: &'static [&'static str] = &["ok", "changes", "cursor", "more"];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let limit = bounded_number("limit", arguments.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        if let Some(id) = arguments.listing_id.as_deref().filter(|id| id.parse::<ListingId>().is_err()) {
            return Err(Problem::listing_not_found(&app.settings.base_url, id));
        }
        let finds = arguments.since.is_none() && (arguments.listing_id.is_some() || arguments.kind.is_some());
        let (found, last) = if finds {
            change_feed::latest(app).await?
        } else {
            let limit = u32::try_from(limit).unwrap_or(MAX_LIMIT);
            let found = change_feed::after(app, arguments.since, limit).await?;
            (found.changes.into(), found.last)
        };
        let cursor = found.last().map(|change| change.cursor).or(arguments.since).unwrap_or(last);
        let is_about = |change: &&Change| {
            let id = change.item.listing_id.as_ref().map(ListingId::as_str);
            arguments.listing_id.as_deref().is_none_or(|wanted| id == Some(wanted))
                && arguments.kind.is_none_or(|kind| change.item.kind == Some(kind))
        };
        let mut changes: Vec<Change> = found.iter().filter(is_about).cloned().collect();
        changes.drain(..changes.len().saturating_sub(limit));
        Ok(Answer { changes, cursor, more: cursor < last })
    }
}
