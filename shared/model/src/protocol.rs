//! Constants of the protocols: paths, media types, schema URLs, and versions. Documents, endpoints, and
//! probes use the same constants.

/// The revision of MCP without sessions and handshakes, which is preferred here.
pub const MCP_NEWEST_REVISION: &str = "2026-07-28";

/// The MCP revisions that the endpoint supports, the newest first (`specification.md#mcp-endpoint`).
pub const MCP_REVISIONS: [&str; 4] = [MCP_NEWEST_REVISION, "2025-11-25", "2025-06-18", "2025-03-26"];

/// The path of the endpoint (`specification.md#mcp-endpoint`).
pub const MCP_ENDPOINT: &str = "/api/protocol";

/// The same endpoint at the path where MCP clients look for one; `/server-card` below it is reserved for the card.
pub const MCP_SHORT_ENDPOINT: &str = "/mcp";

/// The schema of server descriptions (`server.json`) that the official registry accepts.
pub const SERVER_DESCRIPTION_SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The media type of the official card (SEP-2127).
pub const SERVER_CARD_MEDIA_TYPE: &str = "application/mcp-server-card+json";

/// The base of the ARD API, relative to the registry; announced in the catalogue (ARD §7).
pub const ARD_BASE: &str = "/api/ard/";

pub const AGENT_CARD_MEDIA_TYPE: &str = "application/a2a-agent-card+json";

/// The media type of a registry's search base (ARD §7).
pub const REGISTRY_MEDIA_TYPE: &str = "application/ai-registry+json";

/// The A2A versions that the endpoint announces, the newest first; older requests are understood, too.
pub const A2A_VERSIONS: [&str; 3] = ["1.0", "0.3", "0.2"];

/// The list of servers in the API of the official MCP registry.
pub const MCP_REGISTRY: &str = "/v0.1/servers";

/// The maximum bytes of a URL that is fetched (`specification.md#guarded-fetcher`), published or stored.
pub const MAX_URL_BYTES: usize = 2048;

/// The maximum characters of the name of a tool (MCP, server/tools, tool names).
pub const MAX_TOOL_NAME_CHARS: usize = 128;
