use serde_json::json;

use crate::economy::operations::NETWORK_VALUE;
use crate::listing::operations::{MATCH_CAPABILITY, SEARCH_ACTIVE};
use crate::operation::catalogue::CATALOGUE;
use crate::trails::operations::ENDORSE;

#[test]
fn names_contain_every_property_of_the_schema() {
    for entry in CATALOGUE {
        let (schema, names) = ((entry.input_schema)(), (entry.argument_names)());
        for name in schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys()) {
            assert!(names.is_none_or(|names| names.contains(&name.as_str())), "{}: {name}", entry.name);
        }
    }
}

#[test]
fn unknown_argument_is_refused_with_the_nearest_name() {
    let refused = |arguments: serde_json::Value| {
        let problem = MATCH_CAPABILITY.check_names(arguments.as_object().unwrap()).unwrap_err();
        (problem.code.as_str(), problem.field.unwrap(), problem.detail)
    };
    let (code, field, detail) = refused(json!({ "q": "x", "limt": 3 }));
    assert_eq!((code, field.as_str()), ("unknown_argument", "limt"));
    assert_eq!(detail, "`match_capability` has no argument `limt`. Did you mean `limit`?");
    assert!(refused(json!({ "zzz": 1 })).2.contains("Its own arguments: q, "));
    let of_none = NETWORK_VALUE.check_names(json!({ "zzz": 1 }).as_object().unwrap()).unwrap_err();
    assert_eq!(of_none.detail, "`network_value` has no argument `zzz`. It has no arguments of its own.");
    for name in ["q", "query", "need", "text"] {
        assert!(MATCH_CAPABILITY.check_names(json!({ name: "x" }).as_object().unwrap()).is_ok(), "{name}");
    }
    assert!(SEARCH_ACTIVE.check_names(json!({ "q": "weather" }).as_object().unwrap()).is_err());
    let of_next = json!({ "action": "endorse", "listing_id": "x" });
    assert!(ENDORSE.check_names(of_next.as_object().unwrap()).is_ok());
    assert!(MATCH_CAPABILITY.check_names(of_next.as_object().unwrap()).is_err());
}
