//! Checks the proofs in a submission before the listing is stored. A proof of the name allows the listing to use the
//! name. A proof of the publisher also allows the publisher to change the description of an existing listing. A publisher
//! signs a challenge with the key of the name's domain. With the key of the endpoint's host, the publisher may change
//! only the description.

use std::borrow::Cow;

use super::rights::{Proofs, speaks_for};
use super::submission::{OfferedProof, Submission, Submitted, in_proof};
use crate::prelude::*;
use crate::trust::ownership::{self, Domains, SignedChallenge};
use registry_app::workflow_token;
use registry_fetch::{Follow, MAX_CARD_REDIRECTS, Request, Target};
use registry_formats::name_owner;
use registry_formats::server_json::{self, ServerDescription};
use registry_model::{KeySource, NameProof, NameProofMethod, Secret};

/// The submission and what it proves; nothing if it has no name or only claims it. It sends requests only for an offered
/// proof or for the name of a repository. An offered proof that fails is an error. `known` is the existing listing.
pub(super) async fn verify<'a>(
    app: &App,
    caller: &Caller,
    submission: &'a Submission,
    known: Option<&Listing>,
    now: Moment,
) -> Result<(Cow<'a, Submission>, Proofs), Problem> {
    let Submitted::Server(server) = &submission.what else {
        return Ok((Cow::Borrowed(submission), Proofs::default()));
    };
    let remote = submission.remote_url();
    let urls = remote.map(str::to_owned).into_iter().collect();
    let proven = |how| Some(NameProof { how, at: now });
    let by_domain = || name_owner::proof_by_domain(&server.name, remote?, now);
    let (name, is_by_host) = match &submission.proof {
        Some(OfferedProof::Workflow(token)) => {
            (proven(by_workflow(app, &server.name, token).await.map_err(in_proof)?), false)
        }
        Some(OfferedProof::Signature(signed)) => {
            let listing = known.cloned().unwrap_or_else(|| submission.listing(submission.ids().0, now));
            let proof = by_signature(app, caller, &server.name, remote, &listing, signed.as_ref()).await;
            let how = proof.map_err(in_proof)?;
            (how.and_then(proven).or_else(by_domain), how.is_none())
        }
        None => match description_in_repository(app, server, remote).await {
            Some(own) => {
                let urls = own.remotes.iter().map(|listed| listed.url.clone()).collect();
                let proofs = Proofs { name: proven(NameProofMethod::Repository), is_by_host: false, urls };
                return Ok((Cow::Owned(submission.with_description(own)), proofs));
            }
            None => (by_domain(), false),
        },
    };
    Ok((Cow::Borrowed(submission), Proofs { name, is_by_host, urls }))
}

/// How the domain of the name published the key that signed; `None` if the key is of the host of `listing`.
async fn by_signature(
    app: &App,
    caller: &Caller,
    name: &str,
    remote: Option<&str>,
    listing: &Listing,
    signed: Option<&SignedChallenge>,
) -> Result<Option<NameProofMethod>, Problem> {
    let of_name = Domains::of_name(name);
    // The challenge contains the remote, so that a signature for one server is not valid for another.
    let act =
        remote.map_or_else(|| format!("publish {name}"), |remote| format!("publish {name} at {remote}"));
    let mut owners: Vec<Domains> = of_name.iter().cloned().chain(Domains::of(listing).ok()).collect();
    // A key of the name that is no proof for this listing may be one of its host, too.
    let is_host_first = owners.len() > 1 && !speaks_for(name, listing);
    if is_host_first {
        owners.reverse();
    }
    let Some(signed) = signed else {
        let ways: Vec<_> = owners.iter().flat_map(|owner| owner.ways(app, None)).collect();
        let challenge = ownership::challenge(app, caller, &act).await?;
        let detail = "Sign `challenge.text` with a key that the domain publishes (see `ways`). Then send the same \
            request again, with `nonce` and `signature` in `proof`.";
        let problem = Problem::new(Code::ChallengeToSign, detail).with_field("signature");
        return Err(problem.with("challenge", json!(challenge)).with("ways", json!(ways)));
    };
    let (owner, proven) = ownership::prove_one_of(app, caller, &owners, &act, signed).await?;
    let is_of_name = owner == usize::from(is_host_first) && of_name.is_some();
    Ok(is_of_name.then_some(match proven.method {
        KeySource::Dns => NameProofMethod::Dns,
        KeySource::Http | KeySource::KeySet => NameProofMethod::Http,
    }))
}

