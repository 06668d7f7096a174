//! The responses of a call: its answer and its errors. Errors are problem documents (RFC 9457) with the same
//! form everywhere. So each error is described once, among the components.

use super::components::reference;
use crate::prelude::*;

/// Status, name, meaning, and whether the answer has `Retry-After`.
const REFUSALS: [(u16, &str, &str, bool); 15] = [
    (400, "BadRequest", "The request cannot be parsed: it is not JSON, or not an object.", false),
    (401, "Unauthorized", "A token is missing or invalid.", false),
    (402, "PaymentRequired", "The purchase is not paid yet.", false),
    (403, "Forbidden", "This caller or host is not allowed, or a proof is not valid.", false),
    (404, "NotFound", "Not found. `next` shows how to create what is missing.", false),
    (
        405,
        "MethodNotAllowed",
        "The path does not accept this method. The header `Allow` lists the accepted \
        methods.",
        false,
    ),
    (
        409,
        "Conflict",
        "The state of the listing, order or purchase does not allow this. The state is in `lane` or `detail`.",
        false,
    ),
    (410, "Gone", "The listing was withdrawn.", false),
    (413, "ContentTooLarge", "The body is larger than 256 KiB.", false),
    (415, "UnsupportedMediaType", "The content type is not JSON.", false),
    (422, "UnprocessableContent", "An argument is invalid: see `field` and `detail`.", false),
    (429, "TooManyRequests", "Rate limit exceeded; retry after `Retry-After` seconds.", true),
    (
        502,
        "BadGateway",
        "This operation needs another service, and that service gave no usable answer.",
        false,
    ),
    (
        503,
        "ServiceUnavailable",
        "The table is busy, and nothing was changed. Send the same request again after `Retry-After` seconds.",
        true,
    ),
    (501, "NotImplemented", "This registry is not configured for this operation.", false),
];

const ALWAYS: [u16; 2] = [429, 503];

/// 403: a page of another site sent the body.
const OF_BODIES: [u16; 5] = [400, 403, 413, 415, 422];

pub(super) fn refusals(own: &[u16], takes_query: bool, takes_body: bool) -> Map<String, Value> {
    let of_input: &[u16] = if takes_body {
        &OF_BODIES
    } else if takes_query {
        &[422]
    } else {
        &[]
    };
    let mut statuses: Vec<u16> = [own, of_input, &ALWAYS].concat();
    statuses.sort_unstable();
    statuses.dedup();
    named_refusals(&statuses)
}

/// Exactly these statuses.
pub(super) fn named_refusals(statuses: &[u16]) -> Map<String, Value> {
    let known = |status: u16| REFUSALS.iter().find(|(known, ..)| *known == status);
    statuses.iter().filter_map(|status| Some((status.to_string(), named(known(*status)?.1)))).collect()
}

/// A status in the form of another protocol.
pub(super) fn refusal_with(status: u16, meaning: Option<&str>, content: &Map<String, Value>) -> Value {
    let known = REFUSALS.iter().find(|(known, ..)| *known == status);
    let (_, name, usual, waits) = known.unwrap_or(&REFUSALS[0]);
    refusal(name, meaning.unwrap_or(usual), *waits, content)
}

fn refusal(name: &str, meaning: &str, waits: bool, content: &Map<String, Value>) -> Value {
    let mut headers = json!({ "x-request-id": { "$ref": "#/components/headers/RequestId" } });
    if waits {
        headers["Retry-After"] = json!({ "$ref": "#/components/headers/RetryAfter" });
    }
    if name == "MethodNotAllowed" {
        headers["Allow"] = json!({ "$ref": "#/components/headers/Allow" });
    }
    json!({ "description": meaning, "headers": headers, "content": content })
}

fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// `kept`: the answer has an entity tag and may be cached.
pub(super) fn success(description: &str, content: &Map<String, Value>, kept: bool) -> Map<String, Value> {
    let mut responses = Map::new();
    let mut headers = json!({ "x-request-id": { "$ref": "#/components/headers/RequestId" } });
    if kept {
        headers["ETag"] = json!({ "$ref": "#/components/headers/EntityTag" });
        headers["Cache-Control"] = json!({ "$ref": "#/components/headers/CacheControl" });
    }
    let answer = json!({ "description": description, "headers": headers, "content": content });
    responses.insert("200".to_owned(), answer);
    if kept {
        responses.insert("304".to_owned(), named("NotModified"));
    }
    responses
}

/// A 404 with the same content type as the document, or a problem document.
pub(super) fn unknown_as(content: &Map<String, Value>) -> Value {
    let mut content = content.clone();
    content.extend(problems());
    refusal("NotFound", "Not found.", false, &content)
}

/// The content of a problem document.
pub(super) fn problems() -> Map<String, Value> {
    Map::from_iter([("application/problem+json".to_owned(), json!({ "schema": reference("Problem") }))])
}

pub(super) fn components() -> Map<String, Value> {
    let named = REFUSALS
        .iter()
        .map(|(_, name, meaning, waits)| ((*name).to_owned(), refusal(name, meaning, *waits, &problems())));
    let mut all: Map<String, Value> = named.collect();
    all.insert(
        "NotModified".to_owned(),
        json!({
            "description": "Not modified: the caller already has this version (`If-None-Match`).",
            "headers": {
                "x-request-id": { "$ref": "#/components/headers/RequestId" },
                "ETag": { "$ref": "#/components/headers/EntityTag" },
                "Cache-Control": { "$ref": "#/components/headers/CacheControl" },
            },
        }),
    );
    all
}

pub(super) fn headers() -> Value {
    let header = |description: &str, schema: Value| json!({ "description": description, "required": true, "schema": schema });
    json!({
        "RequestId": header("The id of this request; include it in reports to the operator.", json!({ "type": "string", "pattern": "^[!-~]+$" })),
        "EntityTag": header("The version of this response. Send it as `If-None-Match`: you get 304 if the \
            response has not changed.", json!({ "type": "string" })),
        "CacheControl": header("How long a client may reuse the response.", json!({ "type": "string" })),
        "RetryAfter": header("Seconds to wait before a retry.", json!({ "type": "integer", "minimum": 0 })),
        "Allow": header("The methods that the path accepts.", json!({ "type": "string" })),
    })
}

pub(super) fn problem() -> Value {
    json!({
        "type": "object",
        "description": "What is wrong and what to do (RFC 9457).",
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string", "description": "What is wrong with this request, for people." },
            "ok": { "const": false },
            "code": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$", "description": "The stable code of the problem." },
            "field": { "type": "string", "description": "The argument that is invalid." },
            "retry_after_s": { "type": "integer", "minimum": 0, "description": "Seconds to wait before a retry." },
            "next": { "type": "object", "description": "The next step: an action with its method and url, or a note." },
        },
        "required": ["type", "title", "status", "detail", "ok", "code"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_match_their_schema() {
        let validator = jsonschema::validator_for(&problem()).unwrap();
        for made in [
            Problem::malformed("x"),
            Problem::invalid("url", "not_a_url", "x"),
            Problem::listing_not_found("x").with("lane", "queued"),
            Problem::too_many("x", 3),
            Problem::unavailable("x"),
        ] {
            assert!(validator.is_valid(&made.document()), "{made:?}");
        }
    }

    #[test]
    fn errors_of_a_call_include_errors_of_its_arguments() {
        let keys = |refusals: Map<String, Value>| refusals.keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(keys(refusals(&[], false, false)), "429 503");
        assert_eq!(keys(refusals(&[404], true, false)), "404 422 429 503");
        assert_eq!(keys(refusals(&[404, 422], true, true)), "400 403 404 413 415 422 429 503");
    }
}
