//! The contacts of a listing. An owner has a key that nobody else can use. Each other contact has one of a few slots, so
//! that none replaces another's and their number is bounded.

use sha2::{Digest, Sha256};

use crate::prelude::*;
use crate::table::TTL_ATTRIBUTE;
use registry_model::{Contact, ContactFrom};

/// Separate from everything a list or feed query can return, and named so that a policy can deny it. Tables of earlier
/// versions have the only contact of a listing under this sort key.
pub(super) const CONTACT: KeyPattern = KeyPattern::new("CONTACT#", "CONTACT");

/// Seconds for which a contact is stored after it was given.
const RETENTION: i64 = 365 * 86_400;

/// Contacts stored per listing, in addition to those of its owner and of its feedback.
const MAX_CONTACTS: u8 = 16;

const OWNER: &str = "#OWNER";
const FEEDBACK: &str = "#FEEDBACK";

impl Store {
    pub async fn contacts(&self, id: &ListingId, now: Moment) -> Result<Vec<Contact>> {
        let items = self.query(Query::of(CONTACT.partition(id)).strong()).await?.items;
        let valid = items.iter().filter(|item| number(item, TTL_ATTRIBUTE) > now.as_second());
        let read = valid.map(|item| Contact {
            email: some_text(item, "email"),
            source: some_text(item, "source"),
            from: match text(item, "sk").strip_prefix(CONTACT.sort) {
                Some(OWNER) => ContactFrom::Owner,
                Some(FEEDBACK) => ContactFrom::Feedback,
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

/// Writes a contact, if there is anything to store, unless its slot is in use. An owner replaces the own contact.
pub(super) fn put_contact(transaction: &mut Transaction, id: &ListingId, contact: &Contact, now: Moment) {
    // Every draft of feedback has a source, which says nothing without an address.
    let is_feedback = contact.from == ContactFrom::Feedback;
    if contact.email.is_none() && (is_feedback || contact.source.is_none()) {
        return;
    }
    let (email, source) =
        (contact.email.as_deref().unwrap_or_default(), contact.source.as_deref().unwrap_or_default());
    let given = [("email", s(email)), ("source", s(source)), ttl(now, RETENTION)].into_iter();
    let change = given.fold(Expression::default(), |change, (name, value)| match contact.from {
        ContactFrom::Anyone => change.set_once(name, value),
        ContactFrom::Owner | ContactFrom::Feedback => change.set(name, value),
    });
    transaction.update(key_of(id, contact.from, &format!("{email}\n{source}")), change);
}

pub(super) fn key_of(id: &ListingId, from: ContactFrom, whose: &str) -> Key {
    match from {
        ContactFrom::Owner => CONTACT.one_of(id, OWNER),
        ContactFrom::Feedback => CONTACT.one_of(id, FEEDBACK),
        ContactFrom::Anyone => slot(id, Sha256::digest(whose)[0] % MAX_CONTACTS),
    }
}

fn slot(id: &ListingId, slot: u8) -> Key {
    CONTACT.one_of(id, format_args!("#{slot:02}"))
}

/// Every key of a listing's contacts.
pub(super) fn all_contacts(id: &ListingId) -> impl Iterator<Item = Key> {
    let named = ["", OWNER, FEEDBACK].map(|rest| CONTACT.one_of(id, rest));
    named.into_iter().chain((0..MAX_CONTACTS).map(|number| slot(id, number)))
}
