//! Signs agent cards (A2A 1.0 specification §8.4) with ES256, over the JCS form (canonical JSON) of the known
//! fields. Unknown fields are removed before signing, because official verifiers remove them too.

use super::attestation::encode_part;
use super::keys::SignKey;
use crate::prelude::*;

// Names of the fields in the 1.0 schema, separated by spaces.
const CARD_FIELDS: &str = "name description supportedInterfaces provider version documentationUrl capabilities \
    securitySchemes securityRequirements defaultInputModes defaultOutputModes skills iconUrl";
const CAPABILITY_FIELDS: &str = "streaming pushNotifications extensions extendedAgentCard";
const SKILL_FIELDS: &str = "id name description tags examples inputModes outputModes securityRequirements";
const SCHEME_FIELDS: &str = "apiKeySecurityScheme httpAuthSecurityScheme oauth2SecurityScheme \
    openIdConnectSecurityScheme mtlsSecurityScheme";

/// The card with only the fields of the 1.0 schema.
pub fn projection(card: &Value) -> Value {
    let mut projected = only(card, CARD_FIELDS);
    let mut within = |name: &str, narrow: &dyn Fn(&Value) -> Value| {
        if let Some(part) = projected.get_mut(name) {
            *part = narrow(part);
        }
    };
    within("capabilities", &|part| only(part, CAPABILITY_FIELDS));
    within("skills", &|part| {
        part.as_array().into_iter().flatten().map(|skill| only(skill, SKILL_FIELDS)).collect()
    });
    within("securitySchemes", &|part| {
        let schemes = part.as_object().into_iter().flatten();
        schemes.map(|(name, scheme)| (name.clone(), only(scheme, SCHEME_FIELDS))).collect()
    });
    projected
}

/// The card with its signature, which covers its projection.
pub async fn signed(app: &App, mut card: Value, key: &SignKey, key_set_url: &str) -> Result<Value, Problem> {
    let protected = json!({ "alg": "ES256", "jku": key_set_url, "kid": key.kid(), "typ": "JOSE" });
    let protected = encode_part(&protected)?;
    let payload = encode_part(&without_empty(projection(&card)).unwrap_or_default())?;
    let signature = key.sign(app, &format!("{protected}.{payload}")).await?;
    card["signatures"] = json!([{ "protected": protected, "signature": signature }]);
    Ok(card)
}

/// Verifiers parse the card into their own types first, where an empty text, list or object is an absent one.
fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then_some(Value::String(text)),
        Value::Array(items) => {
            let items: Vec<Value> = items.into_iter().filter_map(without_empty).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(members) => {
            let members: Map<String, Value> =
                members.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        other => Some(other),
    }
}

fn only(value: &Value, names: &str) -> Value {
    let members = value.as_object().into_iter().flatten();
    members
        .filter(|(name, _)| names.split(' ').any(|known| known == *name))
        .map(|(name, part)| (name.clone(), part.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_covers_only_fields_that_verifiers_keep() {
        let card = json!({
            "name": "A", "url": "https://a.example", "iconUrl": "",
            "capabilities": { "streaming": false, "vendor": true },
            "skills": [{ "id": "s", "x": 1, "tags": [] }],
            "securitySchemes": { "none": { "type": "http", "httpAuthSecurityScheme": { "scheme": "none" } } },
            "securityRequirements": [{}],
        });
        assert_eq!(
            without_empty(projection(&card)).unwrap(),
            json!({
                "name": "A",
                "capabilities": { "streaming": false },
                "skills": [{ "id": "s" }],
                "securitySchemes": { "none": { "httpAuthSecurityScheme": { "scheme": "none" } } },
            })
        );
    }
}
