//! Checks that a table is consistent. If items of two kinds are always written in one transaction, both kinds must have
//! the same count. This must be true however the registry ends, and for acknowledged and unacknowledged writes.

use std::collections::BTreeSet;

use serde_json::Value;
use tests::test_registry::Table;

/// The number of items of each kind in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) listings: usize,
    pub(super) demos: usize,
    pub(super) completions: usize,
    pub(super) traces: usize,
}

/// Asserts that the counts agree with each other.
pub(super) fn audit(table: &Table, what: &str) -> Counts {
    let count = |kind: &str| table.items_under(kind).len();
    let cores: Vec<&Value> =
        table.items_under("LISTING#").into_iter().filter(|item| item["sk"] == "CORE").collect();
    let marked = |name: &str| cores.iter().filter(|core| core[name] == true).count();
    let sum = |kind: &str, names: &[&str]| -> usize {
        let of = |item: &Value| names.iter().filter_map(|name| item[name].as_u64()).sum::<u64>();
        usize::try_from(table.items_under(kind).into_iter().map(of).sum::<u64>()).unwrap()
    };
    let feed_items =
        |kind: &str| table.items_under("FEED ").iter().filter(|item| item.to_string().contains(kind)).count();

    assert_eq!(count("NAME#"), cores.len(), "{what}: each listing has one name item");
    assert_eq!(feed_items("listing_queued"), cores.len(), "{what}: and one feed item");
    let demos = count("ORDER#");
    assert_eq!(marked("demoed"), demos, "{what}: each demo marks its listing");
    assert_eq!(sum("LIVE ", &["demos_agents", "demos_mcps"]), demos, "{what}: and is counted");
    let with_texts = table.items_under("FEEDBACK#");
    let completions = with_texts.iter().filter(|item| item["sk"] == "FEEDBACK").count();
    assert_eq!(with_texts.len(), 2 * completions, "{what}: each completion has its texts");
    assert_eq!(marked("feedbacked"), completions, "{what}: each feedback marks its listing");
    assert_eq!(sum("LIVE ", &["feedback_agents", "feedback_mcps"]), completions, "{what}: and is counted");
    let is_valid = |item: &&&Value| item.get("grant").is_some();
    let tokens = table.items_under("TOKEN#").iter().filter(is_valid).count();
    assert_eq!(tokens + count("CODE#"), completions, "{what}: and has one reward");
    assert_eq!(sum("LIVE SEATS", &["claimed"]), tokens, "{what}: as many tokens as claimed seats");
    let is_trace = |item: &&&Value| item["sk"].as_str().unwrap_or_default().starts_with("MARK#");
    let traces = table.items_under("TRAIL#").iter().filter(is_trace).count();
    Counts { listings: cores.len(), demos, completions, traces }
}

/// All string values in the table.
pub(super) fn texts(table: &Table) -> BTreeSet<String> {
    let items = table.items_under("");
    let members = items.iter().filter_map(|item| item.as_object()).flat_map(|item| item.values());
    members.filter_map(Value::as_str).map(str::to_owned).collect()
}
