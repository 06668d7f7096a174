//! The endpoint of a family: one path for several operations. The field `action` of the body selects the operation
//! (`specification.md#family-endpoints`). The other fields of the body are the arguments of the operation.

use crate::prelude::*;
use registry_features::{Action, AnyOperation, RawArguments};

type Member = (Action, &'static AnyOperation);

pub(super) fn of_body(
    members: &[Member],
    mut body: Value,
) -> Result<(&'static AnyOperation, RawArguments), Problem> {
    let named = body.as_object_mut().and_then(|members| members.remove("action"));
    match named {
        Some(Value::String(action)) => {
            let Some((_, operation)) = members.iter().find(|(known, _)| known.name == action) else {
                return Err(unknown(members, &format!("Unknown action `{}`.", shorten(&action, 60))));
            };
            if operation.takes_action {
                body["action"] = Value::String(action);
            }
            Ok((operation, RawArguments::Json(body)))
        }
        _ if !body.is_object() => Err(Problem::malformed("The body must be a JSON object.")),
        _ => Err(unknown(members, "`action` is required, as a string.")),
    }
}

fn unknown(members: &[Member], what: &str) -> Problem {
    let names: Vec<&str> = members.iter().map(|(action, _)| action.name).collect();
    let detail = format!("{what} Actions: {}.", names.join(", "));
    Problem::invalid("action", Code::UnknownAction, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_features::interop::INTEROP_SESSION;
    use registry_features::talk::TALK;
    use registry_features::trails::ENDORSE;

    const PATH: &str = "/api/products/family";

    fn members() -> Vec<Member> {
        vec![(Action { path: PATH, name: "endorse" }, &ENDORSE), (Action { path: PATH, name: "talk" }, &TALK)]
    }

    #[test]
    fn body_members_except_the_action_are_the_arguments() {
        let (operation, arguments) =
            of_body(&members(), json!({ "action": "endorse", "listing_id": "x" })).unwrap();
        let RawArguments::Json(body) = arguments else { panic!("a body") };
        assert_eq!((operation.name, body), ("endorse", json!({ "listing_id": "x" })));
        for (body, code) in [
            (json!([]), "malformed"),
            (json!({}), "unknown_action"),
            (json!({ "action": "fly" }), "unknown_action"),
        ] {
            let problem = of_body(&members(), body).unwrap_err();
            assert_eq!(problem.code, code);
        }
        let detail = of_body(&members(), json!({ "action": 1 })).unwrap_err().detail;
        assert_eq!(detail, "`action` is required, as a string. Actions: endorse, talk.");
    }

    #[test]
    fn operation_with_an_action_argument_receives_the_action() {
        assert!(INTEROP_SESSION.takes_action);
        let members: Vec<Member> = vec![(Action { path: PATH, name: "session_close" }, &INTEROP_SESSION)];
        let body = json!({ "action": "session_close", "text": "x" });
        let RawArguments::Json(arguments) = of_body(&members, body.clone()).unwrap().1 else {
            panic!("a body")
        };
        assert_eq!(arguments, body);
    }
}
