//! The catalog of operations as MCP tools, in the same order. Each operation is a tool, and each alias of an
//! operation is one more tool. The tools are built once, because no tool depends on the request.

mod schema;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use registry::operations::{AnyOperation, CATALOGUE};
use serde_json::{Map, Value, json};

use crate::reply::RpcError;

pub(crate) const PAGE_SIZE: usize = 100;

pub(crate) static TOOLS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let with_aliases = CATALOGUE.iter().flat_map(|entry| {
        let primary = std::iter::once((entry.name, entry.description.to_owned()));
        let aliases = entry
            .aliases
            .iter()
            .map(|alias| (*alias, format!("{} (Alias of `{}`.)", entry.description, entry.name)));
        primary.chain(aliases).map(|(name, description)| tool(entry, name, &description))
    });
    with_aliases.collect()
});

pub(crate) fn names() -> Vec<&'static str> {
    TOOLS.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

/// A tool (MCP 2026-07-28, server/tools, "Data Types"). Clients of older revisions ignore the members they do not know.
fn tool(entry: &AnyOperation, name: &str, description: &str) -> Value {
    json!({
        "name": name,
        "title": entry.title,
        "description": description,
        "inputSchema": schema::of_arguments((entry.input_schema)()),
        "outputSchema": schema::of_result((entry.output_schema)()),
        "annotations": {
            "title": entry.title,
            "readOnlyHint": entry.effect.read_only,
            "destructiveHint": false,
            "idempotentHint": entry.effect.idempotent,
            "openWorldHint": entry.effect.open_world,
        },
    })
}

#[derive(Debug, PartialEq)]
pub(crate) struct Page<'a> {
    pub(crate) tools: &'a [Value],
    pub(crate) next: Option<String>,
}

/// All pages of a list. A cursor names the last tool of the previous page, so it stays valid when the list grows.
pub(crate) fn pages(tools: &[Value], size: usize) -> Vec<Page<'_>> {
    let mut pages: Vec<Page<'_>> = tools.chunks(size).map(|tools| Page { tools, next: None }).collect();
    let last = pages.len().saturating_sub(1);
    for page in &mut pages[..last] {
        page.next = page.tools.last().and_then(|tool| tool["name"].as_str()).map(cursor_after);
    }
    pages
}

fn cursor_after(name: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("after:{name}"))
}

/// The cursor of a `tools/list` request. The empty string is valid (MCP 2026-07-28, pagination) and means the first
/// page.
pub(crate) fn cursor(params: &Map<String, Value>) -> Result<Option<&str>, RpcError> {
    match params.get("cursor") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(cursor)) => Ok(Some(cursor.as_str()).filter(|cursor| !cursor.is_empty())),
        Some(_) => {
            Err(RpcError::params("`params.cursor` must be a string: the nextCursor of an earlier page."))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_operation_name_and_alias_is_a_tool_name() {
        let mut seen = HashSet::new();
        for (entry, name) in
            CATALOGUE.iter().flat_map(|e| std::iter::once(&e.name).chain(e.aliases).map(move |n| (e, n)))
        {
            let tool = TOOLS.iter().find(|tool| tool["name"] == **name).unwrap();
            assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
            assert!(tool["description"].as_str().unwrap().starts_with(entry.description));
            assert_eq!(tool["annotations"]["readOnlyHint"], entry.effect.read_only);
            let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            assert!((1..=64).contains(&name.len()) && name.chars().all(plain), "{name}");
            assert!(seen.insert(name), "{name} twice");
        }
        assert_eq!(seen.len(), TOOLS.len());
    }

    #[test]
    fn pages_contain_every_tool_once_and_in_order() {
        for size in [1, 3, 50] {
            let pages = pages(&TOOLS, size);
            let all: Vec<&Value> = pages.iter().flat_map(|page| page.tools).collect();
            assert_eq!(all, TOOLS.iter().collect::<Vec<_>>());
            let (last, others) = pages.split_last().unwrap();
            assert_eq!(last.next, None);
            let cursors: HashSet<&String> = others.iter().map(|page| page.next.as_ref().unwrap()).collect();
            assert_eq!(cursors.len(), others.len(), "duplicate cursor");
        }
    }

    #[test]
    fn cursor_is_a_string_or_absent() {
        let read = |value: Value| {
            let params = Map::from_iter([("cursor".to_owned(), value)]);
            cursor(&params).map(|cursor| cursor.map(str::to_owned)).map_err(|error| error.code)
        };
        assert_eq!(read(json!("")), Ok(None));
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!("x")), Ok(Some("x".to_owned())));
        assert_eq!(read(json!(7)), Err(-32602));
    }
}
