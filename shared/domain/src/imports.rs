//! Publishes what other directories list: MCP registries with the official API, and lists of agent cards. Each entry is
//! published like any other submission, so only a probe makes it Live. A run reads some pages of each source and stores
//! where it stopped. If a run fails, the next one continues there. If the source refuses the stored cursor, the next one
//! starts at the first page.

use http::StatusCode;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::Value;

use crate::publish::listing::publish;
use crate::publish::submission::{PublishRequest, Submission, Submitted};
use registry_app::App;
use registry_fetch::{MAX_ENDPOINT_ANSWER_BYTES, PROBE, Request, Target};
use registry_model::error::Problem;
use registry_model::{Caller, ImportState, Moment};
use registry_store::StoreError;

/// Pages of a source, of at most 100 entries, in one run. The job runs every hour.
const PAGES_PER_RUN: usize = 5;
const MAX_ENTRIES: usize = 500;
const MAX_JSON_VALUES: usize = 200_000;
const MAX_CURSOR_BYTES: usize = 1000;
/// The time between two imports of a source.
const INTERVAL: SignedDuration = SignedDuration::from_hours(23);
/// Changes before the last import that are read again.
const OVERLAP: SignedDuration = SignedDuration::from_hours(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    pub published: usize,
    pub refused: usize,
    /// Listed here already, or not probeable.
    pub skipped: usize,
    /// Sources that did not answer.
    pub failed: usize,
}

/// Imports what is due of the sources in the settings.
pub async fn run(app: &App) -> Result<ImportReport, StoreError> {
    let mut report = ImportReport::default();
    for source in &app.settings.import_sources {
        let state = app.store.import_state(source).await?;
        let is_due = |since: Moment| app.clock.now().duration_since(since) >= INTERVAL;
        if state.begun_at.is_some() || state.complete_since.is_none_or(is_due) {
            import(app, source, state, &mut report).await?;
        }
    }
    Ok(report)
}

async fn import(
    app: &App,
    source: &str,
    mut state: ImportState,
    report: &mut ImportReport,
) -> Result<(), StoreError> {
    let begun_at = *state.begun_at.get_or_insert(app.clock.now());
    let is_registry = source.ends_with("/servers");
    for _ in 0..PAGES_PER_RUN {
        let url = if is_registry { page_url(source, &state) } else { source.to_owned() };
        let document = match read(app, &url).await {
            Ok(document) => document,
            Err(status) => {
                report.failed += 1;
                state.cursor = state.cursor.filter(|_| !status.is_some_and(refuses_cursor));
                break;
            }
        };
        let entries = if is_registry { servers(&document) } else { cards(&document) };
        for request in entries {
            publish_one(app, request, report).await?;
        }
        state.cursor = document["metadata"]["nextCursor"]
            .as_str()
            .filter(|next| is_registry && !next.is_empty() && next.len() <= MAX_CURSOR_BYTES)
            .filter(|next| state.cursor.as_deref() != Some(next))
            .map(str::to_owned);
        if state.cursor.is_none() {
            state = ImportState { complete_since: Some(begun_at), ..ImportState::default() };
            break;
        }
    }
    app.store.keep_import_state(source, &state).await
}

/// An entry that is listed here already is left as it is, unless it is another version of a server.
async fn publish_one(
    app: &App,
    request: PublishRequest,
    report: &mut ImportReport,
) -> Result<(), StoreError> {
    let Ok(submission) = Submission::parse(request, app.settings.reach()) else {
        report.refused += 1;
        return Ok(());
    };
    let known = app.store.listing(&submission.ids().0).await?;
    let is_wanted = match &submission.what {
        Submitted::Url { .. } => known.is_none(),
        Submitted::Server(server) => {
            // Packages say nothing if they are not checked.
            let is_checked = !server.remotes.is_empty() || !app.settings.package_registries.is_empty();
            is_checked && known.is_none_or(|known| known.version.as_ref() != Some(&server.version))
        }
    };
    if !is_wanted {
        report.skipped += 1;
        return Ok(());
    }
    match publish(app, &Caller::default(), &submission).await {
        Ok(_) => report.published += 1,
        Err(Problem { internal: Some(internal), .. }) => return Err(StoreError::Busy(internal.into())),
        Err(_) => report.refused += 1,
    }
    Ok(())
}

