use registry_features::operation::toolsets::SPECIFIED;

use super::*;

fn names(endpoint: &Toolset, query: &str, is_operator: bool) -> Result<Vec<&'static str>, String> {
    let query = Parameters::parse(query.as_bytes());
    let selection = Selection::read(endpoint, &query, &HeaderMap::new(), is_operator);
    selection.map(|selection| selection.names()).map_err(|error| error.message)
}

fn bytes(endpoint: &Toolset, query: &str) -> usize {
    let query = Parameters::parse(query.as_bytes());
    let selection = Selection::read(endpoint, &query, &HeaderMap::new(), false).unwrap();
    selection.tools().iter().map(|tool| tool.get().len() + 1).sum()
}

#[test]
fn tool_lists_stay_within_their_budgets() {
    for (endpoint, query, most) in
        [(&CORE, "", 20_000), (&SPECIFIED, "", 70_000), (&CORE, "toolsets=all", 120_000)]
    {
        let bytes = bytes(endpoint, query);
        assert!(bytes <= most, "{} {query}: {bytes} bytes", endpoint.name);
    }
    let length = |entry: &&AnyOperation| entry.description.chars().count();
    let too_long: Vec<_> =
        CATALOGUE.iter().filter(|entry| length(entry) > 300).map(|entry| entry.name).collect();
    assert_eq!(too_long, [""; 0], "descriptions with more than 300 characters");
}

#[test]
fn annotations_say_what_writes_and_what_takes_away() {
    let hint = |name: &str, hint: &str| {
        let tool: Value = serde_json::from_str(TOOLS[name].get()).unwrap();
        tool["annotations"][hint].as_bool().unwrap()
    };
    for (name, reads) in [
        ("check_status", true),
        ("score", true),
        ("talk_inbox", false),
        ("take_demo", false),
        ("list_yourself", false),
    ] {
        assert_eq!(hint(name, "readOnlyHint"), reads, "{name}");
    }
    for (name, takes_away) in [
        ("manage_listing", true),
        ("evaporate", true),
        ("revoke_attestation", true),
        ("rotate_signing_key", true),
        ("leave_feedback", true),
        ("endorse", false),
        ("check_status", false),
    ] {
        assert_eq!(hint(name, "destructiveHint"), takes_away, "{name}");
    }
}

#[test]
fn url_and_header_add_toolsets() {
    assert_eq!(names(&CORE, "", false).unwrap().len(), CORE.operations().len() + 1);
    assert_eq!(names(&SPECIFIED, "", false).unwrap().len(), 42);
    let with_trails = names(&CORE, "toolsets=trails,%20talk&x=1", false).unwrap();
    assert!(with_trails.contains(&"endorse") && with_trails.contains(&"talk_inbox"));
    let headers = HeaderMap::from_iter([(http::HeaderName::from_static(HEADER), "economy".parse().unwrap())]);
    let query = Parameters::parse(b"");
    let by_header = Selection::read(&SPECIFIED, &query, &headers, false).unwrap().names();
    assert_eq!(by_header.len(), 43, "autocatalysis is new, the others are listed already");
    let refused = names(&CORE, "toolsets=nothing", false).unwrap_err();
    assert!(refused.starts_with("Unknown toolset: nothing. Known: listings"), "{refused}");
    let query = Parameters::parse(b"toolsets=nothing");
    let refused = Selection::read(&CORE, &query, &HeaderMap::new(), false).unwrap_err();
    assert_eq!(refused.status, 400, "its id is not known, so a client must not wait for the reply");
}

#[test]
fn only_the_operator_lists_the_tools_of_the_operator() {
    for query in ["", "toolsets=all"] {
        assert!(!names(&CORE, query, false).unwrap().contains(&"evaporate"), "{query}");
    }
    assert!(names(&CORE, "toolsets=operator", false).is_err());
    let call = Map::from_iter([("name".to_owned(), json!("nope"))]);
    let unknown = format!("{:?}", crate::mcp::server::operation_of(&call).unwrap_err());
    assert!(unknown.contains("endorse") && !unknown.contains("evaporate"), "{unknown}");
    assert!(names(&CORE, "toolsets=all", true).unwrap().contains(&"evaporate"));
    assert_eq!(names(&CORE, "toolsets=all", true).unwrap().len(), CATALOGUE.len() + 1);
}
