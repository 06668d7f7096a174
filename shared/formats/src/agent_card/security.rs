//! Decides from the card whether an agent accepts requests without credentials. The card lists alternatives
//! for the security requirements. If one of these alternatives is empty, no credentials are needed.

use serde_json::{Map, Value};

/// Whether every alternative that the card declares needs credentials
/// (`securityRequirements` of 1.0, `security` of 0.3, `authentication` of 0.2).
pub(super) fn required(card: &Map<String, Value>) -> bool {
    let alternatives = ["securityRequirements", "security"]
        .into_iter()
        .filter_map(|field| card.get(field).and_then(Value::as_array))
        .find(|alternatives| !alternatives.is_empty());
    match alternatives {
        Some(alternatives) => alternatives.iter().all(|alternative| needs_credentials(alternative, card)),
        None => authentication(card),
    }
}

/// Whether one alternative names a scheme that needs credentials.
fn needs_credentials(alternative: &Value, card: &Map<String, Value>) -> bool {
    let schemes = alternative.get("schemes").unwrap_or(alternative).as_object();
    schemes.is_some_and(|schemes| schemes.keys().any(|name| !asks_for_nothing(name, card)))
}

/// Whether a scheme is `none`, by its name or by its declaration.
fn asks_for_nothing(name: &str, card: &Map<String, Value>) -> bool {
    let declared = card.get("securitySchemes").and_then(|schemes| schemes.get(name));
    let scheme = declared.and_then(|declared| {
        declared.get("scheme").or_else(|| declared.get("httpAuthSecurityScheme")?.get("scheme"))
    });
    is_none(name) || scheme.and_then(Value::as_str).is_some_and(is_none)
}

/// 0.2: `{"schemes": ["Bearer"]}`.
fn authentication(card: &Map<String, Value>) -> bool {
    let schemes = card.get("authentication").and_then(|authentication| authentication.get("schemes"));
    let names: Vec<&str> =
        schemes.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    !names.is_empty() && !names.into_iter().any(is_none)
}

/// The words in cards for "no credentials".
fn is_none(name: &str) -> bool {
    ["none", "public", "anonymous"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests;
