//! The REST binding of A2A 1.0 (specification §11). The path and the HTTP method select the same calls as in JSON-RPC,
//! with the same JSON. A tenant at the start of the path is ignored, because this registry has only one tenant.

use axum::Extension;
use axum::extract::{FromRequest, Path, Request};

use super::dialects::{Dialect, Method, check_version};
use super::methods;
use super::send::PartsCache;
use crate::errors::RpcError;
use crate::prelude::*;
use crate::rest::{CalledBy, RawBody, json_response};

/// Sent only to clients that name it; others expect `application/json`.
const A2A_JSON: &str = "application/a2a+json";

/// A method, and the id of the task in the path.
type Call = (Method, Option<String>);

/// `/api/a2a/{call}`
pub(super) async fn handle(
    State(app): State<App>,
    Extension(cache): Extension<PartsCache>,
    CalledBy(caller): CalledBy,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let names_a2a_json = names_a2a_json(request.headers());
    let answer = run(&app, &cache, caller, call_at(&path), request).await;
    let mut response = answer.map_or_else(RpcError::into_google_error, json_response);
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
) -> Result<Box<RawValue>, RpcError> {
    let (method, task_id) = call.ok_or_else(RpcError::no_such_path)?;
    let query = Parameters::of_query(request.uri().query());
    check_version(request.headers(), &query)?;
    let allowed = http_methods(method);
    if !allowed.split(", ").any(|allowed| allowed == request.method().as_str()) {
        return Err(RpcError::wrong_method(allowed));
    }
    let mut params = match method {
        Method::Send(_) => body(request).await?,
        _ => query.iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
    };
    params.extend(task_id.map(|id| ("id".to_owned(), Value::String(id))));
    methods::call_method(app, cache, caller, method, &params).await
}

async fn body(request: Request) -> Result<Map<String, Value>, RpcError> {
    let body = RawBody::from_request(request, &()).await.map_err(RpcError::of_a2a_body)?;
    match body.value() {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(RpcError::invalid_request("The body must be a JSON object.")),
        Err(error) => Err(RpcError::invalid_json(&error)),
    }
}

const fn http_methods(method: Method) -> &'static str {
    match method {
        Method::Send(_) | Method::Stream | Method::Cancel(_) => "POST",
        Method::List | Method::Get(_) | Method::ExtendedCard(_) | Method::Help => "GET, HEAD",
        Method::Subscribe => "GET, HEAD, POST",
        Method::Push => "GET, HEAD, POST, DELETE",
    }
}

/// The call at a decoded path below the base, with or without a tenant.
fn call_at(path: &str) -> Option<Call> {
    let segments: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    call_without_tenant(&segments)
        .or_else(|| segments.split_first().and_then(|(_tenant, rest)| call_without_tenant(rest)))
}

fn call_without_tenant(segments: &[&str]) -> Option<Call> {
    const V1: Dialect = Dialect::V1;
    let method = match segments {
        ["message:send"] => Method::Send(V1),
        ["message:stream"] => Method::Stream,
        ["extendedAgentCard"] => Method::ExtendedCard(V1),
        ["tasks"] => Method::List,
        ["tasks", task] => {
            let (method, id) = match task.rsplit_once(':') {
                Some((id, "cancel")) if !id.is_empty() => (Method::Cancel(V1), id),
                Some((id, "subscribe")) if !id.is_empty() => (Method::Subscribe, id),
                _ => (Method::Get(V1), *task),
            };
            return Some((method, Some(id.to_owned())));
        }
        ["tasks", _, "pushNotificationConfigs"] | ["tasks", _, "pushNotificationConfigs", _] => Method::Push,
        _ => return None,
    };
    Some((method, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_colon_of_a_task_id_separates_the_call() {
        let of_task = |method, id: &str| Some((method, Some(id.to_owned())));
        for (path, call) in [
            ("tasks/a:b", of_task(Method::Get(Dialect::V1), "a:b")),
            ("tasks/a:b:cancel", of_task(Method::Cancel(Dialect::V1), "a:b")),
            ("acme/tasks/x:subscribe", of_task(Method::Subscribe, "x")),
            ("a/b/message:send", None),
        ] {
            assert_eq!(call_at(path), call, "{path}");
        }
    }
}