/// A token of a workflow proves the names of the account that owns the repository of the workflow. The first token binds the
/// names of a login to the number of the account: a later owner of the same login does not get them, and the account keeps
/// them after a rename.
async fn by_workflow(app: &App, name: &str, token: &Secret) -> Result<NameProofMethod, Problem> {
    let Some(login) = name_owner::github_owner(name) else {
        let detail = "A token of GitHub Actions proves only names of the form `io.github.<owner>/<server>`.";
        return Err(Problem::new(Code::NoGithubName, detail).with_field("token"));
    };
    let token = workflow_token::verified_token(app, token.reveal()).await?;
    let other_owner = || {
        let detail = format!(
            "The token is of the account {} (number {}), to which names below `io.github.{login}/` do not belong.",
            shorten(&token.owner, 100),
            token.owner_id
        );
        Problem::new(Code::OtherOwner, detail).with_field("token")
    };
    let bound = app.store.github_owner(login).await?;
    let is_owner = match bound {
        Some(owner_id) => owner_id == token.owner_id,
        None => token.owner.eq_ignore_ascii_case(login),
    };
    if !is_owner {
        return Err(other_owner());
    }
    if !app.store.spend_workflow_token(&token.id, token.expires_at).await? {
        let detail = "This token was used already. Get a new token for each request.";
        return Err(Problem::new(Code::UsedToken, detail).with_field("token"));
    }
    if bound.is_none() && app.store.bind_github_owner(login, token.owner_id).await? != Some(token.owner_id) {
        return Err(other_owner());
    }
    Ok(NameProofMethod::Github)
}

/// How a publisher can prove that it owns a listing.
pub fn advice(app: &App, listing: &Listing) -> String {
    let Some(name) = &listing.ownership.server_name else {
        return "Probes read its texts from its card or endpoint.".to_owned();
    };
    let is_read = listing.is_described() && app.settings.github_raw_url.is_some();
    let by_token = app.settings.github_actions_issuer.as_ref();
    let by_token = by_token.map_or("", |_| "Or send the token of a workflow in `proof.token`. ");
    let by_github = name_owner::github_owner(name).filter(|_| is_read).map(|owner| {
        format!(
            "To change the description, write it in the server.json of your repository (github.com/{owner}/...), \
             send that repository in `repository`, and publish again. {by_token}"
        )
    });
    by_github.unwrap_or_default()
        + "To change it with a key, publish again with an empty object as `proof`. The answer contains a challenge, and the places \
           where the domain can publish the key that signs the challenge."
}

/// JSON values in a repository's server.json, including its `_meta`.
const MAX_JSON_VALUES: usize = 10_000;

/// The repository's own description of the server at `remote`; `None` if there is none or its owner is not the name's.
async fn description_in_repository(
    app: &App,
    server: &ServerDescription,
    remote: Option<&str>,
) -> Option<ServerDescription> {
    let (base, remote) = (app.settings.github_raw_url.as_deref()?, remote?);
    let path = path_of(server)?;
    let target = Target::parse(&format!("{base}/{path}"), app.settings.reach()).ok()?;
    let answer =
        app.fetcher.send(Request::get(target).with_follow(Follow::Hops(MAX_CARD_REDIRECTS))).await.ok()?;
    let mut left = MAX_JSON_VALUES;
    let document = answer.json(&mut left).ok().filter(|_| answer.status == 200)?;
    let own = server_json::parse_server_json(&document, app.settings.reach()).ok()?;
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
    // In a URL, these are not names: they would lead to the repository of another owner.
    if matches!(repository, "" | "." | "..") {
        return None;
    }
    let folder = server.repository_subfolder.as_ref().map(|folder| format!("{folder}/")).unwrap_or_default();
    own.eq_ignore_ascii_case(owner).then(|| format!("{own}/{repository}/HEAD/{folder}server.json"))
}

#[cfg(test)]
mod tests;
