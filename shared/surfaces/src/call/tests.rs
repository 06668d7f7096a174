use super::*;
use registry_features::listing::operations::{CHECK_STATUS, SEARCH_ACTIVE};
use registry_features::products::operations::CHECKOUT;
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::trails::operations::{LEAVE_TRACE, USED_WITH};
use registry_settings::Mode;

fn settings() -> Settings {
    let lookup = |name: &str| (name == "BASE_URL").then(|| "https://registry.example.com".to_owned());
    Settings::from_env(Mode::Public, lookup).unwrap()
}

#[test]
fn example_call_uses_a_route_of_its_operation() {
    let call = |operation| Call::template(operation, &settings());
    let list = call(LIST_YOURSELF.described);
    assert_eq!((list.method, list.url.as_str()), ("POST", "https://registry.example.com/api/publish"));
    assert_eq!(list.words, "list my agent at {url}");
    assert_eq!(
        call(CHECK_STATUS.described).curl(" "),
        "curl -sS 'https://registry.example.com/api/listings/status?id={listing_id}'"
    );
    let trace = call(LEAVE_TRACE.described);
    assert_eq!(trace.url, "https://registry.example.com/api/products/stigmergy");
    assert_eq!(trace.body.unwrap()["action"], "leave_trace");
    assert_eq!(call(SEARCH_ACTIVE.described).url, "https://registry.example.com/api/protocol");
    let used = call(USED_WITH.described);
    assert!(used.arguments["listing_b"] == "{listing_b}" && used.words.ends_with("with {listing_b}"));
    assert_eq!(
        call(registry_features::trust::operations::VERIFY_ATTESTATION.described).arguments["jws"],
        "{jws}"
    );
    let bought = Call::by_example(CHECKOUT.described, &settings());
    assert_eq!(bought.method, "POST");
    assert_eq!(bought.body.unwrap()["idempotency_key"], "<a new UUID>");
}

#[test]
fn shell_splits_every_command_into_the_intended_arguments() {
    for operation in DESCRIPTIONS {
        for call in [Call::template(operation, &settings()), Call::by_example(operation, &settings())] {
            for separator in [" ", " \\\n  "] {
                let words = shell_words::split(&call.curl(separator)).unwrap();
                assert!(words.contains(&call.url), "{}", operation.name);
                if let Some(body) = &call.body {
                    assert_eq!(serde_json::from_str::<Value>(words.last().unwrap()).unwrap(), *body);
                }
            }
        }
    }
}
