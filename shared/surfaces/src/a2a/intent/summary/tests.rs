use serde_json::json;

use super::*;
use registry_features::CATALOGUE;

#[test]
fn template_is_filled_with_the_members_of_the_answer() {
    let value = json!({ "ok": true, "name": "A \"B\"", "deal": { "left": 3 }, "live": false, "none": null,
        "tags": ["x", { "name": "y" }], "rows": [{ "id": "mcp-a", "url": "u" }, { "id": "mcp-b" }], "empty": [], "one": 1, "lane": "needs_fix", "bad": "a\u{1B}[2Jb", "age": 1.5, "checks": [{ "id": "a", "ok": true, "n": 0.000003 }, { "id": "b", "ok": true, "applies": false }] });
    for (template, text) in [
        ("\"{name}\" is {live?Live|not Live}.", Some("\"A 'B'\" is not Live.")),
        ("{deal.left} seats | of {none} | , {tags}.", Some("3 seats, x, y.")),
        ("{rows#row}: [rows]{id} | at {url}", Some("2 rows: mcp-a at u; mcp-b.")),
        ("{rows#}, {empty#row}, {one#row}.", Some("2, 0 rows, 1 row.")),
        ("It is {lane} since {age~}.", Some("It is waiting for a fix since 87 to 93 minutes.")),
        ("{name}.", Some("A \"B\".")),
        ("{bad}.", Some("a [2Jb.")),
        ("Checks: [checks]{id} | {ok?ok|failed} | : {n}", Some("Checks: a ok: 0.000003; b.")),
        ("{none}.", None),
        ("{none:nothing}, {one:nothing}", Some("nothing, 1.")),
        ("Rows: [empty]{id}", None),
    ] {
        assert_eq!(sentence(template, &value).as_deref(), text, "{template}");
    }
    // The data can be shortened, too, so it need not contain the other rows.
    let rows = json!({ "rows": vec![json!({ "id": "x".repeat(300) }); 5] });
    assert!(sentence("Rows: [rows]{id}", &rows).unwrap().ends_with("; and 2 more not in this text."));
}

#[test]
fn templates_use_only_members_of_the_answer() {
    let mut unknown = Vec::new();
    for entry in CATALOGUE {
        let schema = (entry.output_schema)();
        assert!(!entry.summary.is_empty(), "{} has no summary", entry.name);
        for template in entry.summary {
            let (before, rows) = template.split_once('[').unwrap_or((template, ""));
            let (list, row) = rows.split_once(']').unwrap_or_default();
            let in_row = paths(row).map(|path| format!("{list}.{path}"));
            for path in paths(before).map(str::to_owned).chain(in_row).chain([list.to_owned()]) {
                if !registry_features::operation::short::has_path(&schema, &path) {
                    unknown.push(format!("{}: {path}", entry.name));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}

fn paths(template: &str) -> impl Iterator<Item = &str> {
    let slots = template.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
    slots.map(|slot| slot.split(['?', '#', '~', ':']).next().unwrap_or_default())
}

#[test]
fn next_step_contains_the_message_to_send() {
    for (step, message) in [
        (
            json!({ "tool": "take_demo", "body": { "listing_id": "mcp-a" } }),
            r#"Say: "take the demo for mcp-a""#,
        ),
        (json!({ "tool": "check_status", "arguments": { "id": "mcp-a" } }), r#"Say: "is mcp-a live?""#),
        (
            json!({ "tool": "list_yourself", "body": { "url": "https://a.example/" } }),
            r#"Say: "list my agent at https://a.example/""#,
        ),
        (
            json!({ "tool": "get_access", "arguments": { "token": "at_x" } }),
            r#"Send: {"tool":"get_access","arguments":{"token":"at_x"}}"#,
        ),
        (
            json!({ "tool": "sense_traces", "body": { "action": "sense_traces", "listing_id": "mcp-a" } }),
            r#"Say: "which traces were left at mcp-a?""#,
        ),
        (json!({ "tool": "take_demo" }), ""),
        (json!({ "method": "GET", "url": "/x" }), ""),
    ] {
        let mut step = step;
        step["note"] = json!("Go on.");
        assert_eq!(next_step(&step).unwrap(), format!("Next: Go on. {message}").trim_end());
    }
}
