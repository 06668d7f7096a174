use super::*;

fn seen(tools: &[Value]) -> ObservedServer {
    let mut list = ToolList::default();
    tools.iter().for_each(|tool| list.take(tool.clone(), Era::Legacy));
    list.finish().1
}

#[test]
fn definitions_over_the_limits_are_stored_as_hashes() {
    assert_eq!(tools_hash(&none().set), registry_model::NO_TOOLS);
    let tool = |name: &str, bytes: usize| json!({"name": name, "description": "x".repeat(bytes)});
    let stored = |seen: &ObservedServer| seen.tools.iter().filter(|tool| tool.definition.is_some()).count();
    let one = seen(&[tool("a", MAX_DEFINITION_BYTES), tool("b", 10)]);
    assert_eq!((one.tools.len(), stored(&one)), (2, 1));
    let many: Vec<Value> = (0..30).map(|n| tool(&format!("t{n:02}"), 20_000)).collect();
    let many = seen(&many);
    assert_eq!((many.tools.len(), stored(&many), many.unlisted), (30, 19, 0));
    let names: Vec<Value> = (0..MAX_TOOLS_READ).map(|n| tool(&format!("{n:0128}"), 1)).collect();
    let names = seen(&names);
    assert!(names.unlisted > 0 && names.tools.len() + names.unlisted as usize == MAX_TOOLS_READ);
    assert!(names.tools.len() > 1000 && names.set.len() == 64);
    assert_eq!(stored(&names), MAX_DEFINITIONS_BYTES / MIN_DEFINITION_BYTES);
}

#[test]
fn warnings_about_tools_that_are_left_out_are_limited() {
    let mut list = ToolList::default();
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "a b"}}});
    for number in 0..30 {
        list.take(json!({"name": format!("t{number}"), "inputSchema": schema}), Era::Modern);
    }
    assert_eq!((list.read, list.left_out.len(), list.kept.len()), (30, MAX_LEFT_OUT, 0));
}

fn kept(tool: Value) -> Tool {
    let mut list = ToolList::default();
    list.take(tool, Era::Legacy);
    list.kept.remove(0)
}

#[test]
fn tool_is_stored_with_its_parameters_and_hints() {
    let tool = kept(json!({
        "name": "query", "annotations": {"readOnlyHint": false, "destructiveHint": true},
        "inputSchema": {"type": "object", "required": ["sql", "limit"], "properties": {
            "format": {"enum": ["csv"]}, "tags": {"type": ["array", "null"]},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "sql": {"type": "string"},
            "either": {"type": ["string", "number"]}, "x".repeat(65): {"type": "string"},
        }},
    }));
    let shown: Vec<_> =
        tool.parameters.iter().map(|one| (one.name.as_str(), one.value.as_str(), one.required)).collect();
    let wanted = [
        ("limit", "integer", true),
        ("sql", "string", true),
        ("format", "any", false),
        ("tags", "array", false),
        ("either", "any", false),
    ];
    assert_eq!(shown, wanted);
    assert_eq!((tool.read_only, tool.destructive), (Some(false), Some(true)));
    let plain =
        kept(json!({"name": "a", "annotations": {"readOnlyHint": "yes"}, "inputSchema": {"properties": 1}}));
    assert_eq!(plain, Tool { name: "a".to_owned(), ..Tool::default() });
}

#[test]
fn required_parameters_are_kept_before_others_over_the_limit() {
    let mut properties: serde_json::Map<_, _> =
        (0..MAX_PARAMETERS).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    properties.insert("last".to_owned(), json!({"type": "boolean"}));
    let tool = kept(json!({"name": "a", "inputSchema": {"properties": properties, "required": ["last"]}}));
    assert_eq!((tool.parameters.len(), tool.parameters[0].name.as_str()), (MAX_PARAMETERS, "last"));
}

#[test]
fn tools_over_the_limit_are_not_read() {
    let mut list = ToolList::default();
    let page = |tools: usize| json!({"tools": vec![0; tools], "nextCursor": "on"});
    assert!(matches!(list.take_page(&mut page(MAX_TOOLS_READ - 1), Era::Legacy), Page::Read { .. }));
    assert!(matches!(list.take_page(&mut page(2), Era::Legacy), Page::TooMany));
    assert_eq!((list.read, list.kept.len()), (MAX_TOOLS_READ, 0));
}
