//! What to do about a failed check or a part of the score that lacks points. Reasons of a handshake bring their own cure;
//! these have none where they are found, so it stands here, by their stable names.

use registry_model::Kind;
use registry_model::protocol::MCP_NEWEST_REVISION;

pub(super) fn of_check(id: &str) -> &'static str {
    match id {
        "https" => {
            "Serve the card and the endpoint over https with a valid certificate, and publish those URLs."
        }
        "card_valid" => {
            "Correct the fields named; /api/score shows the same findings before you publish again."
        }
        "interface_domain" => {
            "Serve the interface on the card's own registrable domain, or the card on the interface's."
        }
        "text_sane" => {
            "Take the characters or markup named out of the text: plain text on one line for names."
        }
        "no_injection" => {
            "Rewrite the text named so that it describes, and addresses no instruction to the reader's model."
        }
        "endpoint_unique" => {
            "Keep one listing for this endpoint: publish changes under the id that holds it already."
        }
        "tools_unchanged" => {
            "If the change of tools was meant, nothing; else roll the server back to the tools it had."
        }
        _ => "See the detail of this check in the listing's status.",
    }
}

pub(super) fn of_part(id: &str, kind: Kind, why: &str) -> String {
    let fix = match (id, kind) {
        ("handshake", Kind::Agent) => {
            "Answer GetTask (0.3: tasks/get) of an unknown id with \"task not found\"."
        }
        ("handshake", Kind::Mcp) => {
            "Answer server/discover or initialize, then tools/list, to anonymous callers."
        }
        ("answers", Kind::Agent) => "Answer a plain text message with a message or a task in any state.",
        ("answers", Kind::Mcp) => "List at least one tool in tools/list without credentials.",
        ("latency", _) => {
            "Bring the whole handshake under 500 ms for all points: keep one instance warm, answer task lookups and tools/list without calling a model."
        }
        ("protocol", Kind::Agent) => {
            "Offer an A2A 1.0 interface beside the older one, and name it in supportedInterfaces."
        }
        ("protocol", Kind::Mcp) => {
            return format!("Speak revision {MCP_NEWEST_REVISION} (server/discover) beside the older ones.");
        }
        ("description", Kind::Agent) => {
            "Describe it in its card in at least 80 characters: what it does, for whom, with what result."
        }
        ("description", Kind::Mcp) => {
            "Describe it in serverInfo.description in at least 80 characters: what it does, for whom, with what result."
        }
        ("abilities", Kind::Agent) => "Describe every skill: what it does, what it answers, when to use it.",
        ("abilities", Kind::Mcp) => "Describe every tool: what it does, what it returns, when to use it.",
        ("identity", Kind::Agent) => {
            "Give in the card what is missing: name, version, documentationUrl or provider.url."
        }
        ("identity", Kind::Mcp) => {
            "Give in the server's own info what is missing: name, version, websiteUrl."
        }
        _ => "Mend what is seen",
    };
    if fix == "Mend what is seen" { format!("{fix}: {why}") } else { fix.to_owned() }
}
