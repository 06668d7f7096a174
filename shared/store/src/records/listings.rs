//! A listing as its publisher describes it: its item, its contacts, and its server descriptions (`server.json`). The requests
//! insert a listing, read it by its id, or return a page of shown ones. The evidence of the last probe is a separate item: it
//! is many times larger than the listing, and lists do not return it. Server descriptions are separate, too, because only the
//! registry API needs them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::evidence::{EVIDENCE, LAST_LEAF, last_leaf, read_evidence};
use crate::prelude::*;
use crate::table::attributes::TTL_ATTRIBUTE;
use registry_model::{
    Amounts, Assessment, Contact, ContactFrom, FeedItem, Kind, Lane, ServerDocument, TrailEvent, string_enum,
};

/// A listing and the evidence of its last probe.
pub type NamedListing = (Listing, Option<Assessment>);

/// Listings of a page, and the place where the next page begins.
pub(crate) type ListedPage = (Vec<Listing>, Option<String>);

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
fn listing_item(listing: &Listing) -> Result<Item> {
    let mut item: Item = serde_dynamo::to_item(listing)?;
    // A value that a listing does not have is no attribute.
    item.retain(|_, value| !value.is_null());
    let shown = match listing.lane {
        Lane::Active => Some(active_partition(listing.likely_kind())),
        Lane::Gated => Some(GATED.to_owned()),
        Lane::Package => Some(PACKAGES.to_owned()),
        Lane::Queued | Lane::NeedsFix | Lane::Unchecked | Lane::Demoted | Lane::Withdrawn => None,
    };
    let shown = shown.map(|partition| table::SHOWN.place(partition, listing.list_position()));
    let due_at = key::at(listing.schedule.due_at, listing.id.as_str());
    let due = DueClass::of(listing).map(|class| table::DUE.place(class.as_str(), due_at));
    let keys_in_indexes = shown.into_iter().chain(due).flatten();
    item.extend(LISTING.of(&listing.id).with(keys_in_indexes.chain([("hosted", yes())])));
    Ok(item)
}

/// The change from one state of a listing's item to another, with a new revision, provided that nobody changed the listing
/// since it was read. It excludes the funnel's marks, the last visit and read, and the proven domain, which other writers
/// set during a probe.
pub(super) fn listing_change(before: &Listing, after: &Listing) -> Result<Expression> {
    const EXCLUDED: [&str; 7] =
        ["pk", "sk", "demoed", "feedbacked", "visited_at", "read_at", "proven_domain"];
    let (mut old, mut new) = (listing_item(before)?, listing_item(after)?);
    old.retain(|name, _| !EXCLUDED.contains(&name.as_str()) && !new.contains_key(name));
    new.retain(|name, _| !EXCLUDED.contains(&name.as_str()));
    let change = Expression::default().set_all(new).add(REVISION, 1);
    let change = change.remove_all(old.keys().map(String::as_str));
    Ok(match before.revision {
        0 => change.if_missing_or(REVISION, "=", n(0)),
        revision => change.if_equal(REVISION, n(revision)),
    })
}

/// The attribute that counts the changes of a listing; absent in items of earlier versions.
pub(super) const REVISION: &str = "revision";

/// A condition: the listing exists and is not withdrawn.
pub(super) fn not_withdrawn() -> Expression {
    Expression::default().if_is("lane", "<>", s(Lane::Withdrawn.as_str())).if_exists()
}

impl Store {
    pub async fn listing(&self, id: &ListingId) -> Result<Option<Listing>> {
        let item = self.read(&LISTING.of(id)).await?;
        Ok(item.map(serde_dynamo::from_item).transpose()?)
    }

    /// A listing with its evidence and its last leaf, by one read.
    pub async fn listing_with_evidence(&self, id: &ListingId) -> Result<Option<Arc<NamedListing>>> {
        let keys = vec![LISTING.of(id), EVIDENCE.of(id), LAST_LEAF.of(id)];
        let read = async { Ok(with_evidence(self.batch_get(keys, Consistency::Strong).await?)?.pop()) };
        self.read_cache.listing(LISTING.partition(id), read).await
    }

