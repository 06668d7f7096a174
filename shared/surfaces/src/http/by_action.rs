//! The endpoint of a family: one path for several operations. The argument `action` selects the operation
//! (`specification.md#family-endpoints`). The other fields of the query or body are the arguments of the operation.

use form_urlencoded::{Serializer, parse};
use serde_json::Value;

use registry_model::error::{Problem, shorten};
use registry_operations::{Action, AnyOperation, RawArguments};

type Member = (Action, &'static AnyOperation);

pub(super) fn of_query(
    family: &'static AnyOperation,
    members: &[Member],
    query: &str,
) -> Result<(&'static AnyOperation, RawArguments), Problem> {
    let Some((_, action)) = parse(query.as_bytes()).find(|(name, _)| name == "action") else {
        return Ok((family, RawArguments::Query(query.to_owned())));
    };
    let operation = operation_of(members, &action)?;
    if !operation.effect.read_only {
        let detail = format!("The action `{action}` changes data. Send it as a POST with a JSON body.");
        return Err(Problem::invalid("action", "action_needs_post", detail));
    }
    let others = parse(query.as_bytes()).filter(|(name, _)| operation.takes_action || name != "action");
    Ok((operation, RawArguments::Query(Serializer::new(String::new()).extend_pairs(others).finish())))
}

pub(super) fn of_body(
    members: &[Member],
    mut body: Value,
) -> Result<(&'static AnyOperation, RawArguments), Problem> {
    let named = body.as_object_mut().and_then(|members| members.remove("action"));
    match named {
        Some(Value::String(action)) => {
            let operation = operation_of(members, &action)?;
            if operation.takes_action {
                body["action"] = Value::String(action);
            }
            Ok((operation, RawArguments::Json(body)))
        }
        _ if !body.is_object() => Err(Problem::malformed("The body must be a JSON object.")),
        _ => Err(unknown(members, "`action` is missing.")),
    }
}

fn operation_of(members: &[Member], action: &str) -> Result<&'static AnyOperation, Problem> {
    let found = members.iter().find(|(known, _)| known.names.contains(&action));
    found
        .map(|(_, operation)| *operation)
        .ok_or_else(|| unknown(members, &format!("Unknown action `{}`.", shorten(action, 60))))
}

fn unknown(members: &[Member], what: &str) -> Problem {
    let names: Vec<&str> = members.iter().filter_map(|(action, _)| action.names.first().copied()).collect();
    let detail = format!("{what} Actions: {}.", names.join(", "));
    Problem::invalid("action", "unknown_action", detail)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use registry_operations::{CHECK_LIVENESS, INTEROP_SESSION, SCORE, TALK};

    const PATH: &str = "/api/products/family";

    fn members() -> Vec<Member> {
        vec![
            (Action { path: PATH, names: &["liveness", "check_liveness"] }, &CHECK_LIVENESS),
            (Action { path: PATH, names: &["talk"] }, &TALK),
        ]
    }

    #[test]
    fn query_members_except_the_action_are_the_arguments() {
        let (operation, arguments) =
            of_query(&SCORE, &members(), "listing_id=a%26b&action=check_liveness").unwrap();
        let RawArguments::Query(query) = arguments else { panic!("a query") };
        assert_eq!((operation.name, query.as_str()), ("check_liveness", "listing_id=a%26b"));
        assert_eq!(of_query(&SCORE, &members(), "x=1").unwrap().0.name, "score");
        assert_eq!(of_query(&SCORE, &members(), "action=talk").unwrap_err().code, "action_needs_post");
    }

    #[test]
    fn body_members_except_the_action_are_the_arguments() {
        let (operation, arguments) =
            of_body(&members(), json!({ "action": "liveness", "listing_id": "x" })).unwrap();
        let RawArguments::Json(body) = arguments else { panic!("a body") };
        assert_eq!((operation.name, body), ("check_liveness", json!({ "listing_id": "x" })));
        for (body, code) in [
            (json!([]), "malformed"),
            (json!({}), "unknown_action"),
            (json!({ "action": "fly" }), "unknown_action"),
        ] {
            let problem = of_body(&members(), body).unwrap_err();
            assert_eq!(problem.code, code);
        }
        let detail = of_body(&members(), json!({ "action": 1 })).unwrap_err().detail;
        assert_eq!(detail, "`action` is missing. Actions: liveness, talk.");
    }

    #[test]
    fn operation_with_an_action_argument_receives_the_action() {
        assert!(INTEROP_SESSION.takes_action);
        let members =
            vec![(Action { path: PATH, names: &["session_open", "session_close"] }, &INTEROP_SESSION)];
        let body = json!({ "action": "session_close", "text": "x" });
        let RawArguments::Json(arguments) = of_body(&members, body.clone()).unwrap().1 else {
            panic!("a body")
        };
        assert_eq!(arguments, body);
    }
}
