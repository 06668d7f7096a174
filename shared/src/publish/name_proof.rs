//! Proofs of the name in a submission, sought before anything is listed. What proves only the name lets a listing go by
//! it; what proves the publisher also lets them change the words of a listing that is there already.

use super::submission::Submission;
use crate::error::Problem;
use crate::formats::name_owner;
use crate::model::{Moment, NameProof};

/// What is proven of the name of a submission; nothing where it has none, or only claims it.
///
/// # Errors
/// A proof was offered that does not hold: what is wrong with it.
pub(super) fn of(submission: &Submission, now: Moment) -> Result<Option<NameProof>, Problem> {
    let (Some(name), Some(remote)) = (submission.server_name(), submission.remote_url()) else {
        return Ok(None);
    };
    Ok(name_owner::proof_by_domain(name, remote, now))
}
