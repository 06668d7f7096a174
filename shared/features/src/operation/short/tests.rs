use serde_json::{Map, json};

use super::*;
use crate::listing::operations::MATCH_CAPABILITY;
use crate::operation::catalogue::CATALOGUE;
use crate::operation::{DETAIL, View};
use registry_model::error::Code;

#[test]
fn short_answers_contain_only_members_of_the_answer() {
    for entry in CATALOGUE {
        let schema = (entry.output_schema)();
        for path in entry.short {
            assert!(has_path(&schema, path), "{}: {path}", entry.name);
        }
    }
}

#[test]
fn paths_select_members_of_rows() {
    let answer =
        json!({ "ok": true, "hits": [{ "name": "A", "probe": { "ok": true, "at": 1 }, "x": 2 }], "y": 3 });
    assert_eq!(
        pick(answer, &["ok", "hits.name", "hits.probe.at"]),
        json!({ "ok": true, "hits": [{ "name": "A", "probe": { "at": 1 } }] })
    );
}

#[test]
fn large_answer_is_cut_to_fit() {
    let rows: Vec<Value> = (0..50).map(|n| json!({ "id": n, "text": "word ".repeat(50) })).collect();
    let answer = json!({ "ok": true, "rows": rows, "next": { "body": "x".repeat(500) } });
    let (fitted, cut) = super::fitted(answer.clone(), 4000);
    assert!(cut && fitted.to_string().len() <= 4000 && !fitted["rows"][2]["text"].is_null());
    assert_eq!(fitted["next"], answer["next"]);
    // Small rows that fit are whole, however many they are.
    for whole in [json!({ "ok": true }), json!({ "tools": vec!["x"; 150] })] {
        assert_eq!(super::fitted(whole.clone(), 4000), (whole, false));
    }
}

#[test]
fn detail_is_taken_out_of_the_arguments() {
    let read = |detail: Value| {
        let mut arguments = Map::from_iter([("q".to_owned(), json!("x")), (DETAIL.to_owned(), detail)]);
        let view = View::of_arguments(&MATCH_CAPABILITY, &mut arguments);
        assert_eq!(arguments.len(), 1);
        view.map_err(|problem| problem.field)
    };
    assert_eq!(read(json!("full")), Ok(View::Full));
    assert_eq!(read(json!("short")), Ok(View::Short));
    assert_eq!(read(json!(null)), Ok(View::Short));
    assert_eq!(read(json!("long")), Err(Some(DETAIL.to_owned())));
    assert_eq!(View::chosen(Some("long")).map_err(|problem| problem.code), Err(Code::InvalidArgument));
}

#[test]
fn markdown_contains_the_request_to_call_a_listing() {
    let before = json!({ "method": "POST", "url": "https://a.example/mcp", "headers": { "a": "b" }, "body": { "id": 0 } });
    let call = json!({ "method": "POST", "url": "https://a.example/mcp", "headers": {}, "body": { "id": 1 }, "before": [before], "note": "Fill in." });
    let row = json!({ "listing_id": "mcp-adder", "name": "Adder", "first": "mcp", "mcp": call, "ard": {} });
    assert_eq!(
        as_markdown(&json!({ "invocations": [row] })),
        "invocations:\n1. Adder (mcp-adder): before: POST https://a.example/mcp {\"a\":\"b\"} {\"id\":0}, \
         POST https://a.example/mcp {} {\"id\":1}; Fill in.\n"
    );
}

#[test]
fn markdown_has_one_line_for_each_row() {
    let hit = json!({ "listing_id": "mcp-adder", "kind": "mcp", "access": "gated", "name": "Adder\n# x", "description": "Adds.", "endpoint": "https://a.example", "name_standing": { "name": "a.example/add", "standing": "claimed", "how": {} }, "probe": { "failing_since": "2026-11-20T12:00:00Z" }, "score": 9 });
    let change = json!({ "type": "listing_live", "listing_id": "mcp-adder", "name": "Adder", "text": "Adder is Live." });
    let answer = json!({ "ok": true, "total": 1, "hits": [hit], "reasons": [{ "code": "x", "probe": { "ok": true } }], "changes": [change], "next": { "tool": "x", "arguments": {}, "note": "y" }, "query": null });
    assert_eq!(
        as_markdown(&answer),
        "total: 1\nhits:\n1. Adder # x (mcp, mcp-adder): access gated; Adds.; https://a.example; name a.example/add; standing claimed; failing since 2026-11-20T12:00:00Z\nreasons:\n1. code x; ok true\n\
         changes:\n1. type listing_live; listing_id mcp-adder; name Adder; text Adder is Live.\nnext: tool x; note y\n"
    );
}