fn page_url(source: &str, state: &ImportState) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("limit", "100")
        .append_pair("version", "latest")
        .append_pair("include_deleted", "false");
    if let Some(since) = state.complete_since {
        query.append_pair("updated_since", &(since - OVERLAP).to_string());
    }
    if let Some(cursor) = &state.cursor {
        query.append_pair("cursor", cursor);
    }
    format!("{source}?{}", query.finish())
}

fn servers(document: &Value) -> Vec<PublishRequest> {
    let entries = document["servers"].as_array().into_iter().flatten().take(MAX_ENTRIES);
    let server = |entry: &Value| entry["server"].as_object().or_else(|| entry.as_object()).cloned();
    let request = |server| PublishRequest { server_json: Some(server), ..PublishRequest::default() };
    entries.filter_map(server).map(request).collect()
}

/// The card URLs of a list of texts or of objects, which directories name differently.
fn cards(document: &Value) -> Vec<PublishRequest> {
    let named = ["agents", "items", "results"].iter().find_map(|name| document[*name].as_array());
    let rows = named.or(document.as_array()).into_iter().flatten().take(MAX_ENTRIES);
    let url = |row: &Value| {
        let names = ["agent_card_url", "agentCardUrl", "wellKnownURI", "card_url", "cardUrl", "url"];
        row.as_str().or_else(|| names.iter().find_map(|name| row[*name].as_str())).map(str::to_owned)
    };
    let request = |url| PublishRequest { url: Some(url), ..PublishRequest::default() };
    rows.filter_map(url).map(request).collect()
}

/// Cursors can expire. The other 4xx statuses are temporary or concern the caller.
fn refuses_cursor(status: StatusCode) -> bool {
    let is_other = matches!(status.as_u16(), 401 | 403 | 407 | 408 | 425 | 429);
    status.is_client_error() && !is_other
}

/// The document at `url`, or the status of an answer without one.
async fn read(app: &App, url: &str) -> Result<Value, Option<StatusCode>> {
    let target = Target::parse(url, app.settings.reach()).map_err(|_| None)?;
    let request = Request::get(target).with_deadline(PROBE).with_max_bytes(MAX_ENDPOINT_ANSWER_BYTES);
    let answer = app.fetcher.send(request).await.map_err(|_| None)?;
    answer
        .json(&mut { MAX_JSON_VALUES })
        .ok()
        .filter(|_| answer.status.is_success())
        .ok_or(Some(answer.status))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cards_of_every_form_of_directory_are_found() {
        for list in [
            json!(["https://a.example/card.json"]),
            json!({ "agents": [{ "wellKnownURI": "https://a.example/card.json" }, { "name": "no card" }] }),
            json!([{ "name": "A", "agentCardUrl": "https://a.example/card.json", "url": "https://a.example" }]),
        ] {
            let urls: Vec<_> = cards(&list).into_iter().map(|request| request.url.unwrap()).collect();
            assert_eq!(urls, ["https://a.example/card.json"], "{list}");
        }
        assert!(cards(&json!({ "x": 1 })).is_empty());
    }

    #[test]
    fn next_import_reads_only_what_changed() {
        let state = ImportState {
            complete_since: Some("2026-11-20T12:00:00Z".parse().unwrap()),
            cursor: Some("a/b&c".to_owned()),
            ..ImportState::default()
        };
        assert_eq!(
            page_url("https://r.example/v0.1/servers", &state),
            "https://r.example/v0.1/servers?limit=100&version=latest&include_deleted=false\
                &updated_since=2026-11-20T11%3A00%3A00.000Z&cursor=a%2Fb%26c"
        );
    }
}
