use super::*;

#[test]
fn variables_are_found_in_order() {
    assert_eq!(variables("https://{tenant}.a.example:{port}/{a}/{}"), ["tenant", "port", "a"]);
    assert_eq!(variables("https://a.example/{open"), Vec::<&str>::new());
}

#[test]
fn variable_with_a_default_is_filled_in() {
    let variables = serde_json::json!({"tenant": {"default": "demo"}, "port": {"isRequired": true}});
    let filled = |url| with_values(url, variables.as_object());
    assert_eq!(filled("https://{tenant}.a.example/{tenant}"), "https://demo.a.example/demo");
    assert_eq!(filled("https://{tenant}.a.example:{port}/"), "https://demo.a.example:{port}/");
}

/// Else a document of 60 KB would need a gigabyte.
#[test]
fn values_in_values_do_not_grow() {
    let long = |text: &str, times| serde_json::json!({ "default": text.repeat(times) });
    let variables =
        serde_json::json!({ "a": long("{b}", 150), "b": long("{c}", 150), "c": long("x", 60_000) });
    for url in ["https://a.example/{a}", &"{c}".repeat(10_000)] {
        assert!(with_values(url, variables.as_object()).len() < 100_000);
    }
}

#[test]
fn templates_are_validated_with_placeholders() {
    let host = |url: &str| parsed(url).map(|url| url.to_string());
    assert_eq!(
        host("https://{t}.a.example:{port}/x").as_deref(),
        Some("https://placeholder.a.example:8080/x")
    );
    assert_eq!(host("{scheme}://a.example").as_deref(), Some("http://a.example/"));
    assert_eq!(host("{base}/mcp"), None);
    assert_eq!(host("ftp://a.example"), None);
    assert_eq!(host("https://{open"), None);
}

#[test]
fn every_notation_of_a_loopback_address_counts_as_local() {
    for url in
        ["http://localhost/", "http://a.localhost/", "http://127.9.9.9/", "http://0x7f.1/", "http://[::1]/"]
    {
        assert!(is_local(&Url::parse(url).unwrap()), "{url}");
    }
    assert!(!is_local(&Url::parse("https://localhost.example/").unwrap()));
}
