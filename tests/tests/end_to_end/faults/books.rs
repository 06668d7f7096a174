//! The books of a table: what is written in one transaction is there as often as what is written with it. However the
//! registry ends, nothing stands half written, neither what was acknowledged nor what was not.

use std::collections::BTreeSet;

use serde_json::Value;
use tests::test_registry::Table;

/// How much stands in the books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Books {
    pub(super) listings: usize,
    pub(super) demos: usize,
    pub(super) completions: usize,
    pub(super) traces: usize,
}

/// Holds every count against those that must be the same.
pub(super) fn audit(table: &Table, what: &str) -> Books {
    let count = |kind: &str| table.items_under(kind).len();
    let cores: Vec<&Value> =
        table.items_under("LISTING#").into_iter().filter(|item| item["sk"] == "CORE").collect();
    let marked = |name: &str| cores.iter().filter(|core| core[name] == true).count();
    let sum = |kind: &str, names: &[&str]| -> usize {
        let of = |item: &Value| names.iter().filter_map(|name| item[name].as_u64()).sum::<u64>();
        usize::try_from(table.items_under(kind).into_iter().map(of).sum::<u64>()).unwrap()
    };
    let news =
        |kind: &str| table.items_under("FEED ").iter().filter(|item| item.to_string().contains(kind)).count();

    assert_eq!(count("NAME#"), cores.len(), "{what}: each listing has its name");
    assert_eq!(news("listing_queued"), cores.len(), "{what}: and its news");
    let demos = count("ORDER#");
    assert_eq!(marked("demoed"), demos, "{what}: each demo is marked at its listing");
    assert_eq!(sum("LIVE ", &["demos_agents", "demos_mcps"]), demos, "{what}: and counted");
    let completions = count("FEEDBACK#");
    assert_eq!(marked("feedbacked"), completions, "{what}: each feedback is marked at its listing");
    assert_eq!(sum("LIVE ", &["feedback_agents", "feedback_mcps"]), completions, "{what}: and counted");
    assert_eq!(count("TOKEN#") + count("CODE#"), completions, "{what}: and rewarded once");
    assert_eq!(sum("LIVE SEATS", &["claimed"]), count("TOKEN#"), "{what}: with no more tokens than seats");
    let traces =
        table.items_under("TRAIL#").iter().filter(|item| text(item, "sk").starts_with("MARK#")).count();
    Books { listings: cores.len(), demos, completions, traces }
}

/// Everything in the table that is a text.
pub(super) fn texts(table: &Table) -> BTreeSet<String> {
    let items = table.items_under("");
    let members = items.iter().filter_map(|item| item.as_object()).flat_map(|item| item.values());
    members.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn text<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name].as_str().unwrap_or_default()
}
