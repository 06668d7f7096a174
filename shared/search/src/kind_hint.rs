//! Detects whether a query asks for an agent or for an MCP server, as in "an agent that plans trips" or
//! "postgres mcp". It uses patterns and not single words: "memory for agents" does not ask for an agent.

use std::sync::LazyLock;

use regex::Regex;

use super::words::words;
use registry_model::Kind;

const KIND_WORDS: &str = "(agents?|assistants?|mcp servers?|mcps?|servers?)";

/// "find me an agent that", "I need a weather server for"; no more than two words before the kind.
static KIND_AT_START: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let asking = "(?:(?:i|we) (?:need|want|am looking for|m looking for)|\
        (?:please )?(?:find|get|give|show|recommend|suggest)(?: me)?|looking for|is there)?";
    let article = r"\s*(?:an?|any|some|the best|the|best)?\s*";
    let before = r"((?:\w+ ){0,2}?)";
    let after = r"\b(?: (?:to|for|that|which|who|with|of|can|about|on|in)\b|$)";
    Regex::new(&format!("^{asking}{article}{before}{KIND_WORDS}{after}")).ok()
});

/// "postgres mcp server".
static KIND_AT_END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!(r"\b{KIND_WORDS}$")).ok());

/// "talk to another agent", "our agents".
static OTHER_AGENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:another|other|multi|multiple|my|our|your|between|user|agent to) (?:ai )?agents?\b").ok()
});

/// "memory for AI agents", "a platform to build agents".
static FOR_AGENTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(?:for|to|of|with|by|from|between|across|among|hire|build|deploy|monitor) (?:\w+ )?(?:agents?|assistants?|servers?)$",
    )
    .ok()
});

/// If one of these is between the article and the kind, the kind belongs to another noun.
const PREPOSITIONS: [&str; 12] =
    ["for", "to", "of", "with", "by", "from", "between", "across", "in", "on", "and", "or"];

pub(super) fn of(query: &str) -> Option<Kind> {
    let text = words(query).join(" ");
    let matches = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|p| p.is_match(&text));
    if matches(&OTHER_AGENTS) {
        return None;
    }
    let at_start = KIND_AT_START.as_ref().and_then(|pattern| {
        let found = pattern.captures(&text)?;
        let interrupted = found.get(1)?.as_str().split(' ').any(|word| PREPOSITIONS.contains(&word));
        if interrupted { None } else { found.get(2) }
    });
    let at_end =
        || KIND_AT_END.as_ref().filter(|_| !matches(&FOR_AGENTS)).and_then(|p| p.captures(&text)?.get(1));
    let what = at_start.or_else(at_end)?.as_str();
    Some(if what.starts_with('a') { Kind::Agent } else { Kind::Mcp })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_of_listing_is_detected_in_queries() {
        let examples = [
            ("find me an agent that plans trips", Some(Kind::Agent)),
            ("I need a travel booking agent for families", Some(Kind::Agent)),
            ("postgres mcp server", Some(Kind::Mcp)),
            ("an MCP server for GitHub issues", Some(Kind::Mcp)),
            ("memory for AI agents", None),
            ("a platform to build agents", None),
            ("send messages to another agent", None),
            ("weather forecast", None),
            ("", None),
        ];
        for (query, kind) in examples {
            assert_eq!(of(query), kind, "{query}");
        }
    }
}
