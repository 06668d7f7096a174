use super::*;
use registry_features::interop::operations::INTEROP_SESSION;
use registry_features::talk::operations::TALK;
use registry_features::trails::operations::ENDORSE;

const PATH: &str = "/api/products/family";

fn members() -> Vec<Member> {
    vec![(Action { path: PATH, name: "endorse" }, &ENDORSE), (Action { path: PATH, name: "talk" }, &TALK)]
}

#[test]
fn body_members_except_the_action_are_the_arguments() {
    let (operation, arguments) =
        by_action(&members(), json!({ "action": "endorse", "listing_id": "x" })).unwrap();
    let RawArguments::Json(body) = arguments else { panic!("a body") };
    assert_eq!((operation.name, body), ("endorse", json!({ "listing_id": "x" })));
    for (body, code) in [
        (json!([]), Code::Malformed),
        (json!({}), Code::UnknownAction),
        (json!({ "action": "fly" }), Code::UnknownAction),
    ] {
        let problem = by_action(&members(), body).unwrap_err();
        assert_eq!(problem.code, code);
    }
    let detail = by_action(&members(), json!({ "action": 1 })).unwrap_err().detail;
    assert_eq!(detail, "`action` is required, as a string. Actions: endorse, talk.");
}

#[test]
fn operation_with_an_action_argument_receives_the_action() {
    assert!(INTEROP_SESSION.takes_action);
    let members: Vec<Member> = vec![(Action { path: PATH, name: "session_close" }, &INTEROP_SESSION)];
    let body = json!({ "action": "session_close", "text": "x" });
    let RawArguments::Json(arguments) = by_action(&members, body.clone()).unwrap().1 else {
        panic!("a body")
    };
    assert_eq!(arguments, body);
}
