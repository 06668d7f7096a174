//! The registry lists itself as an agent and as an MCP server, and probes both like any other listing. These
//! two listings are the first that go Live. They show that publishing and probing work.

use super::listing::{self, ProvenName};
use super::submission::{Submission, Submitted, described};
use crate::listing::OwnServerDescription;
use crate::prelude::*;
use registry_fetch::Target;
use registry_model::Contact;

/// Lists the registry's own endpoints if they are not listed yet. The next tick tries a failed one again.
pub async fn publish_self(app: &App) {
    for submission in submissions(app) {
        if let Err(problem) = list_endpoint(app, &submission).await {
            tracing::warn!(problem = problem.detail, internal = ?problem.internal, "could not list the registry itself");
        }
    }
}

async fn list_endpoint(app: &App, endpoint: &Submission) -> Result<(), Problem> {
    let (id, _) = endpoint.ids();
    match app.store.listing(&id).await? {
        None => listing::publish_first(app, endpoint, id, &ProvenName::default(), app.clock.now()).await?,
        Some(known) if is_outdated(endpoint, &known) => listing::describe_own(app, endpoint, known).await?,
        Some(_) => return Ok(()),
    };
    Ok(())
}

/// Whether this registry has another version than its server description says.
fn is_outdated(endpoint: &Submission, known: &Listing) -> bool {
    let Submitted::Server(server) = &endpoint.what else { return false };
    endpoint.is_same_as(known) && known.texts.version.as_ref() != Some(&server.version)
}

/// Without an endpoint that may not be probed, such as a plain http URL under public rules.
fn submissions(app: &App) -> impl Iterator<Item = Submission> {
    let reach = app.settings.reach();
    let card = app.settings.own_card().and_then(|url| Target::parse_url(url, reach).ok());
    let card = card.map(|target| Submitted::Url { target, kind: Some(Kind::Agent) });
    let server = serde_json::to_value(OwnServerDescription::of(&app.settings)).ok();
    let server = server.and_then(|document| described(&document, reach).ok());
    let whats = card.into_iter().chain(server.map(|server| Submitted::Server(Box::new(server))));
    whats.map(|what| Submission { what, name: None, contact: Contact::default(), proof: None })
}
