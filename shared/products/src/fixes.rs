//! What to do about a failed check or about lost points, by the stable ids of checks and parts of the score.
//! Reasons of a failed handshake contain their own fix.

use registry_model::Kind;
use registry_model::protocol::MCP_NEWEST_REVISION;

pub(super) fn of_check(id: &str) -> &'static str {
    match id {
        "https" => "Serve and publish the card and the endpoint over https with a valid certificate.",
        "card_valid" => "Correct these fields; /api/score checks them before you publish again.",
        "interface_domain" => "Serve the card and the interface on the same registrable domain.",
        "text_sane" => "Remove these characters or this markup; names must be one line of plain text.",
        "no_injection" => "Rewrite this text: describe only, give no instructions to the reader's model.",
        "endpoint_unique" => "Publish changes under the id that already has this endpoint.",
        "tools_unchanged" => "If you meant to change the tools, do nothing; else restore the earlier tools.",
        _ => "See the detail of this check in the listing's status.",
    }
}

pub(super) fn of_part(id: &str, kind: Kind, why: &str) -> String {
    let fix = match (id, kind) {
        ("handshake", Kind::Agent) => {
            "Answer GetTask (0.3: tasks/get) of an unknown id with \"task not found\"."
        }
        ("handshake", Kind::Mcp) => "Answer server/discover or initialize, then tools/list, without sign-in.",
        ("answers", Kind::Agent) => "Answer a plain text message with a message or a task in any state.",
        ("answers", Kind::Mcp) => "List at least one tool in tools/list without credentials.",
        ("latency", _) => {
            "Finish the whole handshake in under 500 ms for all points: keep one instance warm, and answer task lookups and tools/list without calling a model."
        }
        ("protocol", Kind::Agent) => "Add an A2A 1.0 interface to supportedInterfaces.",
        ("protocol", Kind::Mcp) => {
            return format!(
                "Support revision {MCP_NEWEST_REVISION} (server/discover) in addition to the older ones."
            );
        }
        ("description", Kind::Agent) => {
            "Describe in its card, in at least 80 characters: what it does, for whom, with what result."
        }
        ("description", Kind::Mcp) => {
            "Describe in serverInfo.description, in at least 80 characters: what it does, for whom, with what result."
        }
        ("abilities", Kind::Agent) => "Describe every skill: what it does, its result, when to use it.",
        ("abilities", Kind::Mcp) => "Describe every tool: what it does, its result, when to use it.",
        ("identity", Kind::Agent) => {
            "Add what is missing to the card: name, version, documentationUrl or provider.url."
        }
        ("identity", Kind::Mcp) => "Add what is missing to serverInfo: name, version, websiteUrl.",
        _ => return format!("Fix this: {why}"),
    };
    fix.to_owned()
}
