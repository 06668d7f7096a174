use super::*;
use serde_json::json;

#[test]
fn a_fault_contains_its_violations() {
    let mut violations = CardViolations::default();
    violations.note("name", ("name_missing", "Give it a name."), None);
    violations.note("url", ("interface_url_missing", "Give it a URL."), Some(&json!("")));
    let fault = CardFault::Invalid(violations.into_vec());
    assert_eq!(
        fault.to_string(),
        "an agent card that no client can use: `name` is nothing; `url` is an empty text"
    );
}

#[test]
fn number_and_length_of_violations_are_bounded() {
    let mut violations = CardViolations::default();
    for _ in 0..1000 {
        violations.note("x", ("x", "z"), Some(&json!("y".repeat(10_000))));
    }
    let violations = violations.into_vec();
    assert_eq!(violations.len(), MAX_VIOLATIONS);
    assert_eq!(violations[0].seen.chars().count(), 83);
}

#[test]
fn values_are_described_in_few_words() {
    let table = [
        (json!(null), "null"),
        (json!("  "), "an empty text"),
        (json!(7), "7"),
        (json!([]), "an empty list"),
        (json!([1, 2]), "a list of 2"),
        (json!({"a": 1, "b": 2}), "an object with a, b"),
    ];
    for (value, words) in table {
        assert_eq!(summary(Some(&value)), words);
    }
}
