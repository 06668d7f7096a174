use super::*;

fn faults(abilities: &[(&str, &str)]) -> Vec<String> {
    let of = |(id, text): &(&str, &str)| Ability::new(id, &words(id).join(" "), text, "");
    let abilities: Vec<Ability> = abilities.iter().map(of).collect();
    super::findings(&abilities, Kind::Mcp).into_iter().map(|finding| finding.faults.join("; ")).collect()
}

#[test]
fn linter_finds_each_fault_and_accepts_a_good_description() {
    let good = "Returns the tide at a harbour for one day. Use it when a request names a harbour.";
    assert!(faults(&[("get_tide", good)]).is_empty());
    for (id, description, fault) in [
        ("get_tide", "", "no description"),
        ("get_tide", "Get tide", "only repeats the name"),
        ("get_tide", "Computes heights of water", "25 characters"),
        ("tide", "Harbour heights in metres above chart datum for a day", "no common verb"),
        ("get tide!", "x", "the rule of MCP"),
        ("get.tide", "x", "the APIs of models"),
        ("get_tide", &"word ".repeat(300), "clients shorten it"),
    ] {
        assert!(faults(&[(id, description)])[0].contains(fault), "{fault}");
    }
}

#[test]
fn linter_finds_tools_that_are_easy_to_confuse() {
    let same = "Lists the open issues of a repository. Use it when a request names one.";
    let found = faults(&[("list_issues", same), ("my_issues", same), ("listIssues", "")]);
    assert!(found[1].contains("same description as list_issues"), "{found:?}");
    assert!(found[2].contains("differs from list_issues only in spelling"), "{found:?}");
}

#[test]
fn invalid_names_become_valid() {
    assert_eq!(valid_name("get.tide/now v2"), "get_tide_now_v2");
}
