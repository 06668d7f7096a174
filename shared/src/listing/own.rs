//! The registry lists itself, as an agent and as an MCP server, and is probed like anybody else: the first two
//! rows that go Live tell that the whole way from publishing to Live works.

use super::submission::{Submission, Submitted};
use super::{Kind, ListingId};
use crate::app::App;
use crate::error::Problem;
use crate::operations::list_yourself;
use crate::probe::fetch::Target;
use crate::store::Contact;

/// What the registry is reached by, and as what.
const DOORS: [(&str, Kind); 2] =
    [("/.well-known/agent-card.json", Kind::Agent), ("/api/protocol", Kind::Mcp)];

/// Lists the registry's own doors where they are not listed yet. What fails is tried again with the next tick.
pub async fn list(app: &App) {
    for submission in submissions(app) {
        if let Err(problem) = list_door(app, &submission).await {
            tracing::warn!(problem = problem.detail, internal = ?problem.internal, "the registry did not list itself");
        }
    }
}

async fn list_door(app: &App, door: &Submission) -> Result<(), Problem> {
    let (id, _) = door.ids();
    if app.store.listing(&id).await?.is_none() {
        list_yourself::first(app, door, id, app.clock.now()).await?;
    }
    Ok(())
}

/// Whether a listing is one of the registry's own doors, the only ones at its own host that may be asked.
#[must_use]
pub fn is(app: &App, id: &ListingId) -> bool {
    submissions(app).any(|submission| submission.ids().0 == *id)
}

/// Nothing where the base URL is one that may not be probed, such as a plain http one under public rules.
fn submissions(app: &App) -> impl Iterator<Item = Submission> {
    DOORS.into_iter().filter_map(|(path, kind)| {
        let target = Target::parse(&app.settings.url(path), app.settings.reach()).ok()?;
        let what = Submitted::Url { target, kind: Some(kind) };
        Some(Submission { what, name: None, contact: Contact { email: None, source: None } })
    })
}
