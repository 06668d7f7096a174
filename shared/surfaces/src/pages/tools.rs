//! `/list/{id}/tools`: the tools of an MCP server in full, their changes, and its resources and prompts.

use super::frame::{self, Frame, Section, html};
use super::listing::{effect, known};
use super::rows::title;
use super::when::When;
use crate::prelude::*;
use registry_features::listing::tools::{ShownTool, changes, severity};
use registry_model::{ContentList, Severity, ToolChange, ToolSet};
use registry_store::SeenTools;

/// Tools of which the page shows the parameters.
const MAX_TOOLS: usize = 200;
/// Looks whose changes since the look before the page shows.
const MAX_LOOKS: usize = 3;
/// Changes between two looks.
const MAX_CHANGES: usize = 40;

#[derive(Template)]
#[template(path = "tools.html")]
struct Page<'a> {
    frame: Frame<'a>,
    listing: &'a Listing,
    set: Option<SetRow>,
    /// With what each declares to do to data.
    tools: Vec<(ShownTool, Option<&'static str>)>,
    more: usize,
    /// With their titles.
    contents: Vec<(&'static str, &'a ContentList)>,
    looks: Vec<LookRow>,
}

struct SetRow {
    hash: String,
    count: usize,
    at: When,
    has_document: bool,
}

/// The changes from one set to the next.
struct LookRow {
    at: When,
    before: String,
    after: String,
    severity: Option<Severity>,
    changes: Vec<ToolChange>,
    more: usize,
}

pub(super) static TOOLS: AnyDocument = AnyDocument {
    paths: &["/list/{id}/tools"],
    summary: "The page with the tools of an MCP server for people. It shows the parameters, the declared effects, \
        resources and prompts, and the changes between the last looks.",
    max_age_s: Some(10),
    refusals: &[ErrorKind::NotFound],
    ..frame::page(|app, request| Box::pin(render(app, request)))
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let id = request.path.trim_end_matches("/tools").rsplit('/').next().unwrap_or_default();
    let found = known(app, id).await?;
    let (listing, stored) = (&found.0, app.store.seen_tools(&found.0.id).await?);
    let now = app.clock.now();
    let current = stored.sets.first();
    let listed = current.map(|set| set.tools.as_slice()).unwrap_or_default();
    let tools = listed.iter().take(MAX_TOOLS).map(|tool| {
        let tool = ShownTool::of(&app.settings, &stored, tool);
        let annotations = tool.view.as_ref().map(|view| view.annotations);
        (tool, annotations.and_then(|hints| effect(hints.read_only, hints.destructive)))
    });
    let contents = stored.contents.iter().flat_map(|contents| {
        let lists = [
            ("Resources", &contents.resources),
            ("Resource templates", &contents.resource_templates),
            ("Prompts", &contents.prompts),
        ];
        lists.into_iter().filter_map(|(title, list)| Some((title, list.as_ref()?)))
    });
    let pairs = stored.sets.iter().zip(stored.sets.iter().skip(1)).take(MAX_LOOKS);
    let name = title(listing);
    let title = format!("Tools of {name}");
    let description = format!("Parameters, effects and changes of the tools of {name}.");
    let path = format!("/list/{}/tools", listing.id);
    html(&Page {
        frame: Frame::of(&app.settings, Section::Board, &path, &title, description).not_indexed(),
        set: current.map(|set| SetRow {
            hash: set.hash.clone(),
            count: set.tools.len() + set.unlisted as usize,
            at: When::of(set.at, now),
            has_document: set.unlisted == 0,
        }),
        tools: tools.collect(),
        more: listed.len().saturating_sub(MAX_TOOLS),
        contents: contents.collect(),
        looks: pairs.map(|(after, before)| look(&stored, before, after, now)).collect(),
        listing,
    })
}

/// The class of the chip of a severity.
pub(super) const fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "plain",
        Severity::Review => "warn",
        Severity::Breaking | Severity::Danger => "bad",
    }
}

fn look(stored: &SeenTools, before: &ToolSet, after: &ToolSet, now: Moment) -> LookRow {
    let changes = changes(stored, before, after);
    LookRow {
        at: When::of(after.at, now),
        before: before.hash.clone(),
        after: after.hash.clone(),
        severity: severity(&changes),
        changes: changes.iter().take(MAX_CHANGES).cloned().collect(),
        more: changes.len().saturating_sub(MAX_CHANGES),
    }
}
