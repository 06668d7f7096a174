//! What to do about a failed check or about lost points. The fixes are found by the stable ids of the checks
//! and of the parts of the score. The reasons of a failed handshake already contain a fix.

use registry_model::Kind;
use registry_model::protocol::MCP_NEWEST_REVISION;

pub(super) fn of_check(id: &str) -> &'static str {
    match id {
        "https" => "Serve and publish the card and the endpoint over https with a valid certificate.",
        "card_valid" => "Correct these fields. Before you publish again, check them with /api/score.",
        "interface_domain" => "Serve the card and the interface on the same registrable domain.",
        "text_sane" => "Remove these characters or this markup. A name must be one line of plain text.",
        "no_injection" => {
            "Rewrite this text. It must only describe, and give no instructions to a language \
            model."
        }
        "endpoint_unique" => {
            "Another listing already has this endpoint. Publish changes under the id of \
            that listing."
        }
        "tools_unchanged" => {
            "If you wanted to change the tools, do nothing. Otherwise restore the earlier \
            tools."
        }
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
            "To get all points, finish the whole handshake in less than 500 ms. Keep one instance warm, and \
             answer task lookups and tools/list without calling a language model."
        }
        ("protocol", Kind::Agent) => "Add an A2A 1.0 interface to supportedInterfaces.",
        ("protocol", Kind::Mcp) => {
            return format!(
                "Support revision {MCP_NEWEST_REVISION} (server/discover) in addition to the older ones."
            );
        }
        ("description", Kind::Agent) => {
            "In the card, describe in at least 80 characters what the agent does, for whom, and with what \
             result."
        }
        ("description", Kind::Mcp) => {
            "In serverInfo.description, or in the server.json that you published, describe in at least 80 \
             characters what the server does, for whom, and with what result."
        }
        ("abilities", Kind::Agent) => {
            "Describe for every skill what it does, what it returns, and when to \
            use it."
        }
        ("abilities", Kind::Mcp) => {
            "Describe for every tool what it does, what it returns, and when to use \
            it."
        }
        ("identity", Kind::Agent) => {
            "Add what is missing to the card: name, version, documentationUrl or provider.url."
        }
        ("identity", Kind::Mcp) => {
            "Add what is missing to serverInfo, or to the server.json that you published: name, version, websiteUrl."
        }
        _ => return format!("Fix this: {why}"),
    };
    fix.to_owned()
}
