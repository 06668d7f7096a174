//! The responses of a call: its answer and its errors. Errors are problem documents (RFC 9457) with the same
//! form everywhere. So each error is described once, among the components.

use super::components::reference;
use crate::errors;
use crate::prelude::*;

/// Errors that single calls have: kind, name and meaning.
const REFUSALS: [(ErrorKind, &str, &str); 8] = [
    (ErrorKind::Unauthenticated, "Unauthorized", "A token is missing or invalid."),
    (ErrorKind::PaymentRequired, "PaymentRequired", "The purchase is not paid yet."),
    (ErrorKind::Forbidden, "Forbidden", "This caller or host is not allowed, or a proof is not valid."),
    (ErrorKind::NotFound, "NotFound", "Not found. If there is a next step, `next` contains it."),
    (
        ErrorKind::MethodNotAllowed,
        "MethodNotAllowed",
        "The path does not accept this method. The header `Allow` lists the accepted methods.",
    ),
    (
        ErrorKind::Conflict,
        "Conflict",
        "The state of the listing, order or purchase does not allow this: see `lane` or `detail`.",
    ),
    (ErrorKind::Gone, "Gone", "The listing was withdrawn."),
    (
        ErrorKind::BadGateway,
        "BadGateway",
        "This operation needs another service, and that service gave no usable answer.",
    ),
];

/// What any call can return in addition.
const OTHERS: &str = "400: the request cannot be parsed. 403: a page of another site sent the body. 413: the body is \
    larger than 256 KiB. 415: the content type is not JSON. 422: an argument is invalid, see `field` and `detail`. 429: \
    rate limit exceeded. 503: the registry, or a service that it needs, is not available. After 429 and 503 with \
    `Retry-After`, send the same request again after that time.";

/// The errors of a call: its own, and those of every call.
pub(super) fn refusals(own: &[ErrorKind]) -> Map<String, Value> {
    let own = REFUSALS.iter().filter(|(kind, ..)| own.contains(kind));
    own.map(|(kind, name, _)| (errors::status(*kind).as_u16().to_string(), response_reference(name)))
        .chain(refusals_as("Refused"))
        .collect()
}

pub(super) fn refusals_as(name: &str) -> Map<String, Value> {
    Map::from_iter([("default".to_owned(), response_reference(name))])
}

/// Most errors are problem documents.
pub(super) fn refusal(meaning: &str, content: &Map<String, Value>) -> Value {
    let mut content = content.clone();
    content.extend(problems(&reference("Problem")));
    json!({ "description": meaning, "content": content })
}

fn response_reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// The answer of a call, and its errors.
pub(super) fn with_errors(content: &Map<String, Value>, errors: Map<String, Value>) -> Map<String, Value> {
    let success = ("200".to_owned(), json!({ "description": "OK", "content": content }));
    std::iter::once(success).chain(errors).collect()
}

fn problems(schema: &Value) -> Map<String, Value> {
    Map::from_iter([("application/problem+json".to_owned(), json!({ "schema": schema }))])
}

pub(super) fn components() -> Map<String, Value> {
    let own = REFUSALS.iter().map(|(kind, name, meaning)| (*name, *meaning, problem_of_kind(*kind)));
    let all = own.chain(std::iter::once(("Refused", OTHERS, reference("Problem"))));
    let response = |meaning, schema: &Value| json!({ "description": meaning, "content": problems(schema) });
    all.map(|(name, meaning, schema)| (name.to_owned(), response(meaning, &schema))).collect()
}

/// A problem with a code that this kind can have.
fn problem_of_kind(kind: ErrorKind) -> Value {
    let codes: Vec<Code> = Code::ALL.into_iter().filter(|code| code.kinds().contains(&kind)).collect();
    json!({ "allOf": [reference("Problem"), { "properties": { "code": { "enum": codes } } }] })
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
            "code": { "enum": Code::ALL.as_slice(), "description": "The stable code of the problem. Later versions add codes." },
            "field": { "type": "string", "description": "The argument that is invalid." },
            "retry_after_s": { "type": "integer", "minimum": 0, "description": "Seconds to wait before a retry." },
            "lane": { "type": "string", "description": "The state of the listing, if it is the reason." },
            "unlock": { "type": "object", "description": "When payments open." },
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
            Problem::invalid("url", Code::NotAUrl, "x"),
            Problem::new(Code::NoLeaf, "x").with("lane", "queued"),
            Problem::too_many("x", 3),
            Problem::unavailable("x"),
        ] {
            assert!(validator.is_valid(&errors::problem_document(&made)), "{made:?}");
        }
        let mut unknown = errors::problem_document(&Problem::malformed("x"));
        unknown["code"] = json!("no_code_of_the_list");
        assert!(!validator.is_valid(&unknown));
    }

    #[test]
    fn response_of_a_status_lists_its_codes() {
        let codes = |name: &str| {
            let response = &components()[name];
            let schema = &response["content"]["application/problem+json"]["schema"];
            schema["allOf"][1]["properties"]["code"]["enum"].clone()
        };
        assert_eq!(codes("PaymentRequired"), json!(["not_paid"]));
        assert_eq!(codes("Unauthorized"), json!(["bad_token", "operator_token_required", "read_only"]));
        // A code with several kinds is in the response of each.
        for name in ["Gone", "Conflict", "NotFound"] {
            assert!(codes(name).as_array().unwrap().contains(&json!("listing_withdrawn")), "{name}");
        }
    }

    #[test]
    fn each_call_has_its_own_errors_and_the_common_ones() {
        let keys = |own: &[ErrorKind]| refusals(own).keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(keys(&[]), "default");
        assert_eq!(
            keys(&[ErrorKind::Invalid, ErrorKind::NotFound, ErrorKind::BadGateway]),
            "404 502 default"
        );
    }
}
