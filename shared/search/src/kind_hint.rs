//! Whether a query asks for an agent or for an MCP server: "an agent that plans trips", "postgres mcp". By patterns
//! rather than by words, because "memory for agents" does not ask for an agent.

use std::sync::LazyLock;

use regex::Regex;

use super::words::words;
use registry_model::Kind;

const WHAT: &str = "(agents?|assistants?|mcp servers?|mcps?|servers?)";

/// "find me an agent that", "I need a weather server for"; no more than two words before the kind.
static AT_THE_HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let asking = "(?:(?:i|we) (?:need|want|am looking for|m looking for)|\
        (?:please )?(?:find|get|give|show|recommend|suggest)(?: me)?|looking for|is there)?";
    let article = r"\s*(?:an?|any|some|the best|the|best)?\s*";
    let before = r"((?:\w+ ){0,2}?)";
    let after = r"\b(?: (?:to|for|that|which|who|with|of|can|about|on|in)\b|$)";
    Regex::new(&format!("^{asking}{article}{before}{WHAT}{after}")).ok()
});

/// "postgres mcp server".
static AT_THE_END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!(r"\b{WHAT}$")).ok());

/// "talk to another agent", "our agents".
static SOMEBODY_ELSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:another|other|multi|multiple|my|our|your|between|user|agent to) (?:ai )?agents?\b").ok()
});

/// "memory for AI agents", "a platform to build agents".
static FOR_THEM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(?:for|to|of|with|by|from|between|across|among|hire|build|deploy|monitor) (?:\w+ )?(?:agents?|assistants?|servers?)$",
    )
    .ok()
});

/// Words that cannot come between an article and the kind: the kind then belongs to another noun.
const BREAKS: [&str; 12] =
    ["for", "to", "of", "with", "by", "from", "between", "across", "in", "on", "and", "or"];

pub(super) fn of(query: &str) -> Option<Kind> {
    let text = words(query).join(" ");
    let says = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|p| p.is_match(&text));
    if says(&SOMEBODY_ELSE) {
        return None;
    }
    let at_the_head = AT_THE_HEAD.as_ref().and_then(|pattern| {
        let found = pattern.captures(&text)?;
        let broken = found.get(1)?.as_str().split(' ').any(|word| BREAKS.contains(&word));
        if broken { None } else { found.get(2) }
    });
    let at_the_end =
        || AT_THE_END.as_ref().filter(|_| !says(&FOR_THEM)).and_then(|p| p.captures(&text)?.get(1));
    let what = at_the_head.or_else(at_the_end)?.as_str();
    Some(if what.starts_with('a') { Kind::Agent } else { Kind::Mcp })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_may_ask_for_a_kind() {
        let asked = [
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
        for (query, kind) in asked {
            assert_eq!(of(query), kind, "{query}");
        }
    }
}
