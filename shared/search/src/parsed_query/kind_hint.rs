//! Detects whether a query asks for an agent or for an MCP server, as in "an agent that plans trips" or "postgres mcp". In
//! "memory for AI agents" and "my agent needs it", the word belongs to something else.

use crate::words::words;
use registry_model::Kind;

/// Before a word for a kind, or before one other word: what is sought is not of this kind.
const BEFORE_OTHERS: &str = "for to of with by from between across among in on and or hire build deploy monitor another other \
    multi multiple my our your their his her user";

pub(super) fn detect(query: &str) -> Option<Kind> {
    let words = words(query);
    let is_other = |at: &usize| {
        let before = &words[at.saturating_sub(2)..*at];
        before.iter().any(|word| BEFORE_OTHERS.split(' ').any(|other| other == word))
    };
    let kinds = words.iter().enumerate().filter_map(|(at, word)| match word.as_str() {
        "agent" | "agents" | "assistant" | "assistants" => Some((at, Kind::Agent)),
        "mcp" | "mcps" | "server" | "servers" => Some((at, Kind::Mcp)),
        _ => None,
    });
    kinds.filter(|(at, _)| !is_other(at)).map(|(_, kind)| kind).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_of_listing_is_detected_in_queries() {
        let examples = [
            ("find me an agent that plans trips", Some(Kind::Agent)),
            ("I need a travel booking agent for families", Some(Kind::Agent)),
            ("a weather server, my agent needs it", Some(Kind::Mcp)),
            ("postgres mcp server", Some(Kind::Mcp)),
            ("an MCP server for GitHub issues", Some(Kind::Mcp)),
            ("memory for AI agents", None),
            ("a platform to build agents", None),
            ("send messages to another agent", None),
            ("weather forecast", None),
        ];
        for (query, kind) in examples {
            assert_eq!(detect(query), kind, "{query}");
        }
    }
}
