//! The answers of a call: what is answered, and the refusals that it may meet. Refusals are problem documents (RFC 9457)
//! described once among the components, because every operation refuses in the same form.

use serde_json::{Map, Value, json};

use super::components::reference;

/// Status, name, meaning, and whether the answer has `Retry-After`.
const REFUSALS: [(u16, &str, &str, bool); 15] = [
    (400, "BadRequest", "The request cannot be read: it is no JSON, or no object.", false),
    (401, "Unauthorized", "A token is missing, or opens nothing.", false),
    (402, "PaymentRequired", "The purchase is not paid yet.", false),
    (403, "Forbidden", "This caller, or this host, may not; or a proof does not hold.", false),
    (404, "NotFound", "What is named is not known here; `next` says how it comes to be.", false),
    (405, "MethodNotAllowed", "The path does not take this method; `Allow` says which it takes.", false),
    (
        409,
        "Conflict",
        "The listing, order or purchase is not in the state for this; `lane` or `detail` says in which it is.",
        false,
    ),
    (410, "Gone", "The listing was withdrawn.", false),
    (413, "ContentTooLarge", "The body is over 256 KiB.", false),
    (415, "UnsupportedMediaType", "The body is not said to be JSON.", false),
    (
        422,
        "UnprocessableContent",
        "An argument cannot be taken; `field` says which, `detail` what it may be.",
        false,
    ),
    (429, "TooManyRequests", "Too many of this sort; try again after `Retry-After` seconds.", true),
    (502, "BadGateway", "A service that is asked for this answered in no way that can be used.", false),
    (
        503,
        "ServiceUnavailable",
        "The table is busy and nothing was changed; send the same again after `Retry-After` seconds.",
        true,
    ),
    (501, "NotImplemented", "This registry is not set up for it.", false),
];

const ALWAYS: [u16; 2] = [429, 503];

const OF_BODIES: [u16; 4] = [400, 413, 415, 422];

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
    let known = |status: u16| REFUSALS.iter().find(|(known, ..)| *known == status);
    statuses.into_iter().filter_map(|status| Some((status.to_string(), named(known(status)?.1)))).collect()
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
    content.insert("application/problem+json".to_owned(), json!({ "schema": reference("Problem") }));
    let headers = json!({ "x-request-id": { "$ref": "#/components/headers/RequestId" } });
    json!({ "description": "What is named is not known here.", "headers": headers, "content": content })
}

pub(super) fn components() -> Map<String, Value> {
    let problem = || json!({ "application/problem+json": { "schema": reference("Problem") } });
    let of_refusal = |(_, name, description, waits): &(u16, &str, &str, bool)| {
        let mut headers = json!({ "x-request-id": { "$ref": "#/components/headers/RequestId" } });
        if *waits {
            headers["Retry-After"] = json!({ "$ref": "#/components/headers/RetryAfter" });
        }
        if *name == "MethodNotAllowed" {
            headers["Allow"] = json!({ "$ref": "#/components/headers/Allow" });
        }
        ((*name).to_owned(), json!({ "description": description, "headers": headers, "content": problem() }))
    };
    let mut all: Map<String, Value> = REFUSALS.iter().map(of_refusal).collect();
    all.insert(
        "NotModified".to_owned(),
        json!({
            "description": "It is what `If-None-Match` says that the caller has.",
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
        "RequestId": header("The id of this request, by which the operator finds it.", json!({ "type": "string", "pattern": "^[0-9a-f]+$" })),
        "EntityTag": header("What this answer is; send it as `If-None-Match` to be answered 304 while it is the same.", json!({ "type": "string" })),
        "CacheControl": header("How long it may be shown again without asking.", json!({ "type": "string" })),
        "RetryAfter": header("Seconds after which to try again.", json!({ "type": "integer", "minimum": 0 })),
        "Allow": header("The methods that the path takes.", json!({ "type": "string" })),
    })
}

pub(super) fn problem() -> Value {
    json!({
        "type": "object",
        "description": "What went wrong and what to do (RFC 9457).",
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string", "description": "What is wrong with this request, for the reader." },
            "ok": { "const": false },
            "code": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$", "description": "The stable name of the problem." },
            "field": { "type": "string", "description": "The argument at fault." },
            "retry_after_s": { "type": "integer", "minimum": 0, "description": "Seconds after which to try again." },
            "next": { "type": "object", "description": "What to do next: an action with its method and url, or a note." },
        },
        "required": ["type", "title", "status", "detail", "ok", "code"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::error::Problem;

    #[test]
    fn every_problem_has_its_schema() {
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
    fn a_call_meets_the_refusals_of_its_input_and_its_own() {
        let keys = |refusals: Map<String, Value>| refusals.keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(keys(refusals(&[], false, false)), "429 503");
        assert_eq!(keys(refusals(&[404], true, false)), "404 422 429 503");
        assert_eq!(keys(refusals(&[404, 422], true, true)), "400 404 413 415 422 429 503");
    }
}
