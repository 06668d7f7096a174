//! How a listing becomes an item of the table and comes back: its attributes, its index keys, its pointers by name.
//! Apart from the requests that carry them, since publishing, probing and search all read and write these items.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, s, text};
use super::due_class::DueClass;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::leaf::last_leaf;
use super::table;
use registry_model::{Assessment, Contact, Lane, Listing, ListingId};

/// A listing and the evidence of its last probe.
pub type NamedListing = (Listing, Option<Assessment>);

/// Listings put together with their evidence, from the items of both.
pub(super) fn joined(items: Vec<Item>) -> Result<Vec<NamedListing>, StoreError> {
    let (cores, others): (Vec<Item>, Vec<Item>) =
        items.into_iter().partition(|item| text(item, "sk") == "CORE");
    let others: HashMap<(&str, &str), &Item> =
        others.iter().map(|item| ((text(item, "pk"), text(item, "sk")), item)).collect();
    let read = |core: Item| {
        let proof = others.get(&(text(&core, "pk"), keys::EVIDENCE));
        let evidence = proof.map(|proof| evidence(proof)).transpose()?;
        let leaf = others.get(&(text(&core, "pk"), keys::LAST_LEAF));
        let last_leaf = leaf.map(|leaf| last_leaf(leaf)).transpose()?;
        let listing: Listing = serde_dynamo::from_item(core)?;
        Ok((Listing { last_leaf, ..listing }, evidence))
    };
    cores.into_iter().map(read).collect()
}

fn evidence(item: &Item) -> Result<Assessment, StoreError> {
    let evidence: Assessment = serde_json::from_str(text(item, "evidence"))?;
    let changed = item.get(keys::CHANGED).map(|_| serde_json::from_str(text(item, keys::CHANGED)));
    Ok(Assessment { changed: changed.transpose()?, ..evidence })
}

/// The whole item of a listing: its data and its places in the indexes.
pub(super) fn listing_item(listing: &Listing) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(listing)?;
    item.extend(keys::listing(&listing.id).item());
    item.insert("hosted".to_owned(), AttributeValue::Bool(true));
    let mut place = |index: table::Index, pk: String, sk: String| {
        item.insert(index.key[0].to_owned(), s(pk));
        item.insert(index.key[1].to_owned(), s(sk));
    };
    if listing.lane == Lane::Active {
        place(table::SHOWN, keys::shown_active(listing.shown_kind()), listing.shown_at());
    }
    if let Some(class) = due_class(listing) {
        place(table::DUE, class.partition().to_owned(), keys::at(listing.due_at, listing.id.as_str()));
    }
    Ok(item)
}

/// What turns one state of a listing's item into another. The funnel's marks and the last visit are left
/// alone: they are set by others while a probe is under way.
pub(super) fn changed(before: &Listing, after: &Listing) -> Result<Expression, StoreError> {
    const OTHERS: [&str; 5] = ["pk", "sk", "demoed", "feedbacked", "visited_at"];
    let (before, after) = (listing_item(before)?, listing_item(after)?);
    let others = |name: &String| OTHERS.contains(&name.as_str());
    let gone: Vec<String> =
        before.keys().filter(|name| !after.contains_key(*name) && !others(name)).cloned().collect();
    let kept: Item = after.into_iter().filter(|(name, _)| !others(name)).collect();
    Ok(gone.iter().fold(Expression::default().set_all(kept), |change, name| change.remove(name)))
}

fn due_class(listing: &Listing) -> Option<DueClass> {
    match listing.lane {
        Lane::Withdrawn => None,
        Lane::Active if listing.failures > 0 => Some(DueClass::Confirming),
        Lane::Active => Some(DueClass::WeeklyDue),
        Lane::Queued if listing.probe.is_none() => Some(DueClass::NeverProbed),
        Lane::Queued => Some(DueClass::CoolDown),
        Lane::NeedsFix | Lane::Demoted => Some(DueClass::PartialOrStale),
    }
}

/// The pointers by which a listing is found by name, each once.
pub(super) fn pointers(listing: &Listing) -> Vec<Key> {
    let Some(server_name) = &listing.server_name else {
        return vec![keys::name(&listing.name, &listing.id)];
    };
    let mut pointers = vec![if listing.name_proof.is_some() {
        keys::proven_name(server_name, &listing.id)
    } else {
        keys::name(server_name, &listing.id)
    }];
    if keys::name_partition(server_name) != keys::name_partition(&listing.name) {
        pointers.push(keys::name(&listing.name, &listing.id));
    }
    pointers
}

/// A publisher's contact, written where no other's stands; `None` where there is nothing to keep.
pub(super) fn contact_change(id: &ListingId, contact: &Contact) -> Option<(Key, Expression)> {
    if contact.email.is_none() && contact.source.is_none() {
        return None;
    }
    let (email, source) =
        (contact.email.as_deref().unwrap_or_default(), contact.source.as_deref().unwrap_or_default());
    let change = Expression::default().set_once("email", s(email)).set_once("source", s(source));
    Some((keys::contact(id, &format!("{email}\n{source}")), change))
}
