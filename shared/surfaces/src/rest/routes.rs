//! Serves operations and documents by REST. All operations have one generic handler, and all documents have
//! another. So a function only lists what it serves.

use axum::extract::{FromRequest, Request};
use axum::routing::{MethodRouter, get, post};
use http::request::Parts;

use super::admission;
use super::middleware::wrong_method;
use super::request::{CalledBy, RawBody, has_version};
use crate::prelude::*;
use registry_features::operation::{DETAIL, View};
use registry_features::{Action, AnyOperation, Attachment, RawArguments, Rendered, Route, RouteInput};

pub fn operations(served: &[&'static AnyOperation]) -> Router<App> {
    let routes = served.iter().flat_map(|operation| operation.routes.iter().map(|route| (*operation, route)));
    routes.fold(Router::new(), |router, (operation, route)| {
        let members =
            served.iter().flat_map(|operation| operation.actions.iter().map(|action| (*action, *operation)));
        let actions: Arc<[_]> = members.filter(|(action, _)| action.path == route.path).collect();
        let at_path =
            served.iter().flat_map(|operation| operation.routes).filter(|other| other.path == route.path);
        let methods: Vec<_> = at_path.map(|route| if route.is_post() { "POST" } else { "GET" }).collect();
        let methods = methods.join(",");
        let serve = move |State(app): State<App>, CalledBy(caller): CalledBy, request: Request| async move {
            serve_operation(app, caller, operation, route, &actions, request).await
        };
        let handler: MethodRouter<App> = match (route.is_post(), route.acts) {
            (true, _) => post(serve),
            (false, false) => get(serve),
            (false, true) => get(serve).head(move |request| head_of_effect(methods, request)),
        };
        router.route(route.path, handler)
    })
}

/// A client that sends HEAD checks whether a link works; a GET that changes something does not run for it.
async fn head_of_effect(methods: String, request: Request) -> impl IntoResponse {
    ([(header::ALLOW, methods)], wrong_method(request).await)
}

async fn serve_operation(
    app: App,
    caller: Caller,
    operation: &'static AnyOperation,
    route: &'static Route,
    actions: &[(Action, &'static AnyOperation)],
    request: Request,
) -> Result<Response, Refused> {
    let headers = request.headers().clone();
    let uri = request.uri().clone();
    let query = Parameters::of_query(uri.query());
    let view = View::chosen(query.first(DETAIL));
    let (operation, arguments) = match route.input {
        RouteInput::Query => (operation, RawArguments::Query(query)),
        RouteInput::QueryAs(complete) => (operation, RawArguments::Query(complete(query))),
        RouteInput::BodyAs(read) => {
            let body = RawBody::from_request(request, &()).await?.json()?;
            (operation, RawArguments::Json(read(body)?))
        }
        RouteInput::BodyByAction => by_action(actions, RawBody::from_request(request, &()).await?.json()?)?,
    };
    if route.acts {
        admission::check_acting_get(&app.settings.base_url, &headers)?;
    } else if !route.is_post() && operation.effect.read_only && operation.effect.open_world {
        admission::check_open_world_get(&app.settings.base_url, &headers)?;
    }
    let view = view?;
    if matches!(arguments, RawArguments::Query(_))
        && let Some(made_from) = (operation.cache_validator)(app.clone()).await?
    {
        // The query contains the arguments, and which part of the answer is wanted.
        let name = format!("{}?{}", route.path, uri.query().unwrap_or_default());
        let rendered = operation.respond(app.clone(), caller, arguments, view);
        return Ok(cached_response(&app, name, made_from, rendered, &headers).await?);
    }
    let (media_type, disposition, body) = body_of(operation.respond(app, caller, arguments, view).await?);
    let mut response = match route.max_age_s {
        None => ([(header::CONTENT_TYPE, media_type)], body).into_response(),
        Some(seconds) => tagged_response(seconds, media_type, body, &headers),
    };
    if let Some(disposition) = disposition {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// The media type, the value of `Content-Disposition`, and the body.
fn body_of(rendered: Rendered) -> (&'static str, Option<HeaderValue>, Bytes) {
    match rendered {
        Rendered::Json(text) => ("application/json", None, Box::<str>::from(text).into_string().into()),
        Rendered::File(Attachment { file_name, media_type, bytes }) => {
            let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{file_name}\""));
            (media_type, disposition.ok(), bytes.into())
        }
    }
}

/// Renders an answer once for as long as `made_from` stays the same.
async fn cached_response(
    app: &App,
    name: String,
    made_from: CacheValidator,
    rendered: impl Future<Output = Result<Rendered, Problem>>,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let body = match app.pages.get(&name, &made_from) {
        Some(body) => body,
        None => {
            let (_, _, body) = body_of(rendered.await?);
            app.pages.put(name, made_from, body.clone());
            body
        }
    };
    Ok(tagged_response(0, "application/json", body, headers))
}

/// With the validator of the bytes.
fn tagged_response(seconds: u32, media_type: &'static str, body: Bytes, headers: &HeaderMap) -> Response {
    let validator = CacheValidator::of_body(&body);
    let body = Some(body).filter(|_| !has_version(headers, &validator));
    conditional_response(seconds, &validator, media_type, body)
}

pub fn documents(served: &[&'static AnyDocument]) -> Router<App> {
    let paths = served.iter().flat_map(|document| document.paths.iter().map(|path| (*document, *path)));
    paths.fold(Router::new(), |router, (document, path)| {
        let serve = move |State(app): State<App>, CalledBy(caller): CalledBy, request: Parts| async move {
            serve_document(&app, caller, document, &request).await
        };
        router.route(path, get(serve))
    })
}

async fn serve_document(
    app: &App,
    caller: Caller,
    document: &AnyDocument,
    request: &Parts,
) -> Result<Response, Refused> {
    let (path, query) = (request.uri.path().to_owned(), Parameters::of_query(request.uri.query()));
    let (body, validator) = document.answer(app, caller, path, &query, &request.headers).await?;
    let headers = (document.headers_now)(app).await?;
    let seconds = document.max_age_s.unwrap_or_default();
    let mut response = conditional_response(seconds, &validator, document.media_type, body);
    for (name, value) in &headers {
        let value = HeaderValue::from_str(value).map_err(Problem::fault)?;
        response.headers_mut().append(HeaderName::from_static(name), value);
    }
    for (name, value) in document.headers {
        response.headers_mut().append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(response)
}

/// A JSON document that is serialized already.
pub(crate) fn json_response(text: Box<RawValue>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], Box::<str>::from(text).into_string()).into_response()
}

/// With the validator (RFC 9110 §13); 304 if the caller has the body already. Zero seconds: revalidate each time.
pub(crate) fn conditional_response(
    seconds: u32,
    validator: &CacheValidator,
    media_type: &'static str,
    body: Option<Bytes>,
) -> Response {
    let mut response = match body {
        None => http::StatusCode::NOT_MODIFIED.into_response(),
        Some(body) => ([(header::CONTENT_TYPE, media_type)], body).into_response(),
    };
    let caching = if seconds == 0 { "no-cache".to_owned() } else { format!("public, max-age={seconds}") };
    for (name, value) in [(header::ETAG, validator.as_str()), (header::CACHE_CONTROL, &caching)] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

type Member = (Action, &'static AnyOperation);

/// The operation that the field `action` of the body selects (`specification.md#family-endpoints`). The other fields are the
/// arguments of the operation.
fn by_action(members: &[Member], mut body: Value) -> Result<(&'static AnyOperation, RawArguments), Problem> {
    let named = body.as_object_mut().and_then(|members| members.remove("action"));
    match named {
        Some(Value::String(action)) => {
            let Some((_, operation)) = members.iter().find(|(known, _)| known.name == action) else {
                return Err(unknown(members, &format!("Unknown action `{}`.", shorten(&action, 60))));
            };
            if operation.takes_action {
                body["action"] = Value::String(action);
            }
            Ok((operation, RawArguments::Json(body)))
        }
        _ if !body.is_object() => Err(Problem::malformed("The body must be a JSON object.")),
        _ => Err(unknown(members, "`action` is required, as a string.")),
    }
}

fn unknown(members: &[Member], what: &str) -> Problem {
    let names: Vec<&str> = members.iter().map(|(action, _)| action.name).collect();
    let detail = format!("{what} Actions: {}.", names.join(", "));
    Problem::invalid("action", Code::UnknownAction, detail)
}

#[cfg(test)]
mod tests;
