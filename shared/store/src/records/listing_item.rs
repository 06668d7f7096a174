//! How a listing is stored: its attributes, its index keys, and the items that point to it by name. This module is
//! separate from the requests, because publishing, probing, and search all read and write these items.

use std::collections::HashMap;

use super::leaves::last_leaf;
use crate::table::keys::NameRank;
use crate::table::prelude::*;
use registry_model::{Assessment, Contact, ContactFrom, Lane, string_enum};

/// A listing and the evidence of its last probe.
pub type NamedListing = (Listing, Option<Assessment>);

string_enum! {
    /// A class of the due queue, each a partition of the index by due time. The first four are the specification's selection
    /// order. A Live listing whose due time is in the future has a fresh `ok`, or an old one that a tick may renew.
    pub enum DueClass {
        NeverProbed = "DUE#0",
        /// Active or gated, and its last probe passed. Its due time is that of its weekly recheck, so this is also the order
        /// of the proofs: the oldest is first.
        WeeklyDue = "DUE#1",
        /// To be retried after an inconclusive probe.
        CoolDown = "DUE#2",
        /// Its last probe was `partial`, `fail` or `skip`, or it was demoted: probed again now and then.
        PartialOrStale = "DUE#3",
        /// Active or gated, but its last probe failed: the weekly recheck probes it every hour until the failure is
        /// confirmed. It is not part of `WeeklyDue`: a tick could claim it first, and so postpone the confirmation again and
        /// again.
        Confirming = "DUE#CONFIRM",
    }
}

impl DueClass {
    /// The classes of a tick, in the order in which they are served.
    pub const OF_A_TICK: [Self; 4] =
        [Self::NeverProbed, Self::WeeklyDue, Self::CoolDown, Self::PartialOrStale];
    pub const OF_A_RECHECK: [Self; 2] = [Self::Confirming, Self::WeeklyDue];

    fn of(listing: &Listing) -> Option<Self> {
        match listing.lane {
            Lane::Withdrawn => None,
            Lane::Active | Lane::Gated if listing.failures > 0 => Some(Self::Confirming),
            Lane::Active | Lane::Gated => Some(Self::WeeklyDue),
            Lane::Queued if listing.probe.is_none() => Some(Self::NeverProbed),
            Lane::Queued => Some(Self::CoolDown),
            Lane::NeedsFix | Lane::Package | Lane::Unchecked | Lane::Demoted => Some(Self::PartialOrStale),
        }
    }
}

/// Joins the items of listings with those of their evidence and last leaves.
pub(crate) fn joined(items: Vec<Item>) -> Result<Vec<NamedListing>> {
    let (cores, others): (Vec<Item>, Vec<Item>) =
        items.into_iter().partition(|item| keys::LISTING.is_place_of(item));
    let others: HashMap<(&str, &str), &Item> =
        others.iter().map(|item| ((text(item, "pk"), text(item, "sk")), item)).collect();
    let read = |core: Item| {
        let evidence = others.get(&(text(&core, "pk"), keys::EVIDENCE.sort));
        // A change of tools can be stored before any evidence.
        let evidence = evidence.filter(|item| item.contains_key("evidence"));
        let evidence = evidence.map(|item| read_evidence(item)).transpose()?;
        let leaf = others.get(&(text(&core, "pk"), keys::LAST_LEAF.sort));
        let last_leaf = leaf.map(|leaf| last_leaf(leaf)).transpose()?;
        let listing: Listing = serde_dynamo::from_item(core)?;
        Ok((Listing { last_leaf, ..listing }, evidence))
    };
    cores.into_iter().map(read).collect()
}

fn read_evidence(item: &Item) -> Result<Assessment> {
    let evidence: Assessment = blob(item, "evidence")?;
    let changed = item.get(keys::CHANGED).map(|_| blob(item, keys::CHANGED));
    Ok(Assessment { changed: changed.transpose()?, ..evidence })
}