    pub async fn listings(&self, ids: &[ListingId]) -> Result<Vec<Listing>> {
        read_all(self.batch_get(LISTING.all(ids), Consistency::Strong).await?)
    }

    /// The cores of listings, to show them, in no order. They are cached if only this process writes to the table. Otherwise
    /// an eventual read costs half.
    pub async fn shown_listings(&self, ids: &[ListingId]) -> Result<Vec<Arc<Listing>>> {
        let read = |missing| self.batch_get(missing, Consistency::Eventual);
        self.read_cache.cores(LISTING.all(ids), read).await
    }

    /// Listings with their evidence, to show them, in no order. Evidence is large, and an eventual read costs half.
    pub async fn shown_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>> {
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), EVIDENCE.of(id)]);
        with_evidence(self.batch_get(keys.collect(), Consistency::Eventual).await?)
    }

    /// Listings with their evidence, in no order.
    pub async fn listings_with_evidence(&self, ids: &[ListingId]) -> Result<Vec<NamedListing>> {
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), EVIDENCE.of(id)]);
        with_evidence(self.batch_get(keys.collect(), Consistency::Strong).await?)
    }

    /// Inserts a listing with its contact, names, feed item and trail, in one transaction. False if it exists, because it was
    /// published concurrently. `yielding` is the listing that loses the name that this one proved.
    pub async fn insert(
        &self,
        listing: &Listing,
        document: Option<&DocumentChange>,
        contact: &Contact,
        news: &FeedItem,
        yielding: Option<&Listing>,
    ) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.put_new(listing_item(listing)?);
        transaction.put_server_document(&listing.id, document)?;
        transaction.put_contact(&listing.id, contact, listing.listed_at);
        if let Some(yielding) = yielding {
            transaction.yield_name(yielding, listing.listed_at)?;
            transaction.bump_version(&yielding.id);
        }
        transaction.move_pointers(None, Some(listing));
        transaction.add_to_feed([news])?;
        let deposit = Deposit::of(&listing.id, TrailEvent::ListYourself).on(Some(Amounts::NONE));
        transaction.add_deposits(&[deposit], listing.listed_at);
        self.commit(transaction).await
    }

    /// Replaces a listing by its publisher's new description, and takes the name it proved from `yielding`. False where
    /// it is being probed or was changed since it was read; then nothing was written.
    pub async fn republish(
        &self,
        before: &Listing,
        after: &Listing,
        document: Option<&DocumentChange>,
        contact: &Contact,
        yielding: Option<&Listing>,
        now: Moment,
    ) -> Result<bool> {
        let mut transaction = Transaction::default();
        let change = listing_change(before, after)?
            .if_equal("lane", s(before.lane.as_str()))
            .if_equal("due_at", s(before.schedule.due_at.to_string()))
            .if_is("lease_until", "<", ms(now));
        transaction.update(LISTING.of(&after.id), change);
        transaction.put_server_document(&after.id, document)?;
        transaction.put_contact(&after.id, contact, now);
        transaction.move_pointers(Some(before), Some(after));
        if after.lane.is_proven() {
            transaction.mark_dirty(&after.id, now);
        }
        transaction.add_to_feed(FeedItem::of_name(before, after, now).as_ref())?;
        if let Some(yielding) = yielding {
            transaction.yield_name(yielding, now)?;
        }
        if after.lane == Lane::Active || yielding.is_some() {
            transaction.bump_version(&after.id);
        }
        self.commit(transaction).await
    }

    /// Active listings of a kind, the newest first, after the place where an earlier page ended.
    pub async fn active(&self, kind: Kind, after: Option<&str>, limit: u32) -> Result<ListedPage> {
        self.page_of_shown(active_partition(kind), after, limit).await
    }

    /// Servers that run on the machine of their user, the newest first, after the place where an earlier page ended.
    pub async fn packages(&self, after: Option<&str>, limit: usize) -> Result<ListedPage> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        self.page_of_shown(PACKAGES.to_owned(), after, limit).await
    }

    async fn page_of_shown(&self, partition: String, after: Option<&str>, limit: u32) -> Result<ListedPage> {
        let page = format!("{partition}\n{limit}\n{}", after.unwrap_or_default());
        self.read_cache.page(&page, self.read_page_of_shown(partition, after, limit)).await
    }

    pub(super) async fn read_page_of_shown(
        &self,
        partition: String,
        after: Option<&str>,
        limit: u32,
    ) -> Result<ListedPage> {
        let range = after.map_or(Range::All, |after| Range::Before(after.to_owned()));
        let query = Query::of(partition).index(table::SHOWN).range(range);
        let (items, next) =
            self.page_of_items(query.descending(), limit as usize, table::SHOWN.key[1]).await?;
        Ok((read_all(items)?, next))
    }
}

