//! How a function meets Lambda: an HTTP function hands its router to the runtime, a scheduled one its job.
//! Every `main.rs` is one call of these, so that what runs on AWS is what runs everywhere else.

use std::net::IpAddr;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use lambda_http::request::RequestContext;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

use crate::app::App;
use crate::http::CallerAddress;

/// Serves an HTTP function.
///
/// # Errors
/// A bad setting, or the runtime ends.
pub async fn serve(router: impl FnOnce(App) -> Router) -> Result<(), Error> {
    log();
    let router = router(App::from_environment()?).layer(from_fn(told_by_the_gateway));
    lambda_http::run(router).await
}

/// Runs a scheduled function: `job` is called with every event.
///
/// # Errors
/// A bad setting, or the runtime ends.
pub async fn work<J, F, E>(job: J) -> Result<(), Error>
where
    J: Fn(App, Value) -> F,
    F: Future<Output = Result<Value, E>>,
    E: std::fmt::Display,
{
    log();
    let app = App::from_environment()?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<Value>| {
        let done = job(app.clone(), event.payload);
        async move { done.await.map_err(|error| Error::from(error.to_string())) }
    }))
    .await
}

/// Log lines as JSON objects, at the level that `RUST_LOG` says.
fn log() {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    tracing_subscriber::fmt().json().with_env_filter(filter).without_time().init();
}

/// The caller's address as API Gateway saw it.
async fn told_by_the_gateway(mut request: Request, next: Next) -> Response {
    let address: Option<IpAddr> = match request.extensions().get::<RequestContext>() {
        Some(RequestContext::ApiGatewayV2(context)) => {
            context.http.source_ip.as_deref().and_then(|address| address.parse().ok())
        }
        _ => None,
    };
    if let Some(address) = address {
        request.extensions_mut().insert(CallerAddress(address));
    }
    next.run(request).await
}
