use super::*;

#[test]
fn names_are_split_into_words() {
    assert_eq!(
        words("getUserById_v2 book-air.tickets"),
        ["get", "user", "by", "id", "v2", "book", "air", "tickets"]
    );
    assert_eq!(words("arXiv iOS OpenAPI listIssues"), ["arxiv", "ios", "open", "api", "list", "issues"]);
    assert_eq!(subject_words("Helps with booking of air tickets, tickets"), ["booking", "air", "tickets"]);
}

#[test]
fn first_verb_of_a_name_shows_a_change() {
    let of = |text: &str| changing_verb(&words(text));
    assert_eq!(of("browser_evaluate"), Some("evaluate"));
    assert_eq!(of("book_air_tickets"), Some("book"));
    assert_eq!(of("delete_analysis"), Some("delete"));
    for reading in ["get_run_details", "list_updated", "signed-assessment", "search_papers", "text_info"] {
        assert_eq!(of(reading), None, "{reading}");
    }
}

#[test]
fn words_for_secrets_are_found_in_names_and_descriptions() {
    for (text, word) in [
        ("get-env Returns all variables.", Some("env")),
        ("dump Returns all environment variables, helpful for debugging", Some("environment variables")),
        ("getApiKey", Some("key")),
        ("list_tokens", Some("tokens")),
        ("get_entry Returns the value of a key.", None),
        ("search Finds keywords in an environment.", None),
    ] {
        assert_eq!(secret(text), word, "{text}");
    }
    assert_eq!(secret(&format!("{}. Shows passwords.", "Reads files".repeat(90))), Some("passwords"));
}

#[test]
fn abbreviations_do_not_end_a_sentence() {
    assert_eq!(
        sentences("Verify it, e.g. a U.S. plan. Returns ALLOW.\nFail-closed!"),
        ["Verify it, e.g. a U.S. plan", "Returns ALLOW", "Fail-closed!"]
    );
    assert_eq!(sentences(" . "), Vec::<String>::new());
}
