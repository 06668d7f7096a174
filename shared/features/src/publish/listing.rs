//! Turns a submission into a new listing, or updates the existing listing. The `listing.queued` event starts
//! the first probe. If that event is lost, the next scheduled sweep probes the listing.

use jiff::SignedDuration;

use super::name_proof;
use super::rights::{Right, Sender, is_misplaced, may_name};
use super::submission::Submission;
use crate::feed_item;
use crate::operator::takedown;
use crate::prelude::*;
use registry_fetch::Target;
use registry_formats::registry_name;
use registry_model::{Contact, ContactFrom, NameHold, NameProof, ProbeHistory};
use registry_probe::withdrawal::end_live_to_move;
use registry_store::StoreError;
use registry_store::events::{Event, What};

/// The shortest time between two probes that anybody can request by publishing again. A repair takes longer.
const REPROBE_PAUSE: SignedDuration = SignedDuration::from_secs(30);

#[derive(Clone, Debug)]
pub struct Published {
    pub listing: Listing,
    pub status: PublishStatus,
    /// The time of its next probe, if that is not now.
    pub retry_at: Option<Moment>,
    /// A probe starts now, although the listing is Live or gated: its proof is no longer fresh.
    pub renews: bool,
    /// What its sender may change, if its description (name, description, version and website) is another one.
    pub differs: Option<Right>,
}

/// Whether a submission was queued for a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublishStatus {
    /// It will be probed.
    Queued,
    /// It is already Live or gated.
    Active,
    /// It is already queued.
    Duplicate,
}

/// Publishes a submission under its own id, or under another id if another owner's listing has the first. Errors:
/// 403 host blocked, 409 listing withdrawn.
pub async fn publish(app: &App, caller: &Caller, submission: &Submission) -> Result<Published, Problem> {
    let now = app.clock.now();
    let (id, second_id) = submission.ids();
    let (first, (there, is_holder), blocked) = futures::try_join!(
        app.store.listing(&id),
        listing_at_url(app, submission),
        app.store.blocked_hosts()
    )?;
    if let Some(block) = blocked.covering(&submission.listing(id.clone(), now).hosts()) {
        return Err(takedown::host_blocked(block));
    }
    let holder_id = there.as_ref().filter(|_| is_holder).map(|holder| holder.id.clone());
    // The listing there may have the first id and another name by now. The owner of its host gets it back all the same.
    let there = there.filter(|_| !comes_first(submission, first.as_ref(), is_holder));
    let first_id = id.clone();
    let mut tried = None;
    let found_by_url = match there {
        Some(there) if !may_name(submission, &there) => {
            let (sent, proofs) = name_proof::verify(app, caller, submission, Some(&there), now).await?;
            let right = Sender::of(&sent, &there, &proofs, is_holder).right;
            tried = Some((sent, proofs));
            Some(there).filter(|_| right == Right::Everything)
        }
        there => there,
    };
    let (id, known, other) = match (found_by_url, first, second_id) {
        (Some(found), other, _) => (found.id.clone(), Some(found), other),
        (None, Some(other), Some(second_id)) if !submission.is_same_as(&other) => {
            let (id, known) = free_id(app, submission, second_id).await?;
            (id, known, Some(other))
        }
        (None, known, _) => (id, known, None),
    };
    let (submission, proofs) = match tried {
        Some(tried) => tried,
        None => name_proof::verify(app, caller, submission, known.as_ref(), now).await?,
    };
    let submission = submission.as_ref();
    // A listing that was published by its URL gets a registry name only from a publisher with a proof.
    let is_described = known.as_ref().is_none_or(Listing::is_described);
    let supports = |proof: NameProof| is_described || proof.how.is_of_publisher();
    let has_other_id = id != first_id && proofs.name.is_some_and(supports);
    let mut name = ProvenName { proof: proofs.name, has_other_id, holder: None };
    if let Some(sent) = submission.server_name() {
        let is_named = |listing: &Listing| listing.ownership.server_name.as_deref() == Some(sent);
        let holds = |listing: &Listing| listing.id != id && registry_name::name_of_listing(listing) == sent;
        if name.is_by_publisher() || !known.as_ref().is_some_and(is_named) {
            let named = app.store.listings_named(sent).await?;
            name.holder = other.into_iter().chain(named).find(|one| is_named(one) && holds(one));
        } else {
            // It keeps what it has: without a proof of the publisher, sending the name again changes nothing.
            name.has_other_id = false;
        }
    }
    match known {
        Some(known) => {
            let sender = Sender::of(submission, &known, &proofs, holder_id.as_ref() == Some(&known.id));
            if name.is_by_publisher() && sender.right != Right::Everything {
                name = ProvenName::default();
            }
            publish_again(app, submission, known, &name, sender).await
        }
        None => publish_first(app, submission, id, &name, now).await,
    }
}

