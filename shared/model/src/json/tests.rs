use proptest::prelude::*;

use super::*;

#[test]
fn json_values_are_counted_before_they_are_created() {
    let text = br#"{"a": [0, null, "x", {"b": 1.5}], "c": true}"#;
    let mut left = 8;
    assert_eq!(parse_limited(text, &mut left).unwrap(), serde_json::from_slice::<Value>(text).unwrap());
    assert_eq!(left, 0, "the object, its two members, four items and a member of the last");
    let mut left = 7;
    let error = parse_limited(text, &mut left).unwrap_err();
    assert!(error.is_data() && left == 0, "{error}");
    let mut left = 10;
    assert!(parse_limited(&b"[0,".repeat(3), &mut left).unwrap_err().is_eof());
    assert!(parse_limited(&b"[".repeat(100_000), &mut 1000).unwrap_err().is_syntax(), "too deep");
    assert!(parse_limited(b"0 0", &mut 9).unwrap_err().is_syntax(), "one document");
    let hidden = br#"{"a": [{"$serde_json::private::Raw\u0056alue": "[1]"}]}"#;
    assert!(parse(hidden).unwrap_err().is_data());
}

#[test]
fn parser_stops_at_the_maximum_number_of_values() {
    // The text after the bound is not read, so it need not be JSON.
    let mut text = b"[0".to_vec();
    text.extend_from_slice(&b",0".repeat(99));
    text.extend_from_slice(b"\xFF not JSON");
    assert!(parse_limited(&text, &mut 50).unwrap_err().is_data());
    assert!(parse_limited(&text, &mut 5000).unwrap_err().is_syntax());
}

proptest! {
    #[test]
    fn parser_gives_the_same_result_as_serde_json(text in r#"([\[\]{},:"a0.\-e5 ]|null|true|"a":|\\u0041){0,24}"#) {
        let standard = serde_json::from_str::<Value>(&text).ok();
        prop_assert_eq!(parse_limited(text.as_bytes(), &mut 1000).ok(), standard);
    }
}
