//! `evaluation.jsonl`: one call in each line, and what is expected. A case calls a tool only if the tool is declared
//! read-only, because the cases run against the real endpoint.

use super::arguments;
use crate::prelude::*;

pub(super) const PATH: &str = "evaluation.jsonl";

const MAX_TOOLS: usize = 20;

pub(super) fn file(profile: &Profile, abilities: &[Ability]) -> File {
    let name = about::plain_name(profile);
    let cases = match profile.kind {
        Kind::Agent => vec![
            json!({ "case": format!("{name} says what it can do"), "message": "What can you do?", "expect": "answer" }),
        ],
        Kind::Mcp => cases_of_server(&name, abilities),
    };
    File::json_lines(PATH, &cases)
}

fn cases_of_server(name: &str, abilities: &[Ability]) -> Vec<Value> {
    let call = |case: String, tool: &str, arguments: Value, expect: &str| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "case": case, "method": "tools/call", "params": params, "expect": expect })
    };
    let names: Vec<&str> = abilities.iter().take(MAX_ROWS).map(|ability| ability.id.as_str()).collect();
    let mut cases = vec![
        json!({ "case": format!("{name} offers at least these tools"), "method": "tools/list", "params": {},
            "expect": { "tools": names } }),
        call(format!("{name} rejects an unknown tool"), "no_such_tool_of_this_server", json!({}), "error"),
    ];
    // A server that requires a sign-in has tools that are not known.
    cases.retain(|case| !names.is_empty() || case["method"] != "tools/list");
    let called = abilities.iter().filter(|ability| ability.is_free() && ability.has_schema);
    for Ability { id, arguments: of_tool, .. } in called.take(MAX_TOOLS) {
        if let Some(values) = arguments::from_schema(of_tool) {
            cases.push(call(format!("{id} returns a result"), id, json!(values), "result"));
        }
        if of_tool.iter().any(|argument| argument.required) {
            let case = format!("{id} rejects a call without its required arguments");
            cases.push(call(case, id, json!({}), "error"));
        }
    }
    cases
}
