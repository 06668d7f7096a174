//! Functions that get requests as on Lambda. A request becomes the event that API Gateway sends (payload format 2.0), and the
//! answer is converted back. Both are JSON text in between, so everything that Lambda would lose is also lost here.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use futures::future::{FutureExt as _, TryFutureExt as _};
use futures::stream;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Context, LambdaEvent, Service as _};
use local::functions::Job;
use percent_encoding::percent_decode_str;
use registry::model::{CallerAddress, RequestId};
use registry_lambda::events::{behind_gateway, with_encoded_path};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// In bytes of JSON (AWS: Lambda quotas, invocation payload).
const RESPONSE_LIMIT: usize = 6 * 1024 * 1024;

/// The function that gets its requests as events, through the adapter that runs on Lambda.
pub fn by_events(function: Router) -> Router {
    of_job(job(function))
}

/// The function behind a job that takes events, such as a packaged binary in a Lambda runtime.
pub fn of_job(job: Job) -> Router {
    Router::new().fallback(move |request: Request<Body>| {
        let job = Arc::clone(&job);
        async move {
            call(request, &job).await.unwrap_or_else(|error| {
                eprintln!("function call failed: {error}");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            })
        }
    })
}

fn job(router: Router) -> Job {
    let router = behind_gateway(router, None);
    Arc::new(move |event| {
        let router = router.clone();
        async move {
            let payload: LambdaRequest = serde_json::from_str(&event.to_string())?;
            // The adapter is dropped before the await: it is not `Send`, but its future is.
            let answer =
                Adapter::from(router).call(with_encoded_path(LambdaEvent::new(payload, Context::default())));
            let Ok(answer) = answer.await;
            serde_json::to_value(&answer)
        }
        .map_err(|error| error.to_string())
        .boxed()
    })
}

async fn call(request: Request<Body>, job: &Job) -> Result<Response, String> {
    let (parts, body) = request.into_parts();
    let is_head = parts.method == Method::HEAD;
    let body = to_bytes(body, usize::MAX).await.map_err(|error| error.to_string())?;
    let answer = job(event(&Request::from_parts(parts, body))).await?;
    let mut response = response(&answer.to_string())?;
    if is_head {
        // An empty stream instead of an empty body, so that no `content-length: 0` is sent.
        *response.body_mut() = Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
    }
    Ok(response)
}

fn response(answer: &str) -> Result<Response, String> {
    if answer.len() > RESPONSE_LIMIT {
        return Err(format!("the answer has {} bytes; Lambda allows {RESPONSE_LIMIT}", answer.len()));
    }
    let answer: FunctionResponse = serde_json::from_str(answer).map_err(|error| error.to_string())?;
    answer.into_response().map_err(|error| error.to_string())
}

/// The event that API Gateway sends for a request.
pub(crate) fn event(request: &Request<Bytes>) -> Value {
    let headers = request.headers();
    let caller = request.extensions().get().map(|CallerAddress(address)| address.to_string());
    let id = request.extensions().get().map(|RequestId(id)| id);
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let path = raw_path(request.uri().path());
    let now = jiff::Timestamp::now();
    let (body, is_base64) = encode_body(text(header::CONTENT_TYPE).unwrap_or_default(), request.body());
    json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": request.uri().query().unwrap_or_default(),
        "cookies": cookies(headers),
        "headers": join_headers(headers),
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "local",
            "domainName": text(header::HOST),
            "http": {
                "method": request.method().as_str(),
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": caller,
                "userAgent": text(header::USER_AGENT),
            },
            "requestId": id,
            "routeKey": "$default",
            "stage": "$default",
            "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string(),
            "timeEpoch": now.as_millisecond(),
        },
        "body": body,
        "isBase64Encoded": is_base64,
    })
}

/// HTTP APIs decode the path, and cut it at a decoded `?` (live captures in middleapi/standard-server#93).
fn raw_path(path: &str) -> String {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    decoded.split('?').next().unwrap_or_default().to_owned()
}

/// API Gateway passes text as text and everything else as base64.
fn encode_body(content_type: &str, body: &Bytes) -> (Option<String>, bool) {
    if body.is_empty() {
        return (None, false);
    }
    let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let textual = media.starts_with("text/")
        || matches!(media.as_str(), "application/json" | "application/javascript" | "application/xml");
    match std::str::from_utf8(body) {
        Ok(text) if textual => (Some(text.to_owned()), false),
        _ => (Some(BASE64.encode(body)), true),
    }
}

/// Format 2.0 has one value per name, so repeated headers are joined by commas. Cookies have their own member.
fn join_headers(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers.keys().filter(|name| **name != header::COOKIE);
    let pair = |name: &HeaderName| (name.to_string(), json!(values(headers, name).join(",")));
    names.map(pair).collect()
}

fn cookies(headers: &HeaderMap) -> Option<Vec<String>> {
    let all = values(headers, &header::COOKIE).join("; ");
    (!all.is_empty()).then(|| all.split("; ").map(str::to_owned).collect())
}

fn values(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionResponse {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    cookies: Vec<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

impl FunctionResponse {
    fn into_response(self) -> Result<Response, Box<dyn std::error::Error>> {
        let body = match self.body {
            Some(body) if self.is_base64_encoded => Bytes::from(BASE64.decode(body)?),
            Some(body) => Bytes::from(body),
            None => Bytes::new(),
        };
        let mut response = Response::builder().status(self.status_code).body(Body::from(body))?;
        for (name, value) in self.headers {
            let name: HeaderName = name.parse()?;
            // The server computes it from the body.
            if name != header::CONTENT_LENGTH {
                let value: HeaderValue = value.parse()?;
                response.headers_mut().insert(name, value);
            }
        }
        for cookie in self.cookies {
            let cookie: HeaderValue = cookie.parse()?;
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        Ok(response)
    }
}
