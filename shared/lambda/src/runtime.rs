//! Starts a function, and answers its events until the runtime ends.

use std::io::Write as _;

use axum::Router;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use lambda_http::Adapter;
use lambda_http::request::RequestContext;
use lambda_http::tower::ServiceExt as _;
use lambda_runtime::{LambdaEvent, service_fn};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::Mutex;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::secrets::{self, Secrets};
use crate::{aws, events};
use registry_app::App;
use registry_model::Moment;
use registry_model::error::chain;
use registry_model::metrics::Metrics;
use registry_settings::{BASE_URL, RUST_LOG};

pub use lambda_runtime::Error;

/// What a function loads before its first event. During this time AWS gives it at least one whole processor.
///
/// A constant with a function pointer and not an enum: the linker then leaves the search and its language model, 24 MB, out of a
/// function that never searches.
#[derive(Clone, Copy, Debug)]
pub struct Preload(Option<fn(&App) -> BoxFuture<'_, ()>>);

impl Preload {
    pub const NOTHING: Self = Self(None);
    pub const SEARCH_INDEX: Self = Self(Some(|app| app.search.preload().boxed()));
}

async fn start(preload: Preload) -> Result<(App, Option<Secrets>), Error> {
    init_logging();
    let (app, secrets) = aws::start().await?;
    if let Some(load) = preload.0 {
        load(&app).await;
    }
    Ok((app, secrets))
}

/// Serves an HTTP function until the runtime ends; fails on an invalid setting.
#[tokio::main(flavor = "current_thread")]
pub async fn serve(preload: Preload, routes: impl Fn(App) -> Router + Sync) -> Result<(), Error> {
    let (app, secrets) = start(preload).await?;
    let running = Running { read_at: app.clock.now(), app, router: None };
    let (running, secrets, routes) = (&Mutex::new(running), &secrets, &routes);
    let function = service_fn(move |request: lambda_http::Request| async move {
        let mut running = running.lock().await;
        if let Some(secrets) = secrets {
            running.refresh(secrets).await;
        }
        let own_address = own_address(&request, variable);
        let Running { app, router, .. } = &mut *running;
        let router = router
            .get_or_insert_with(|| {
                let proxy = app.settings.proxy.clone();
                events::behind_gateway(routes(app.clone().at(own_address)), proxy)
            })
            .clone();
        drop(running);
        router.oneshot(request).await
    });
    lambda_runtime::run(Adapter::from(function).map_request(events::with_encoded_path)).await
}

/// The app, and the router that was made of it for the first request.
struct Running {
    app: App,
    router: Option<Router>,
    read_at: Moment,
}

impl Running {
    /// Reads the secrets again after [`secrets::REFRESH`]. If that fails, the present values are used until the next time.
    async fn refresh(&mut self, secrets: &Secrets) {
        let now = self.app.clock.now();
        if now < self.read_at + secrets::REFRESH {
            return;
        }
        self.read_at = now;
        match aws::settings(Some(secrets)).await {
            Ok(settings) if settings != self.app.settings => {
                self.app = self.app.with_settings(settings);
                self.router = None;
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(
                    error = chain(&error),
                    "could not read the secrets again; the next request after 5 minutes retries"
                )
            }
        }
    }
}

/// Runs a scheduled function: `job` is called with every event. The member `metrics` of its report is logged for
/// `CloudWatch`.
#[tokio::main(flavor = "current_thread")]
pub async fn run_job<J, F, E>(preload: Preload, job: J) -> Result<(), Error>
where
    J: Fn(App, Value) -> F,
    F: Future<Output = Result<Value, E>> + Send + 'static,
    E: std::error::Error,
{
    let (app, _) = start(preload).await?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<Value>| {
        // Boxed: the types of the runtime's layers around those of a sweep exceed rustc's recursion limit.
        let (function, clock) = (event.context.env_config.function_name.clone(), app.clock.clone());
        let payload = registry_store::events::from_queue(event.payload);
        let request_id = event.context.request_id;
        let done = registry_store::events::handled(
            &function,
            &payload,
            request_id,
            job(app.clone(), payload.clone()),
        )
        .boxed();
        async move {
            let report = done.await.map_err(|error| Error::from(chain(&error)))?;
            if let Some(metrics) = report.get("metrics") {
                let line = Metrics::deserialize(metrics)?.embedded(&function, clock.now());
                writeln!(std::io::stdout(), "{line}")?;
            }
            Ok::<Value, Error>(report)
        }
    }))
    .await
}

/// Logs JSON lines; `RUST_LOG` sets the level.
fn init_logging() {
    let filter = std::env::var(RUST_LOG).ok().and_then(|text| text.parse().ok());
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    tracing_subscriber::registry()
        .with(filter)
        .with(layer().json().with_span_list(false).without_time())
        .init();
}

/// The base URL of the HTTP API of a request. A template cannot give a function the URL of the API that calls it (a
/// circular dependency), so without `BASE_URL` it is made from the id of the API in the first event. The domain in the
/// event is not used, because an API with a custom domain has two: one instance would sign for one of them, and another
/// instance would refuse what it signed.
fn own_address(request: &lambda_http::Request, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if variable(BASE_URL).is_some() {
        return None;
    }
    match request.extensions().get::<RequestContext>() {
        Some(RequestContext::ApiGatewayV2(context)) => {
            Some(api_address(context.apiid.as_deref()?, &variable("AWS_REGION")?))
        }
        _ => None,
    }
}

/// A variable of the environment, unless it is empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

/// The address that API Gateway gives to an HTTP API; the same as in the template.
fn api_address(api_id: &str, region: &str) -> String {
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://{api_id}.execute-api.{region}.{suffix}")
}

#[cfg(test)]
mod tests;
