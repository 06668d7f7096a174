use serde_json::Value;

use super::*;
use registry_model::Reach;

#[test]
fn repository_must_belong_to_the_owner_of_the_name() {
    let path = |name: &str, repository: Value| {
        let document = json!({ "name": name, "description": "Adds.", "version": "1.0.0",
            "repository": repository });
        path_of(&server_json::parse_server_json(&document, Reach::Public).unwrap())
    };
    let at = |url: &str| json!({ "source": "github", "url": url });
    let in_folder =
        json!({ "source": "github", "url": "https://github.com/acme/tools", "subfolder": "src/adder" });
    assert_eq!(
        path("io.github.Acme/adder", at("https://github.com/acme/adder.git")).as_deref(),
        Some("acme/adder/HEAD/server.json")
    );
    assert_eq!(
        path("io.github.acme/adder", in_folder).as_deref(),
        Some("acme/tools/HEAD/src/adder/server.json")
    );
    let gitlab = json!({ "source": "gitlab", "url": "https://gitlab.com/acme/adder" });
    for (name, repository) in [
        ("io.github.acme/adder", at("https://github.com/evil/adder")),
        ("com.acme/adder", at("https://github.com/acme/adder")),
        ("io.github/adder", at("https://github.com/adder/adder")),
        ("io.github.acme/adder", at("https://github.com/acme/...git")),
        ("io.github.acme/adder", at("https://github.com/acme/.git")),
        ("io.github.acme/adder", gitlab),
    ] {
        assert_eq!(path(name, repository), None, "{name}");
    }
}
