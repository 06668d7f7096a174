//! Proofs of the name in a submission, sought before anything is listed. What proves only the name lets a listing go by
//! it; what proves the publisher also lets them change the words of a listing that is there already.

use std::borrow::Cow;

use super::repository_proof;
use super::submission::{Submission, Submitted};
use registry_app::App;
use registry_formats::name_owner;
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
    if let Some(own) = repository_proof::of(app, server, remote).await {
        return Ok((Cow::Owned(submission.in_the_words_of(own)), proven(NameProofMethod::Repository)));
    }
    Ok((Cow::Borrowed(submission), name_owner::proof_by_domain(&server.name, remote, now)))
}

/// How a publisher can prove that it owns a listing.
#[must_use]
pub fn advice(listing: &Listing) -> String {
    let Some(name) = &listing.server_name else {
        return "What it says of itself is taken from its own card or endpoint when it is probed.".to_owned();
    };
    match (name_owner::github_owner(name), name_owner::domain(name)) {
        (Some(owner), _) => format!(
            "To change them, put them into the server.json of your repository (github.com/{owner}/...), name it as \
             `repository`, and publish again."
        ),
        (None, Some(domain)) => format!(
            "To change them, serve your key at https://{domain}/.well-known/mcp-registry-auth or in a TXT record at \
             {domain}, and publish again with a `proof` signed by it."
        ),
        (None, None) => "Its name reverses no domain that could prove it.".to_owned(),
    }
}