/// Whether the listing with the id of a submission comes before the one at its URL: one that answers there comes before
/// one that never did.
fn comes_first(submission: &Submission, first: Option<&Listing>, is_holder: bool) -> bool {
    first.is_some_and(|first| submission.is_same_as(first) && (first.was_proven() || !is_holder))
}

/// The listing that publishing this URL answers with, if it is listed.
pub async fn listing_of_url(app: &App, target: &Target) -> Result<Option<Listing>, StoreError> {
    let submission = Submission::of_url(target.clone());
    let (id, _) = submission.ids();
    let (first, (there, is_holder)) =
        futures::try_join!(app.store.listing(&id), listing_at_url(app, &submission))?;
    let there = there.filter(|_| !comes_first(&submission, first.as_ref(), is_holder));
    Ok(there.or(first))
}

/// The listing at the URL of a submission, and whether it is the Live or gated one with this endpoint or card. A
/// description that joins it does not change its id, which readers may have stored.
async fn listing_at_url(app: &App, submission: &Submission) -> Result<(Option<Listing>, bool), StoreError> {
    let Some(url) = submission.url() else { return Ok((None, false)) };
    let holder = app.store.endpoint_holders(&[url.to_owned()]).await?.remove(url);
    let is_holder = holder.is_some();
    let by_url = || {
        let remote = Target::parse(submission.remote_url()?, app.settings.reach()).ok()?;
        Some(ListingId::of_url(remote.url()))
    };
    let Some(id) = holder.or_else(by_url) else { return Ok((None, false)) };
    let is_of_kind = |found: &Listing| submission.server_name().is_none() || found.kind == Some(Kind::Mcp);
    Ok((app.store.listing(&id).await?.filter(is_of_kind), is_holder))
}

/// The id of a submission whose first id another owner has, and the listing with this id. The second id is short, so
/// somebody can choose a name that has it; the third id is too long for that.
async fn free_id(
    app: &App,
    submission: &Submission,
    second_id: ListingId,
) -> Result<(ListingId, Option<Listing>), StoreError> {
    let second = app.store.listing(&second_id).await?;
    let is_taken = second.as_ref().is_some_and(|second| !submission.is_same_as(second));
    match submission.third_id().filter(|_| is_taken) {
        Some(third_id) => {
            let third = app.store.listing(&third_id).await?;
            Ok((third_id, third))
        }
        None => Ok((second_id, second)),
    }
}

/// The proof of a submission's name, and who has the name now.
#[derive(Debug, Default)]
pub(super) struct ProvenName {
    proof: Option<NameProof>,
    /// The listing has another id than the one that is made from the name: a listing of another owner has that id, or the
    /// listing existed before it had a description.
    has_other_id: bool,
    /// The other listing that has the name.
    holder: Option<Listing>,
}

impl ProvenName {
    fn is_by_publisher(&self) -> bool {
        self.proof.is_some_and(|proof| proof.how.is_of_publisher())
    }

    /// The listing that must give up the name: the publisher of this one has proven it, and the publisher of that one has
    /// not, or only earlier. A signature is the latest word of the name's domain, which may have been sold. A proof by
    /// domain is made from what any sender can send, so it takes a name only after a successful probe.
    fn losing_listing(&self) -> Option<&Listing> {
        let is_proven =
            |holder: &Listing| holder.ownership.name_proof.is_some_and(|proof| proof.how.is_of_publisher());
        let has_signed = self.proof.is_some_and(|proof| proof.how.is_signed());
        self.holder.as_ref().filter(|holder| has_signed || self.is_by_publisher() && !is_proven(holder))
    }

    /// Whether a listing may use the name although its id does not show it. No two listings have the same registry name.
    fn name_hold(&self, listing: &Listing) -> Option<NameHold> {
        let is_yielded = listing.ownership.name_hold == Some(NameHold::Yielded);
        let is_claim = |holder: &Listing| holder.is_name_claimed() && holder.ownership.name_hold.is_none();
        match &self.holder {
            Some(_) if self.losing_listing().is_some() => Some(NameHold::Held),
            // A successful probe takes it.
            Some(holder) if self.proof.is_some() && is_claim(holder) => listing.ownership.name_hold,
            Some(_) => Some(NameHold::Yielded),
            None if self.is_by_publisher() && is_yielded || self.has_other_id && !is_yielded => {
                Some(NameHold::Held)
            }
            None => listing.ownership.name_hold,
        }
    }
}

