use serde_json::json;

use super::*;

#[test]
fn parameter_of_a_query_has_a_limit() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Asked {
        q: String,
    }
    assert!(from_query::<Asked>(&format!("q={}", "%F0%9F%98%80".repeat(MAX_PARAMETER_CHARS))).is_ok());
    let problem = from_query::<Asked>(&format!("q={}", "x".repeat(MAX_PARAMETER_CHARS + 1))).unwrap_err();
    assert_eq!((problem.code, problem.field.as_deref()), (Code::TooLong, Some("q")));
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
