//! How a listing is stored: its item, its partitions in the indexes, and the changes and conditions of its item.

use crate::prelude::*;
use registry_model::{Kind, Lane, string_enum};

/// The items that are read together with a listing share its partition.
pub(crate) const LISTING: KeyPattern = KeyPattern::new("LISTING#", "CORE");

/// The index partition of servers that run on the machine of their user.
pub(super) const PACKAGES: &str = "PACKAGES";

/// The index partition of servers that ask for a sign-in.
pub(super) const GATED: &str = "GATED";

/// The index partition of the Active listings of a kind.
pub(super) fn active_partition(kind: Kind) -> String {
    format!("ACTIVE#{}", kind.as_str())
}

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

    pub(super) fn of(listing: &Listing) -> Option<Self> {
        match listing.lane {
            Lane::Withdrawn => None,
            Lane::Active | Lane::Gated if listing.schedule.failures > 0 => Some(Self::Confirming),
            Lane::Active | Lane::Gated => Some(Self::WeeklyDue),
            Lane::Queued if listing.proof.probe.is_none() => Some(Self::NeverProbed),
            Lane::Queued => Some(Self::CoolDown),
            Lane::NeedsFix | Lane::Package | Lane::Unchecked | Lane::Demoted => Some(Self::PartialOrStale),
        }
    }
}

/// The whole item of a listing: its data and its index keys.
pub(super) fn listing_item(listing: &Listing) -> Result<Item> {
    let mut item: Item = serde_dynamo::to_item(listing)?;
    // A value that a listing does not have is no attribute.
    item.retain(|_, value| !value.is_null());
    item.extend(LISTING.of(&listing.id).with([("hosted", yes())]));
    let mut index = |index: table::Index, pk: String, sk: String| {
        item.insert(index.key[0].to_owned(), s(pk));
        item.insert(index.key[1].to_owned(), s(sk));
    };
    let shown = match listing.lane {
        Lane::Active => Some(active_partition(listing.likely_kind())),
        Lane::Gated => Some(GATED.to_owned()),
        Lane::Package => Some(PACKAGES.to_owned()),
        Lane::Queued | Lane::NeedsFix | Lane::Unchecked | Lane::Demoted | Lane::Withdrawn => None,
    };
    if let Some(shown) = shown {
        index(table::SHOWN, shown, listing.list_position());
    }
    if let Some(class) = DueClass::of(listing) {
        index(table::DUE, class.as_str().to_owned(), key::at(listing.schedule.due_at, listing.id.as_str()));
    }
    Ok(item)
}

/// The change from one state of a listing's item to another, with a new revision. It excludes the funnel's marks, the
/// last visit and read, and the proven domain, which other writers set during a probe.
pub(super) fn changed(before: &Listing, after: &Listing) -> Result<Expression> {
    const EXCLUDED: [&str; 7] =
        ["pk", "sk", "demoed", "feedbacked", "visited_at", "read_at", "proven_domain"];
    let (mut before, mut after) = (listing_item(before)?, listing_item(after)?);
    before.retain(|name, _| !EXCLUDED.contains(&name.as_str()) && !after.contains_key(name));
    after.retain(|name, _| !EXCLUDED.contains(&name.as_str()));
    let change = Expression::default().set_all(after).add(REVISION, 1);
    Ok(before.keys().fold(change, |change, name| change.remove(name)))
}

/// The attribute that counts the changes of a listing; absent in items of earlier versions.
pub(super) const REVISION: &str = "revision";

/// Requires that nobody changed the listing since it was read.
pub(super) fn if_as_read(change: Expression, before: &Listing) -> Expression {
    match before.revision {
        0 => change.if_missing_or(REVISION, "=", n(0)),
        revision => change.if_equal(REVISION, n(revision)),
    }
}

/// A condition: the listing exists and is not withdrawn.
pub(super) fn not_withdrawn() -> Expression {
    Expression::default().if_is("lane", "<>", s(Lane::Withdrawn.as_str())).if_exists()
}