pub(super) async fn publish_first(
    app: &App,
    submission: &Submission,
    id: ListingId,
    name: &ProvenName,
    now: Moment,
) -> Result<Published, Problem> {
    let mut listing = submission.listing(id, now);
    listing.ownership.name_proof = name.proof;
    listing.ownership.name_hold = name.name_hold(&listing);
    let news = feed_item(&listing, "listing_queued", now, "was published; its probe decides its state.");
    let contact = contact(submission, name.proof.is_some_and(|proof| proof.how.is_signed()));
    let document = submission.document(None, now);
    let is_new =
        app.store.insert(&listing, document.as_ref(), &contact, &news, name.losing_listing()).await?;
    if is_new {
        announce(app, &listing, now).await;
    }
    let status = if is_new { PublishStatus::Queued } else { PublishStatus::Duplicate };
    Ok(Published { listing, status, retry_at: None, renews: false, differs: None })
}

/// The registry describes its own server again, like an owner who signs.
pub(super) async fn describe_own(
    app: &App,
    submission: &Submission,
    known: Listing,
) -> Result<Published, Problem> {
    publish_again(app, submission, known, &ProvenName::default(), Sender::OWN).await
}

/// An owner publishes again to request a probe after a fix.
async fn publish_again(
    app: &App,
    submission: &Submission,
    known: Listing,
    name: &ProvenName,
    sender: Sender,
) -> Result<Published, Problem> {
    let Sender { right, has_signed, .. } = sender;
    let is_owner = right == Right::Everything;
    let was_queued = known.lane == Lane::Queued;
    let known = match known.lane {
        Lane::Withdrawn => restored(app, known, sender).await?,
        Lane::Active | Lane::Gated if sender.moves => end_live_to_move(app, &known.id).await?,
        _ => known,
    };
    // After the restore, which has its own time.
    let now = app.clock.now();
    let may_describe = right >= Right::Words;
    let stored = match submission.server_name() {
        Some(_) if known.is_described() => app.store.server_document(&known.id).await?,
        _ => None,
    };
    let document = submission.document(stored.as_ref(), now);
    let mut updated = known.clone();
    submission.describe(&mut updated);
    let has_other_document = document.is_some() && (stored.is_some() || right >= Right::Name);
    let differs = (has_other_document || changes_description(&updated, &known)).then_some(right);
    let mut document = document.filter(|_| may_describe);
    if !may_describe {
        updated = known.clone();
    }
    if right == Right::Name {
        updated.ownership.server_name = submission.server_name().map(str::to_owned);
    }
    updated.ownership.described |= is_owner && document.is_some();
    if updated.ownership.server_name != known.ownership.server_name {
        // They are of the earlier name.
        (updated.ownership.name_proof, updated.ownership.name_hold) = (None, None);
    }
    let contact = contact(submission, is_owner && has_signed);
    let losing = name.losing_listing();
    let tick = app.settings.probe_tick_seconds;
    let later = |listing: &Listing| Some(listing.next_probe_at(now, tick)).filter(|at| *at > now);
    // The owner of a gated server requests a probe after it has opened the server; nobody else does.
    if known.lane == Lane::Active || known.lane == Lane::Gated && !is_owner {
        let is_shown = known.public_lane(app.oldest_proof()).is_proven();
        let proves = is_owner && name.is_by_publisher() && !known.has_proven_name();
        if right == Right::Name || is_owner && (differs.is_some() || proves) {
            store_proof(&mut updated, name);
            let written =
                app.store.republish(&known, &updated, document.as_ref(), &contact, losing, now).await?;
            if !written {
                return Err(changed_meanwhile(has_signed));
            }
        }
        // A failure is confirmed by the recheck: otherwise anybody could delay the confirmation.
        let is_fresh = known.proven_at().is_some_and(|at| now.duration_since(at) < app.settings.fresh_ok());
        let renews = !is_fresh && known.schedule.failures == 0;
        if renews {
            // The time of its recheck is spread over hours, and a probe takes only a listing that is due.
            app.store.hasten(&updated.id, now).await?;
        }
        if renews || !is_shown {
            announce(app, &updated, now).await;
        }
        let status = if is_shown { PublishStatus::Active } else { PublishStatus::Queued };
        let retry_at = later(&updated).filter(|_| !is_shown && !renews && updated.schedule.due_at > now);
        return Ok(Published { listing: updated, status, retry_at, renews, differs });
    }
    // The repository also says which headers this URL needs.
    let is_same_url = known.url.as_deref() == submission.remote_url();
    let is_here = is_owner
        && (has_signed && (sender.is_of_host || known.ownership.proven_domain.is_none()) || is_same_url);
    if sender.moves || is_here || is_misplaced(&known, right, submission) {
        submission.locate(&mut updated);
        if !may_describe {
            document = submission.moved_document(stored, now);
        }
        if updated.url != known.url {
            (updated.proof.history, updated.schedule.failing_since) = (ProbeHistory::default(), None);
        }
        // A proof of the publisher is for one URL.
        let is_stale = |proof: &NameProof| proof.how.is_of_publisher() && updated.url != known.url;
        updated.ownership.name_proof = updated.ownership.name_proof.filter(|proof| !is_stale(proof));
    }
    store_proof(&mut updated, name);
    let earliest = known.last_asked().map_or(known.listed_at, |asked| asked + REPROBE_PAUSE);
    // A listing that is due keeps its place in the queue: otherwise anybody could send it to the end.
    updated.schedule.due_at = known.schedule.due_at.min(now).max(earliest);
    updated.schedule.probe_requested_at = Some(now);
    updated.schedule.at_once = true;
    let status = if was_queued { PublishStatus::Duplicate } else { PublishStatus::Queued };
    let retry_at = later(&updated);
    let written = app.store.republish(&known, &updated, document.as_ref(), &contact, losing, now).await?;
    let proves = updated.has_proven_name() && !known.has_proven_name();
    if !written && (differs.is_some() && may_describe || proves) && !is_described(app, &updated).await? {
        return Err(changed_meanwhile(has_signed));
    }
    if written && retry_at.is_none() {
        announce(app, &updated, now).await;
    }
    Ok(Published { listing: updated, status, retry_at, renews: false, differs })
}