/// Joins the items of listings with those of their evidence and last leaves.
pub(super) fn with_evidence(items: Vec<Item>) -> Result<Vec<NamedListing>> {
    let (cores, others) = LISTING.split(items);
    let others: HashMap<(&str, &str), &Item> =
        others.iter().map(|item| ((text(item, "pk"), text(item, "sk")), item)).collect();
    let read = |core: Item| {
        let evidence = others.get(&(text(&core, "pk"), EVIDENCE.sort));
        let evidence = evidence.map(|item| read_evidence(item)).transpose()?.flatten();
        let leaf = others.get(&(text(&core, "pk"), LAST_LEAF.sort));
        let last_leaf = leaf.map(|leaf| last_leaf(leaf)).transpose()?;
        let listing: Listing = serde_dynamo::from_item(core)?;
        Ok((Listing { last_leaf, ..listing }, evidence))
    };
    cores.into_iter().map(read).collect()
}

/// Separate from everything a list or feed query can return, and named so that a policy can deny it. Tables of earlier
/// versions have the only contact of a listing under this sort key.
pub(super) const CONTACT: KeyPattern = KeyPattern::new("CONTACT#", "CONTACT");

/// Seconds for which a contact is stored after it was given.
const CONTACT_RETENTION: i64 = 365 * 86_400;

/// Contacts stored per listing, in addition to those of its owner and of its feedback.
const MAX_CONTACTS: u8 = 16;

const FROM_OWNER: &str = "#OWNER";
const FROM_FEEDBACK: &str = "#FEEDBACK";

impl Store {
    pub async fn contacts(&self, id: &ListingId, now: Moment) -> Result<Vec<Contact>> {
        let items = self.query(CONTACT.query_of(id).strong()).await?.items;
        let valid = items.iter().filter(|item| number(item, TTL_ATTRIBUTE) > now.as_second());
        let read = valid.map(|item| Contact {
            email: some_text(item, "email"),
            source: some_text(item, "source"),
            from: match text(item, "sk").strip_prefix(CONTACT.sort) {
                Some(FROM_OWNER) => ContactFrom::Owner,
                Some(FROM_FEEDBACK) => ContactFrom::Feedback,
                _ => ContactFrom::Anyone,
            },
        });
        Ok(read.collect())
    }

    /// Erases the contacts of a listing; false where there was none. After an error some may be erased: repeat the call.
    pub async fn erase_contact(&self, id: &ListingId) -> Result<bool> {
        let mut erased = false;
        for slot in all_contacts(id) {
            // The deletion returns what existed.
            erased |= self.delete(&slot).await?;
        }
        Ok(erased)
    }
}

impl Transaction {
    /// Writes a contact, if there is anything to store, unless its slot is in use. An owner replaces the own contact.
    pub(super) fn put_contact(&mut self, id: &ListingId, contact: &Contact, now: Moment) {
        // Every draft of feedback has a source, which says nothing without an address.
        let is_feedback = contact.from == ContactFrom::Feedback;
        if contact.email.is_none() && (is_feedback || contact.source.is_none()) {
            return;
        }
        let (email, source) =
            (contact.email.as_deref().unwrap_or_default(), contact.source.as_deref().unwrap_or_default());
        let given = [("email", s(email)), ("source", s(source)), ttl(now, CONTACT_RETENTION)].into_iter();
        let change = given.fold(Expression::default(), |change, (name, value)| match contact.from {
            ContactFrom::Anyone => change.set_once(name, value),
            ContactFrom::Owner | ContactFrom::Feedback => change.set(name, value),
        });
        self.update(contact_key(id, contact.from, &format!("{email}\n{source}")), change);
    }
}

