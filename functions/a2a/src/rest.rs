//! The REST binding of A2A 1.0 (specification §11). The path and the HTTP method select the same calls as in JSON-RPC,
//! with the same JSON. A tenant at the start of the path is ignored, because this registry has only one tenant.

use axum::Extension;
use axum::extract::{FromRequest, Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, Uri, header};
use registry::app::App;
use registry::http::{JsonEnvelope, RawBody};
use registry::model::Caller;
use serde_json::{Map, Value};

use crate::dialects::Dialect;
use crate::errors::{A2aError, of_body};
use crate::service::{self, PartsCache};
use crate::version;

/// Sent only to clients that name it; others expect `application/json`.
const A2A_JSON: &str = "application/a2a+json";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    Send,
    Stream,
    List,
    Get(String),
    Cancel(String),
    Subscribe,
    Push,
    ExtendedCard,
}

/// `/api/a2a/{call}`.
pub(crate) async fn handle(
    State(app): State<App>,
    Extension(cache): Extension<PartsCache>,
    caller: Caller,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    answer(&app, &cache, caller, call_at(&path), request).await
}

/// `POST /message:send`.
pub(crate) async fn send(
    State(app): State<App>,
    Extension(cache): Extension<PartsCache>,
    caller: Caller,
    request: Request,
) -> Response {
    answer(&app, &cache, caller, Some(Call::Send), request).await
}

async fn answer(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    call: Option<Call>,
    request: Request,
) -> Response {
    let names_a2a_json = names_a2a_json(request.headers());
    let mut response = match run(app, cache, caller, call, request).await {
        Ok(result) => result.into_response(),
        Err(error) => error.rest(),
    };
    if names_a2a_json {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(A2A_JSON));
    }
    response
}

fn names_a2a_json(headers: &HeaderMap) -> bool {
    [header::ACCEPT, header::CONTENT_TYPE].iter().any(|name| {
        headers.get_all(name).iter().any(|value| value.to_str().is_ok_and(|value| value.contains(A2A_JSON)))
    })
}

async fn run(
    app: &App,
    cache: &PartsCache,
    caller: Caller,
    call: Option<Call>,
    request: Request,
) -> Result<JsonEnvelope, A2aError> {
    let call = call.ok_or(A2aError::NoSuchPath)?;
    version::check(request.headers(), request.uri())?;
    let (allowed, method) = (call.methods(), request.method());
    // The body of a HEAD response is removed by a later layer.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    if !allowed.split(", ").any(|name| name == method.as_str()) {
        return Err(A2aError::WrongMethod(allowed));
    }
    let uri = request.uri().clone();
    match call {
        Call::Send => {
            let params = body(request).await?;
            service::send(app, cache, caller, &params, Dialect::V1).await
        }
        Call::List => service::list(app, caller, &query(&uri)).await,
        Call::Get(id) => service::get(app, caller, &with_id(query(&uri), id), Dialect::V1).await,
        Call::Cancel(id) => service::cancel(app, caller, &with_id(Map::new(), id), Dialect::V1).await,
        Call::Stream | Call::Subscribe => Err(A2aError::NO_STREAMS),
        Call::Push => Err(A2aError::PushNotSupported),
        Call::ExtendedCard => Err(A2aError::NO_EXTENDED_CARD_V1),
    }
}

async fn body(request: Request) -> Result<Map<String, Value>, A2aError> {
    let body = RawBody::from_request(request, &()).await.map_err(of_body)?;
    match serde_json::from_slice(&body.0) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(A2aError::InvalidRequest("The body must be a JSON object.".to_owned())),
        Err(error) => Err(A2aError::Parse(format!("{error}."))),
    }
}

fn query(uri: &Uri) -> Map<String, Value> {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    pairs.map(|(name, value)| (name.into_owned(), Value::String(value.into_owned()))).collect()
}

fn with_id(mut params: Map<String, Value>, id: String) -> Map<String, Value> {
    params.insert("id".to_owned(), Value::String(id));
    params
}

impl Call {
    const fn methods(&self) -> &'static str {
        match self {
            Self::Send | Self::Stream | Self::Cancel(_) => "POST",
            Self::List | Self::Get(_) | Self::ExtendedCard => "GET",
            Self::Subscribe => "GET, POST",
            Self::Push => "GET, POST, DELETE",
        }
    }
}

/// The call at a decoded path below the base, with or without a tenant.
fn call_at(path: &str) -> Option<Call> {
    let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    call_without_tenant(&segments)
        .or_else(|| segments.split_first().and_then(|(_tenant, rest)| call_without_tenant(rest)))
}

fn call_without_tenant(segments: &[&str]) -> Option<Call> {
    Some(match segments {
        ["message:send"] => Call::Send,
        ["message:stream"] => Call::Stream,
        ["extendedAgentCard"] => Call::ExtendedCard,
        ["tasks"] => Call::List,
        ["tasks", task] => match task.rsplit_once(':') {
            Some((id, "cancel")) if !id.is_empty() => Call::Cancel(id.to_owned()),
            Some((id, "subscribe")) if !id.is_empty() => Call::Subscribe,
            _ if task.is_empty() => Call::List,
            _ => Call::Get((*task).to_owned()),
        },
        ["tasks", _, "pushNotificationConfigs"] | ["tasks", _, "pushNotificationConfigs", _] => Call::Push,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_path_decides_the_call() {
        for (path, call) in [
            ("message:send", Some(Call::Send)),
            ("acme/message:send", Some(Call::Send)),
            ("message:stream", Some(Call::Stream)),
            ("tasks", Some(Call::List)),
            ("acme/tasks", Some(Call::List)),
            ("tasks/", Some(Call::List)),
            ("tasks/x", Some(Call::Get("x".to_owned()))),
            ("acme/tasks/x", Some(Call::Get("x".to_owned()))),
            ("tasks/a:b", Some(Call::Get("a:b".to_owned()))),
            ("tasks/a:b:cancel", Some(Call::Cancel("a:b".to_owned()))),
            ("tasks/x:subscribe", Some(Call::Subscribe)),
            ("tasks/x/pushNotificationConfigs/y", Some(Call::Push)),
            ("acme/extendedAgentCard", Some(Call::ExtendedCard)),
            ("", None),
            ("other", None),
            ("a/b/message:send", None),
        ] {
            assert_eq!(call_at(path), call, "{path}");
        }
    }
}
