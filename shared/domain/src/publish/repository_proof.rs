//! The proof of a name below `io.github`: the owner's own repository holds a server.json of this name that lists this
//! remote. Its words are then those that are listed, so it does not matter who sent them.

use registry_app::App;
use registry_fetch::{CARD_HOPS, Follow, Request, Target};
use registry_formats::name_owner;
use registry_formats::server_json::{self, ServerDescription};

/// JSON values in a repository's server.json, including its `_meta`.
const MOST_VALUES: usize = 10_000;

/// The repository's own description of the server at `remote`; `None` if there is none or its owner is not the
/// name's.
pub(super) async fn of(app: &App, server: &ServerDescription, remote: &str) -> Option<ServerDescription> {
    let base = app.settings.github_raw_url.as_deref()?;
    let path = path_of(server)?;
    let target = Target::parse(&format!("{base}/{path}"), app.settings.reach()).ok()?;
    let answer = app.fetcher.send(Request::get(target).with_follow(Follow::Hops(CARD_HOPS))).await.ok()?;
    let mut left = MOST_VALUES;
    let document = answer.json(&mut left).ok().filter(|_| answer.status == 200)?;
    let own = server_json::read(&document, app.settings.reach()).ok()?;
    let lists = own.remotes.iter().any(|listed| listed.url == remote);
    (own.name == server.name && lists).then_some(own)
}

/// The path of the repository's server.json for raw downloads; `None` for a repository of another owner.
fn path_of(server: &ServerDescription) -> Option<String> {
    let owner = name_owner::github_owner(&server.name)?;
    let url = url::Url::parse(server.repository_url.as_deref()?).ok()?;
    if !matches!(url.host_str(), Some("github.com" | "www.github.com")) {
        return None;
    }
    let mut segments = url.path_segments()?;
    let (own, repository) = (segments.next()?, segments.next()?);
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    let folder = server.repository_subfolder.as_ref().map(|folder| format!("{folder}/")).unwrap_or_default();
    own.eq_ignore_ascii_case(owner).then(|| format!("{own}/{repository}/HEAD/{folder}server.json"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use registry_model::Reach;

    #[test]
    fn only_a_repository_of_the_names_owner_is_asked() {
        let path = |name: &str, repository: Value| {
            let document = json!({ "name": name, "description": "Adds.", "version": "1.0.0",
                "repository": repository });
            path_of(&server_json::read(&document, Reach::Public).unwrap())
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
            ("io.github.acme/adder", gitlab),
        ] {
            assert_eq!(path(name, repository), None, "{name}");
        }
    }
}
