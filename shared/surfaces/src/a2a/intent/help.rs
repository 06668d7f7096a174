//! The help of the registry: every operation with an example, and the answers to what people ask most about a registry.

use serde_json::{Value, json};

use crate::a2a::intent::suggestion::example;
use crate::a2a::intent::topics;
use registry_features::funnel::operations::GET_FOUNDING_DEAL;
use registry_features::interop::operations::INTEROP_RESOLVE;
use registry_features::listing::operations::{CHECK_STATUS, MATCH_CAPABILITY, SEARCH_ACTIVE};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::SCORE;
use registry_features::{AnyOperation, CATALOGUE};
use registry_model::counted;
use registry_settings::Settings;

pub(super) fn names() -> Value {
    CATALOGUE.iter().map(|entry| entry.name).collect()
}

/// Every operation as data, with an example in words and as a call. The agent card describes them.
pub fn operations() -> Value {
    let summary = |entry: &AnyOperation| {
        json!({
            "operation": entry.name,
            "title": entry.title,
            "say": example(entry, None),
            // As text, because A2A requires camel case for every member name, and these names are snake case.
            "data": format!("{{\"operation\": \"{}\", \"arguments\": {}}}", entry.name, entry.example),
        })
    };
    CATALOGUE.iter().copied().map(summary).collect()
}

/// A short help with examples, and the answers to what people ask most about a registry.
pub fn text(settings: &Settings) -> String {
    let examples = [
        &MATCH_CAPABILITY,
        &SEARCH_ACTIVE,
        &LIST_YOURSELF,
        &SCORE,
        &CHECK_STATUS,
        &INTEROP_RESOLVE,
        &GET_FOUNDING_DEAL,
    ];
    let lines = examples.map(|entry| format!("\n- {}", example(entry, None))).concat();
    format!(
        "This is {}, a registry of agents and MCP servers that answered a real handshake. A program answers here; it \
         only knows the registry, and works best in English.\n\
         Listing and searching are free, without an account or key; {}. To publish, send a URL: it is usually \
         probed within seconds, and a Live listing again within {}. A short outage does not end Live. A probe calls no \
         tool. Gated means: callers sign in. The owner can rename or withdraw a listing, with a signature. Several \
         listings can have one name.\n\
         A conversation is stored for 24 hours, your address only as a digest; an e-mail address is never shown. Contact and \
         privacy: {}\n\
         Examples:{lines}\nThe method `help` describes all {} operations. \
         You can also send a data part {{\"operation\": …, \"arguments\": {{…}}}}; `next` in an answer can be such a call.",
        settings.brand,
        topics::limits(settings),
        counted(settings.recheck_days, "day"),
        settings.url("/privacy"),
        CATALOGUE.len()
    )
}

#[cfg(test)]
mod tests {
    use registry_settings::Mode;

    use super::*;

    #[test]
    fn help_is_short() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        let text = text(&settings);
        assert!(text.len() < 1500);
        assert!(text.contains("may send 20 requests per second and publish 60 listings an hour"), "{text}");
    }
}
