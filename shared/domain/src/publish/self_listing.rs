//! The registry lists itself as an agent and as an MCP server, and probes both like any other listing. These
//! two listings are the first that go Live. They show that publishing and probing work.

use super::listing::{self, ProvenName};
use super::submission::{Submission, Submitted};
use registry_app::App;
use registry_fetch::Target;
use registry_model::Contact;
use registry_model::error::Problem;

/// Lists the registry's own endpoints if they are not listed yet. The next tick tries a failed one again.
pub async fn list(app: &App) {
    for submission in submissions(app) {
        if let Err(problem) = list_endpoint(app, &submission).await {
            tracing::warn!(problem = problem.detail, internal = ?problem.internal, "could not list the registry itself");
        }
    }
}

async fn list_endpoint(app: &App, endpoint: &Submission) -> Result<(), Problem> {
    let (id, _) = endpoint.ids();
    if app.store.listing(&id).await?.is_none() {
        listing::publish_first(app, endpoint, id, &ProvenName::default(), app.clock.now()).await?;
    }
    Ok(())
}

/// Empty if the base URL may not be probed, such as a plain http URL under public rules.
fn submissions(app: &App) -> impl Iterator<Item = Submission> {
    app.settings.own_endpoints().filter_map(|(url, kind)| {
        let target = Target::parse_url(url, app.settings.reach()).ok()?;
        let what = Submitted::Url { target, kind: Some(kind) };
        Some(Submission { what, name: None, contact: Contact::default(), proof: None })
    })
}
