use serde_json::json;

use super::*;
use crate::economy::operations::NETWORK_VALUE;
use crate::listing::operations::{MATCH_CAPABILITY, SEARCH_ACTIVE};
use crate::operation::catalogue::CATALOGUE;
use crate::trails::operations::ENDORSE;

#[test]
fn parameter_of_a_query_has_a_limit() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Asked {
        q: String,
    }
    let read = |text: String| Parameters::of_query(Some(&format!("q={text}"))).read::<Asked>();
    assert!(read("%F0%9F%98%80".repeat(MAX_PARAMETER_CHARS)).is_ok());
    let problem = read("x".repeat(MAX_PARAMETER_CHARS + 1)).unwrap_err();
    assert_eq!((problem.code, problem.field.as_deref()), (Code::TooLong, Some("q")));
}

#[test]
fn parameters_are_parsed_as_the_types_of_their_fields() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Newest,
    }
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Asked {
        limit: Option<u32>,
        is_short: Option<bool>,
        order: Option<Order>,
    }
    let read = |query| Parameters::of_query(Some(query)).read::<Asked>();
    let asked = Asked { limit: Some(3), is_short: Some(true), order: Some(Order::Newest) };
    assert_eq!(read("limit=3&is_short=true&order=newest&other=x").unwrap(), asked);
    for (query, detail) in [
        ("limit=3x", "`limit`: must be a whole number in digits, and not too large."),
        ("limit=", "`limit`: must be a whole number in digits, and not too large."),
        ("is_short=1", "`is_short`: provided string was not `true` or `false`."),
        ("order=oldest", "`order`: unknown value `oldest`, expected `newest`."),
        ("limit=1&limit=2", "duplicate field `limit`."),
    ] {
        assert_eq!(read(query).unwrap_err().detail, detail, "{query}");
    }
}

#[test]
fn floats_without_fraction_are_integers() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Rated {
        rating: u8,
        weights: Vec<f64>,
    }
    let read = |value| RawArguments::Json(value).read::<Rated>();
    let rated = read(json!({ "rating": 3.0, "weights": [0.5, 2.0] })).unwrap();
    assert_eq!(rated, Rated { rating: 3, weights: vec![0.5, 2.0] });
    for rating in [json!(3.5), json!(-1.0), json!(300.0), json!(1e300), json!("3")] {
        let problem = read(json!({ "rating": rating, "weights": [] })).unwrap_err();
        assert_eq!(problem.field.as_deref(), Some("rating"), "{rating}");
        assert!(problem.detail.ends_with("expected a whole number in range."), "{}", problem.detail);
    }
}

#[test]
fn names_contain_every_property_of_the_schema() {
    for entry in CATALOGUE {
        let (schema, names) = ((entry.input_schema)(), (entry.argument_names)());
        for name in schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys()) {
            assert!(names.is_none_or(|names| names.contains(&name.as_str())), "{}: {name}", entry.name);
        }
    }
}

#[test]
fn unknown_argument_is_refused_with_the_nearest_name() {
    let refused = |arguments: serde_json::Value| {
        let problem = MATCH_CAPABILITY.check_names(arguments.as_object().unwrap()).unwrap_err();
        (problem.code.as_str(), problem.field.unwrap(), problem.detail)
    };
    let (code, field, detail) = refused(json!({ "q": "x", "limt": 3 }));
    assert_eq!((code, field.as_str()), ("unknown_argument", "limt"));
    assert_eq!(detail, "`match_capability` has no argument `limt`. Did you mean `limit`?");
    assert!(refused(json!({ "zzz": 1 })).2.contains("Its own arguments: q, "));
    let of_none = NETWORK_VALUE.check_names(json!({ "zzz": 1 }).as_object().unwrap()).unwrap_err();
    assert_eq!(of_none.detail, "`network_value` has no argument `zzz`. It has no arguments of its own.");
    for name in ["q", "query", "need", "text"] {
        assert!(MATCH_CAPABILITY.check_names(json!({ name: "x" }).as_object().unwrap()).is_ok(), "{name}");
    }
    assert!(SEARCH_ACTIVE.check_names(json!({ "q": "weather" }).as_object().unwrap()).is_err());
    let of_next = json!({ "action": "endorse", "listing_id": "x" });
    assert!(ENDORSE.check_names(of_next.as_object().unwrap()).is_ok());
    assert!(MATCH_CAPABILITY.check_names(of_next.as_object().unwrap()).is_err());
}