/// The whole item of a listing: its data and its index keys.
pub(crate) fn listing_item(listing: &Listing) -> Result<Item> {
    let mut item: Item = serde_dynamo::to_item(listing)?;
    // A value that a listing does not have is no attribute.
    item.retain(|_, value| !value.is_null());
    item.extend(keys::listing(&listing.id).with([("hosted", yes())]));
    let mut index = |index: table::Index, pk: String, sk: String| {
        item.insert(index.key[0].to_owned(), s(pk));
        item.insert(index.key[1].to_owned(), s(sk));
    };
    let shown = match listing.lane {
        Lane::Active => Some(keys::shown_active(listing.shown_kind())),
        Lane::Gated => Some(keys::SHOWN_GATED.to_owned()),
        Lane::Package => Some(keys::SHOWN_PACKAGES.to_owned()),
        Lane::Queued | Lane::NeedsFix | Lane::Unchecked | Lane::Demoted | Lane::Withdrawn => None,
    };
    if let Some(shown) = shown {
        index(table::SHOWN, shown, listing.shown_at());
    }
    if let Some(class) = DueClass::of(listing) {
        index(table::DUE, class.as_str().to_owned(), keys::at(listing.due_at, listing.id.as_str()));
    }
    Ok(item)
}

/// The change from one state of a listing's item to another, with a new revision. It excludes the funnel's marks, the
/// last visit and read, and the proven domain, which other writers set during a probe.
pub(crate) fn changed(before: &Listing, after: &Listing) -> Result<Expression> {
    const EXCLUDED: [&str; 7] =
        ["pk", "sk", "demoed", "feedbacked", "visited_at", "read_at", "proven_domain"];
    let (mut before, mut after) = (listing_item(before)?, listing_item(after)?);
    before.retain(|name, _| !EXCLUDED.contains(&name.as_str()) && !after.contains_key(name));
    after.retain(|name, _| !EXCLUDED.contains(&name.as_str()));
    let change = Expression::default().set_all(after).add(REVISION, 1);
    Ok(before.keys().fold(change, |change, name| change.remove(name)))
}

/// The attribute that counts the changes of a listing; absent in items of earlier versions.
pub(crate) const REVISION: &str = "revision";

/// Requires that nobody changed the listing since it was read.
pub(crate) fn if_as_read(change: Expression, before: &Listing) -> Expression {
    match before.revision {
        0 => change.if_missing_or(REVISION, "=", n(0)),
        revision => change.if_equal(REVISION, n(revision)),
    }
}

/// A condition: the listing exists and is not withdrawn.
pub(crate) fn not_withdrawn() -> Expression {
    Expression::default().if_is("lane", "<>", s(Lane::Withdrawn.as_str())).if_exists()
}

/// The pointers by which a listing is found by name, without duplicates.
pub(crate) fn pointers(listing: &Listing) -> Vec<Key> {
    let key = |name: &str, rank: Option<NameRank>| match rank {
        Some(rank) => keys::preferred_name(name, &listing.id, rank),
        None => keys::name(name, &listing.id),
    };
    let shown = listing.lane.is_proven().then_some(NameRank::Shown);
    let Some(server_name) = &listing.server_name else { return vec![key(&listing.name, shown)] };
    let rank = listing.name_proof.map(|proof| match proof.how.is_of_publisher() {
        true => NameRank::Owned,
        false => NameRank::AtDomain,
    });
    let mut pointers = vec![key(server_name, rank.or(shown))];
    if keys::name_partition(server_name) != keys::name_partition(&listing.name) {
        pointers.push(key(&listing.name, shown));
    }
    pointers
}

/// Seconds for which a contact is stored after it was given.
pub(crate) const CONTACT_RETENTION: i64 = 365 * 86_400;

/// Writes a contact, if there is anything to store, unless its slot is in use. An owner replaces the own contact.
pub(crate) fn keep_contact(transaction: &mut Transaction, id: &ListingId, contact: &Contact, now: Moment) {
    // Every draft of feedback has a source, which says nothing without an address.
    let is_feedback = contact.from == ContactFrom::Feedback;
    if contact.email.is_none() && (is_feedback || contact.source.is_none()) {
        return;
    }
    let (email, source) =
        (contact.email.as_deref().unwrap_or_default(), contact.source.as_deref().unwrap_or_default());
    let (expires, at) = ttl(now, CONTACT_RETENTION);
    let given = [("email", s(email)), ("source", s(source)), (expires, at)].into_iter();
    let change = given.fold(Expression::default(), |change, (name, value)| match contact.from {
        ContactFrom::Anyone => change.set_once(name, value),
        ContactFrom::Owner | ContactFrom::Feedback => change.set(name, value),
    });
    transaction.update(keys::contact(id, contact.from, &format!("{email}\n{source}")), change);
}
