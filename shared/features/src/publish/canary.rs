//! Uses the registry from outside, as a publisher and a searching client do: through its public URL, and with the
//! registry's own agent. That agent is listed already, so nothing is added to lists, feed and evidence log. It is Live, so
//! publishing it again starts no probe; how long a new listing waits for its proof is the metric `PublishToProof`.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::StatusCode;

use crate::prelude::*;
use registry_fetch::{Answer, Request, Target};

/// For one request; the check sends three, while a sweep of at most a minute runs.
const DEADLINE: Duration = Duration::from_secs(10);

/// Publishes the registry's own agent, reads its status and searches for it. Returns whether all of this works, and logs
/// what does not. Boxed, so that the large future is compiled only in this crate.
pub fn works(app: &App) -> BoxFuture<'_, bool> {
    async move {
        let failure = check(app).await.err();
        if let Some(failure) = &failure {
            tracing::error!(failure, "the canary failed");
        }
        failure.is_none()
    }
    .boxed()
}

async fn check(app: &App) -> Result<(), String> {
    let card = app.settings.own_card().ok_or("BASE_URL is not a URL")?;
    let id = ListingId::of_url(&card);
    send(app, &id, "/api/publish", |target| Request::post_json(target, &json!({ "agent_card_url": card })))
        .await?;
    let status = send(app, &id, &format!("/api/listings/status?id={id}"), Request::get).await?;
    let status = status.json(&mut 10_000).map_err(|error| format!("status: {error}"))?;
    if status["lane"] != "active" {
        return Err(format!("the registry's own agent is not Live: its lane is {}", status["lane"]));
    }
    // Not `/api/match`: its hits count as demand.
    let query = json!({ "query": { "text": app.settings.brand }, "pageSize": 10 });
    let hits = send(app, &id, "/api/ard/search", |target| Request::post_json(target, &query)).await?;
    match String::from_utf8_lossy(&hits.body).contains(id.as_str()) {
        true => Ok(()),
        false => Err("a search for the name of this registry does not find its own agent".to_owned()),
    }
}

async fn send(
    app: &App,
    id: &ListingId,
    path: &str,
    request: impl FnOnce(Target) -> Request,
) -> Result<Answer, String> {
    let target = Target::parse(&app.settings.url(path), app.settings.reach());
    let target = target.map_err(|error| format!("{path}: {error}"))?;
    let request = request(target).with_deadline(DEADLINE);
    let answer = app.fetcher_for(id).send(request).await.map_err(|error| format!("{path}: {error}"))?;
    match answer.status {
        StatusCode::OK => Ok(answer),
        status => Err(format!("{path} answers {status}")),
    }
}
