//! The operations of the catalog as MCP tools. A client lists the toolset of its endpoint and those that it asks for. It can
//! call every operation, listed or not, by its name or an alias. The tools are built once, because no tool depends on the
//! request.

mod schema;

use crate::prelude::*;
use registry_features::operation::toolsets::{self, ABOUT_TOOLSETS, CORE, FAMILIES, LIST_TOOLSETS, Toolset};
use registry_features::{AnyOperation, CATALOGUE};

use crate::errors::RpcError;
use crate::json_rpc::raw;
use crate::rest::Parameters;

/// The parameter of the URL that adds toolsets.
const PARAMETER: &str = "toolsets";

const HEADER: &str = "x-mcp-toolsets";

/// All families, except that of the operator.
const ALL: &str = "all";

static TOOLS: LazyLock<HashMap<&'static str, Arc<RawValue>>> =
    LazyLock::new(|| CATALOGUE.iter().map(|entry| (entry.name, raw(&tool(entry)))).collect());

static TOOL_OF_TOOLSETS: LazyLock<Arc<RawValue>> = LazyLock::new(|| {
    raw(&json!({
        "name": LIST_TOOLSETS,
        "title": "More tools",
        "description": ABOUT_TOOLSETS,
        "inputSchema": { "type": "object", "properties": {} },
        "annotations": { "title": "More tools", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
            "openWorldHint": false },
    }))
});

/// A tool (MCP 2026-07-28, server/tools, "Data Types"). Clients of older revisions ignore the members they do not know.
fn tool(entry: &AnyOperation) -> Value {
    let example: Value = serde_json::from_str(entry.example).unwrap_or_default();
    let mut arguments = schema::of_arguments(&(entry.input_schema)(), &example);
    if !entry.short.is_empty() {
        arguments["properties"]["detail"] = json!({
            "type": "string", "enum": ["short", "full"], "default": "short",
            "description": "`full` returns the whole answer.",
        });
    }
    // The members of other results are not worth their tokens; a model sees them when it calls the tool.
    let result = match CORE.operations().iter().any(|core| core.name == entry.name) {
        true => schema::of_result(&(entry.output_schema)(), entry.short),
        false => json!({ "type": "object" }),
    };
    json!({
        "name": entry.name,
        "title": entry.title,
        "description": entry.description,
        "inputSchema": arguments,
        "outputSchema": result,
        "annotations": {
            "readOnlyHint": entry.effect.read_only && !entry.routes.iter().any(|route| route.acts),
            "destructiveHint": entry.effect.destructive,
            "idempotentHint": entry.effect.idempotent,
            "openWorldHint": entry.effect.open_world,
        },
    })
}

/// The tools that a request lists.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    operations: Vec<&'static AnyOperation>,
    /// Whether the list depends on who asks.
    pub(super) is_operator: bool,
}

impl Selection {
    /// The toolset of an endpoint, and those that the URL or the header names. Only the operator lists the tools of the
    /// operator.
    ///
    /// # Errors
    /// -32602: there is no toolset of this name.
    pub(super) fn read(
        endpoint: &Toolset,
        query: &Parameters,
        headers: &HeaderMap,
        is_operator: bool,
    ) -> Result<Self, RpcError> {
        let by_url = query.iter().filter(|(name, _)| *name == PARAMETER).map(|(_, value)| value);
        let by_header = headers.get_all(HEADER).iter().filter_map(|value| value.to_str().ok());
        let mut operations = endpoint.operations();
        for list in by_url.chain(by_header) {
            for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                operations.extend(operations_of(name, is_operator)?);
            }
        }
        let mut names = HashSet::new();
        operations.retain(|entry| names.insert(entry.name));
        Ok(Self { operations, is_operator })
    }

    pub(super) fn tools(&self) -> Vec<&'static RawValue> {
        let of_operations = self.operations.iter().filter_map(|entry| TOOLS.get(entry.name));
        of_operations.chain([&*TOOL_OF_TOOLSETS]).map(|tool| &**tool).collect()
    }

    pub(super) fn names(&self) -> Vec<&'static str> {
        self.operations.iter().map(|entry| entry.name).chain([LIST_TOOLSETS]).collect()
    }
}

fn operations_of(name: &str, is_operator: bool) -> Result<Vec<&'static AnyOperation>, RpcError> {
    let is_listed = |toolset: &&Toolset| is_operator || !toolset.is_for_operators();
    if name == ALL {
        return Ok(FAMILIES.iter().filter(is_listed).flat_map(Toolset::operations).collect());
    }
    match toolsets::toolset(name).filter(is_listed) {
        Some(toolset) => Ok(toolset.operations()),
        None => {
            let known: Vec<&str> = FAMILIES.iter().filter(is_listed).map(|family| family.name).collect();
            let message =
                format!("Unknown toolset: {}. Known: {}, {ALL}.", shorten(name, 40), known.join(", "));
            Err(RpcError::params(message).with_status(StatusCode::BAD_REQUEST))
        }
    }
}

pub(super) fn list_toolsets(endpoint: &str) -> Value {
    let listed = FAMILIES.iter().filter(|family| !family.is_for_operators());
    let toolsets = listed.map(|family| {
        let tools: Vec<&str> = family.operations().iter().map(|entry| entry.name).collect();
        json!({ "name": family.name, "about": family.about, "tools": tools })
    });
    json!({
        "ok": true,
        "toolsets": toolsets.collect::<Vec<_>>(),
        "note": format!("To list the tools of a toolset, connect to {endpoint}?{PARAMETER}=<name>,<name> or send the header \
            {HEADER}. `{ALL}` adds all of them. You can also call a tool by its name without listing it."),
    })
}

#[cfg(test)]
mod tests {
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
        let headers =
            HeaderMap::from_iter([(http::HeaderName::from_static(HEADER), "economy".parse().unwrap())]);
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
}
