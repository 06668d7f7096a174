//! The operations of the catalog as MCP tools. A client lists the toolset of its endpoint and those that it asks for. It can
//! call every operation, listed or not, by its name or an alias. The tools are built once, because no tool depends on the
//! request.

mod schema;

use crate::prelude::*;
use registry_features::operation::toolsets::{self, ABOUT_TOOLSETS, CORE, FAMILIES, LIST_TOOLSETS, Toolset};
use registry_features::{AnyOperation, CATALOGUE};

use crate::errors::RpcError;
use crate::json_rpc::raw;

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
    let mut arguments = schema::argument_schema(&(entry.input_schema)(), &example);
    if !entry.short.is_empty() {
        arguments["properties"]["detail"] = json!({
            "type": "string", "enum": ["short", "full"], "default": "short",
            "description": "`full` returns the whole answer.",
        });
    }
    // The members of other results are not worth their tokens; a model sees them when it calls the tool.
    let result = match CORE.operations().iter().any(|core| core.name == entry.name) {
        true => schema::result_schema(&(entry.output_schema)(), entry.short),
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
mod tests;