/// The contact of a submission; its place depends on whether the caller has signed as the owner.
fn contact(submission: &Submission, is_owner: bool) -> Contact {
    let from = if is_owner { ContactFrom::Owner } else { ContactFrom::Anyone };
    Contact { from, ..submission.contact.clone() }
}

pub const fn how_to_restore(is_by_owner: bool) -> &'static str {
    if is_by_owner {
        "The owner of the listing can restore it: call `manage_listing` with the act `restore`."
    } else {
        "Publishing it again does not restore it."
    }
}

/// A listing withdrawn by its owner is restored when its proven owner publishes it again. No other publisher can
/// restore a listing.
async fn restored(app: &App, known: Listing, sender: Sender) -> Result<Listing, Problem> {
    let by_owner = known.withdrawal.as_ref().is_some_and(|withdrawal| withdrawal.by_owner);
    // A key of another domain only proves the name.
    if by_owner && sender.has_signed && sender.is_of_host {
        // A probe that runs now would refuse the new description.
        takedown::restore_by_owner(app, &known.id, false).await?;
        let again = app.store.listing(&known.id).await?;
        return again.ok_or_else(|| Problem::listing_not_found(&app.settings.base_url, known.id.as_str()));
    }
    let how = how_to_restore(by_owner);
    let reason = known.withdrawal.as_ref().map(|withdrawal| format!(" Reason: {}", withdrawal.reason));
    let detail = format!("This listing was withdrawn. {how}{}", reason.unwrap_or_default());
    let status =
        NextStep::check_status(&app.settings.base_url, &known.id, "The status says who can restore it.");
    Err(Problem::conflict(Code::Withdrawn, detail).with("lane", known.lane.as_str()).with_next(status))
}

/// Whether the submission changes the description; fields that it leaves out change nothing.
fn changes_description(sent: &Listing, known: &Listing) -> bool {
    let changed = |sent: &Option<String>, known: &Option<String>| sent.is_some() && sent != known;
    sent.texts.name != known.texts.name
        || changed(&sent.texts.description, &known.texts.description)
        || changed(&sent.texts.version, &known.texts.version)
        || changed(&sent.texts.website, &known.texts.website)
}

/// Whether the stored listing already has this description and proof, because the same request was sent twice.
async fn is_described(app: &App, updated: &Listing) -> Result<bool, Problem> {
    let stored = app.store.listing(&updated.id).await?;
    let has_proof = |stored: &Listing| stored.has_proven_name() || !updated.has_proven_name();
    Ok(stored.is_some_and(|stored| has_proof(&stored) && !changes_description(updated, &stored)))
}

/// A probe or another request wrote first.
pub fn changed_meanwhile(has_signed: bool) -> Problem {
    if has_signed {
        let detail = "It was probed or changed at the same time. Get a new challenge, then call again.";
        return Problem::conflict(Code::ChangedMeanwhile, detail);
    }
    Problem::unavailable("the listing was probed or changed at the same time")
}

/// Stores the proof of the name, unless the listing has a stronger one.
fn store_proof(updated: &mut Listing, name: &ProvenName) {
    let strength = |proof: NameProof| (proof.how.is_signed(), proof.how.is_of_publisher());
    let is_weaker =
        |new: &NameProof| updated.ownership.name_proof.is_some_and(|old| strength(old) > strength(*new));
    updated.ownership.name_proof = name.proof.filter(|new| !is_weaker(new)).or(updated.ownership.name_proof);
    updated.ownership.name_hold = name.name_hold(updated);
}

async fn announce(app: &App, listing: &Listing, at: Moment) {
    app.bus.send(&Event::of(listing, What::Queued, at)).await;
}
