//! Checks the proofs of the name in a submission before the listing is stored. A proof of the name allows the
//! listing to use the name. A proof of the publisher also allows the publisher to change the description of
//! an existing listing.

use std::borrow::Cow;

use super::submission::{Submission, Submitted};
use registry_app::App;
use registry_fetch::{Follow, MAX_CARD_REDIRECTS, Request, Target};
use registry_formats::name_owner;
use registry_formats::server_json::{self, ServerDescription};
use registry_model::error::Problem;
use registry_model::{Listing, Moment, NameProof, NameProofMethod};

/// The submission and the proof of its name; `None` if it has no name or only claims it. It sends requests only for
/// an offered proof or for the name of a repository. An offered proof that fails is an error.
pub(super) async fn of<'a>(
    app: &App,
    submission: &'a Submission,
    now: Moment,
) -> Result<(Cow<'a, Submission>, Option<NameProof>), Problem> {
    let proven = |how| Some(NameProof { how, at: now });
    let Submitted::Server(server) = &submission.what else { return Ok((Cow::Borrowed(submission), None)) };
    let remote = submission.remote_url();
    if let Some(offered) = &submission.proof {
        let how = offered.verify(app, &server.name, remote.unwrap_or_default(), now).await?;
        return Ok((Cow::Borrowed(submission), proven(how)));
    }
    let Some(remote) = remote else { return Ok((Cow::Borrowed(submission), None)) };
    if let Some(own) = description_in_repository(app, server, remote).await {
        return Ok((Cow::Owned(submission.with_description(own)), proven(NameProofMethod::Repository)));
    }
    Ok((Cow::Borrowed(submission), name_owner::proof_by_domain(&server.name, remote, now)))
}

/// How a publisher can prove that it owns a listing.
pub fn advice(listing: &Listing) -> String {
    let Some(name) = &listing.server_name else {
        return "The description comes from the card or the endpoint of the listing. Each probe reads it \
            again."
            .to_owned();
    };
    match (name_owner::github_owner(name), name_owner::domain(name)) {
        (Some(owner), _) => format!(
            "To change the description, write it in the server.json of your repository \
             (github.com/{owner}/...). Send that repository in `repository`, and publish again."
        ),
        (None, Some(domain)) => format!(
            "To change the description, serve your key at https://{domain}/.well-known/mcp-registry-auth or \
             in a TXT record at {domain}. Then publish again with a `proof` that this key signed."
        ),
        (None, None) => "The name of the listing is not a reversed domain name, so no domain can prove the \
            name."
            .to_owned(),
    }
}

/// JSON values in a repository's server.json, including its `_meta`.
const MAX_JSON_VALUES: usize = 10_000;

/// The repository's own description of the server at `remote`; `None` if there is none or its owner is not the name's.
async fn description_in_repository(
    app: &App,
    server: &ServerDescription,
    remote: &str,
) -> Option<ServerDescription> {
    let base = app.settings.github_raw_url.as_deref()?;
    let path = path_of(server)?;
    let target = Target::parse(&format!("{base}/{path}"), app.settings.reach()).ok()?;
    let answer =
        app.fetcher.send(Request::get(target).with_follow(Follow::Hops(MAX_CARD_REDIRECTS))).await.ok()?;
    let mut left = MAX_JSON_VALUES;
    let document = answer.json(&mut left).ok().filter(|_| answer.status == 200)?;
    let own = server_json::read(&document, app.settings.reach()).ok()?;
    let lists_remote = own.remotes.iter().any(|listed| listed.url == remote);
    (own.name == server.name && lists_remote).then_some(own)
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
    fn repository_must_belong_to_the_owner_of_the_name() {
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