pub(super) fn contact_key(id: &ListingId, from: ContactFrom, whose: &str) -> Key {
    match from {
        ContactFrom::Owner => CONTACT.one_of(id, FROM_OWNER),
        ContactFrom::Feedback => CONTACT.one_of(id, FROM_FEEDBACK),
        ContactFrom::Anyone => contact_slot(id, Sha256::digest(whose)[0] % MAX_CONTACTS),
    }
}

fn contact_slot(id: &ListingId, slot: u8) -> Key {
    CONTACT.one_of(id, format_args!("#{slot:02}"))
}

/// Every key of a listing's contacts.
pub(super) fn all_contacts(id: &ListingId) -> impl Iterator<Item = Key> {
    let named = ["", FROM_OWNER, FROM_FEEDBACK].map(|rest| CONTACT.one_of(id, rest));
    named.into_iter().chain((0..MAX_CONTACTS).map(|number| contact_slot(id, number)))
}

/// The latest server description of a listing.
pub(super) const SERVER: Record<ServerDocument> = Record::new(LISTING.prefix, "SERVER", "server");
/// An earlier version.
pub(super) const EARLIER_SERVER: Record<ServerDocument> = Record::new(LISTING.prefix, "SERVER#", "server");

/// After so many earlier versions, the oldest is replaced.
const MAX_EARLIER: u32 = 50;

/// A new version of a description. The version that it replaces is kept, if it is another one.
#[derive(Clone, Debug)]
pub struct DocumentChange {
    pub new: ServerDocument,
    pub replaced: Option<ServerDocument>,
}

impl Transaction {
    fn put_server_document(&mut self, id: &ListingId, change: Option<&DocumentChange>) -> Result<()> {
        let Some(change) = change else { return Ok(()) };
        self.put(SERVER.item(&SERVER.of(id), &change.new)?);
        if let Some(replaced) = &change.replaced
            && replaced.version() != change.new.version()
        {
            let key = EARLIER_SERVER.one_of(id, format_args!("{:02}", replaced.number % MAX_EARLIER));
            self.put(EARLIER_SERVER.item(&key, replaced)?);
        }
        Ok(())
    }
}

impl Store {
    /// The latest description of a listing that was published as one.
    pub async fn server_document(&self, id: &ListingId) -> Result<Option<ServerDocument>> {
        self.get(&SERVER, &SERVER.of(id)).await
    }

    /// The latest descriptions of listings. Pages are cached, so they must not contain an older description.
    pub async fn server_documents(&self, ids: &[ListingId]) -> Result<HashMap<ListingId, ServerDocument>> {
        let items = self.batch_get(SERVER.all(ids), Consistency::Strong).await?;
        // One that cannot be read must not stop the page.
        let log = |error: &StoreError| tracing::error!(error = chain(error), "a description cannot be read");
        Ok(items.iter().filter_map(|item| SERVER.read_with_owner(item).inspect_err(log).ok()).collect())
    }

    /// All stored versions of a description, the latest first. Each version is in it once.
    pub async fn server_versions(&self, id: &ListingId) -> Result<Vec<ServerDocument>> {
        let range = Range::Prefix(SERVER.sort.to_owned());
        let mut all = self.list(&SERVER, SERVER.query_of(id).range(range).strong()).await?;
        all.sort_by_key(|document| Reverse(document.number));
        // Earlier ones under another name are of another owner.
        let name = all.first().and_then(|latest| latest.server.get("name").cloned());
        let mut known = HashSet::new();
        all.retain(|document| {
            document.server.get("name") == name.as_ref() && known.insert(document.version().to_owned())
        });
        Ok(all)
    }
}
