//! What the sender of a submission may change in a listing that exists, by what it has proven (`specification.md#rights`).

use super::submission::Submission;
use registry_formats::name_owner;
use registry_model::{Handshake, HostName, Lane, LastProbe, Listing, NameProof};

/// What the proofs in a submission prove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Proofs {
    pub(super) name: Option<NameProof>,
    /// A key of the endpoint's host signed.
    pub(super) is_by_host: bool,
    /// The URLs for which the name is proven.
    pub(super) urls: Vec<String>,
}

/// What the sender of a submission may change in a listing that exists (`specification.md#rights`). A URL, a name and a
/// proof of the name are what any sender can bring along for the endpoint of another. So only these speak for a listing: a
/// key of its host, a name of its host's domain, and the name that it was published under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    Nothing,
    /// Claim a name for it, because it has none.
    Name,
    /// Describe it, because its checks block it and nobody has proven to be its owner.
    Words,
    Everything,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sender {
    pub(super) right: Right,
    /// It has proven that it controls the host of the listing, or the host's domain.
    pub(super) is_of_host: bool,
    /// The sender itself signed.
    pub(super) has_signed: bool,
    /// The proof is for another URL than that of the listing: the listing moves there.
    pub(super) moves: bool,
}

impl Sender {
    /// The registry that describes its own server again, like an owner who signs.
    pub(super) const OWN: Self =
        Self { right: Right::Everything, is_of_host: true, has_signed: false, moves: false };

    /// On a host with many users, another user may have claimed the name for another URL. So a proof never counts for a
    /// URL that it does not contain. A signature is the latest word of the owner; a repository proves nothing about a
    /// listing whose owner signed for another URL. `is_there`: the URL of the submission is the endpoint of the listing.
    pub(super) fn of(submission: &Submission, known: &Listing, proofs: &Proofs, is_there: bool) -> Self {
        let named = proofs.name.filter(|proof| proof.how.is_of_publisher()).zip(submission.server_name());
        let has_signed = proofs.is_by_host || named.is_some_and(|(proof, _)| proof.how.is_signed());
        let was_signed = known.ownership.name_proof.is_some_and(|proof| proof.how.is_signed());
        let is_there = is_there || known.url.as_ref().is_some_and(|url| proofs.urls.contains(url));
        let name = named.map(|(_, name)| name).filter(|_| is_there || has_signed || !was_signed);
        let is_of_host = proofs.is_by_host || name.is_some_and(|name| is_at_host(name, known));
        let is_its_name = name.is_some_and(|name| known.is_described_as(name));
        let right = match submission.server_name() {
            _ if is_of_host || is_its_name => Right::Everything,
            _ if is_blocked_by_a_check(known) => Right::Words,
            Some(name)
                if known.ownership.server_name.as_deref() != Some(name)
                    && known.ownership.proven_domain.is_none() =>
            {
                Right::Name
            }
            _ => Right::Nothing,
        };
        let may_move = is_of_host || is_its_name && known.ownership.proven_domain.is_none();
        // One endpoint has one listing, but its query may select another tenant, which no probe has seen.
        let query = |url: &str| url.split_once('?').map(|(_, query)| query.to_owned());
        let probed = known.url.as_deref().and_then(query);
        let moves = may_move && submission.remote_url().is_some_and(|url| !is_there || query(url) != probed);
        Self { right, is_of_host, has_signed, moves }
    }
}

/// Whether the name belongs to the host of the listing, or to a domain above it.
fn is_at_host(name: &str, known: &Listing) -> bool {
    known.url.as_deref().is_some_and(|url| name_owner::covers(name, url))
}

/// Whether the listing has no name of another server. A name of the domain of its host replaces a mere claim.
pub(super) fn may_name(submission: &Submission, known: &Listing) -> bool {
    let (Some(name), Some(own)) = (submission.server_name(), known.ownership.server_name.as_deref()) else {
        return true;
    };
    own == name || !known.is_described() && known.ownership.name_proof.is_none() && is_at_host(name, known)
}

/// Whether a proof of this name is one for everything in the listing.
pub(super) fn speaks_for(name: &str, known: &Listing) -> bool {
    is_at_host(name, known) || known.is_described_as(name)
}

/// Anyone may edit a described listing that answers but has never passed its checks: its description may be what the check
/// blocks, and otherwise the first publisher could keep it blocked forever. Only the publisher may edit a listing with a
/// name that its publisher has proven.
fn is_blocked_by_a_check(known: &Listing) -> bool {
    let answered = known.proof.probe.as_ref().is_some_and(|probe| probe.handshake == Handshake::Ok);
    answered
        && known.lane == Lane::NeedsFix
        && known.is_described()
        && !known.was_proven()
        && !is_owned(known)
}

/// Anyone may correct the URL or the kind of a listing that has never been Live, because the first may be a typo. But a
/// sibling host may have another owner, so the host is a typo only if a probe found no server there. After its owner has
/// proven the name or bound a key, only its owner may.
pub(super) fn is_misplaced(known: &Listing, right: Right, submission: &Submission) -> bool {
    let was_signed = known.ownership.name_proof.is_some_and(|proof| proof.how.is_signed());
    let is_at_its_host = known.url.as_deref().map(HostName::of_url) == submission.url().map(HostName::of_url);
    let is_nothing = |probe: &LastProbe| matches!(probe.handshake, Handshake::Fail | Handshake::Skip);
    let found_nothing = known.proof.probe.as_ref().is_some_and(is_nothing);
    let is_typo = is_at_its_host || found_nothing && known.lane == Lane::NeedsFix;
    let may_move = right == Right::Everything || right != Right::Name && !is_owned(known) && is_typo;
    !known.was_proven() && !was_signed && may_move
}

/// Whether its owner has proven the name or bound a key.
const fn is_owned(known: &Listing) -> bool {
    known.has_proven_name() || known.ownership.proven_domain.is_some()
}
