//! The due queue: one index partition per class, each ordered by due time, so that reading the classes in turn
//! is the contract's selection order. A due listing is claimed by one conditional update that also reads it.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{ReturnValue, Select};
use jiff::SignedDuration;

use super::attributes::{Item, n, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::due_class::DueClass;
use super::error::{StoreError, is_condition_failure};
use super::expression::Expression;
use super::trails::{listing_of, trail_of};
use super::{keys, table};
use registry_model::{Amounts, HashPrefix, Listing, ListingId, Moment};

/// Rows of the queue that are read at once: one batch read, or two with their trails.
const PAGE: i32 = 100;

/// What was published a moment ago is due though the clock of its publisher was ahead of the prober's.
const CLOCKS_APART: SignedDuration = SignedDuration::from_secs(60);

type DueItems = (HashMap<ListingId, Listing>, HashMap<ListingId, Amounts>);

impl Store {
    /// A page of the listings of a class that are due before `due`, the longest waiting first, as they were a moment
    /// ago: whoever probes one claims it first. The index may be further behind than the listings themselves, so what is
    /// not due by its own word is left out.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn due(
        &self,
        class: DueClass,
        due: Moment,
        from: Option<DuePlace>,
    ) -> Result<(Vec<Listing>, Option<DuePlace>), StoreError> {
        let (ids, next) = self.due_ids(class, due, from).await?;
        let keys = ids.iter().map(|id| keys::listing(id).item()).collect();
        let (mut listings, _) = self.due_items(keys, due).await?;
        let due_still = |listing: &Listing| listing.due_at <= due;
        Ok((ids.iter().filter_map(|id| listings.remove(id)).filter(due_still).collect(), next))
    }

    /// The same of those that belong to `part`, with the values of their trails.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn due_with_trails(
        &self,
        class: DueClass,
        due: Moment,
        part: HashPrefix,
        from: Option<DuePlace>,
    ) -> Result<(Vec<(Listing, Amounts)>, Option<DuePlace>), StoreError> {
        let (mut ids, next) = self.due_ids(class, due, from).await?;
        ids.retain(|id| part.holds(id));
        let keys = ids.iter().flat_map(|id| [keys::listing(id).item(), keys::trail(id).item()]).collect();
        let (mut listings, trails) = self.due_items(keys, due).await?;
        let known = |id: &ListingId| {
            let listing = listings.remove(id).filter(|listing| listing.due_at <= due)?;
            Some((listing, trails.get(id).copied().unwrap_or_default()))
        };
        Ok((ids.iter().filter_map(known).collect(), next))
    }

    /// What of a class is due before `due`, the longest waiting first.
    fn due_query(&self, class: DueClass, due: Moment) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&*self.table)
            .index_name(table::DUE.name)
            .key_condition_expression("gsi2pk = :class AND gsi2sk < :due")
            .expression_attribute_values(":class", s(class.partition()))
            .expression_attribute_values(":due", s(keys::at(due, "~")))
    }

    async fn due_ids(
        &self,
        class: DueClass,
        due: Moment,
        from: Option<DuePlace>,
    ) -> Result<(Vec<ListingId>, Option<DuePlace>), StoreError> {
        let answer = self
            .due_query(class, due)
            .set_exclusive_start_key(from.map(|DuePlace(key)| key))
            .limit(PAGE)
            .send()
            .await?;
        let ids: Vec<ListingId> = answer
            .items
            .unwrap_or_default()
            .iter()
            .filter_map(|item| text(item, "pk").strip_prefix("LISTING#")?.parse().ok())
            .collect();
        Ok((ids, answer.last_evaluated_key.map(DuePlace)))
    }

    /// Listings, and the values of trails, by their listings.
    async fn due_items(&self, keys: Vec<Item>, now: Moment) -> Result<DueItems, StoreError> {
        let (mut listings, mut trails) = (HashMap::with_capacity(keys.len()), HashMap::new());
        for item in self.batch_get(keys, Consistency::Eventual).await? {
            if text(&item, "sk") == keys::TRAIL {
                trails.extend(listing_of(&item).map(|id| (id, trail_of(&item, now).values())));
            } else {
                let listing: Listing = serde_dynamo::from_item(item)?;
                listings.insert(listing.id.clone(), listing);
            }
        }
        Ok((listings, trails))
    }

    /// How many listings of a class are due at `now`; no more than about `most` are counted.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn due_count(&self, class: DueClass, now: Moment, most: u32) -> Result<u32, StoreError> {
        let (mut count, mut from) = (0, None);
        loop {
            let counted = self.due_query(class, now).select(Select::Count);
            let answer = counted.set_exclusive_start_key(from).send().await?;
            count += u32::try_from(answer.count).unwrap_or(0);
            from = answer.last_evaluated_key;
            if from.is_none() || count >= most {
                return Ok(count);
            }
        }
    }

    /// How many Active listings wait for their weekly recheck (counted up to one page of the index), and when
    /// the next one is due.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn rechecks_due(&self, now: Moment) -> Result<(u32, Option<Moment>), StoreError> {
        let query = || {
            self.client
                .query()
                .table_name(&*self.table)
                .index_name(table::DUE.name)
                .expression_attribute_values(":class", s(DueClass::WeeklyDue.partition()))
        };
        let waiting = query()
            .key_condition_expression("gsi2pk = :class AND gsi2sk < :now")
            .expression_attribute_values(":now", s(keys::at(now, "~")))
            .select(Select::Count)
            .limit(1000)
            .send();
        let first = query().key_condition_expression("gsi2pk = :class").limit(1).send();
        let (waiting, first) = futures::try_join!(waiting, first)?;
        let first = first.items.unwrap_or_default().first().and_then(|item| {
            let millis = text(item, "gsi2sk").split('#').next()?.parse().ok()?;
            Moment::from_millisecond(millis)
        });
        Ok((u32::try_from(waiting.count).unwrap_or(0), first))
    }

    /// Claims a listing for a probe and reads it; `None` where another worker holds it, it was asked less than
    /// `apart` ago, or it is not due, withdrawn or unknown. Delivered twice, the second claim gets nothing, however late
    /// it comes.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn claim(&self, claim: &Claim<'_>) -> Result<Option<Listing>, StoreError> {
        let until = claim.now.as_millisecond() + claim.lease_ms;
        let update = Expression::default()
            .set("lease", s(claim.mark))
            .set("lease_until", n(until))
            .set("gsi2sk", s(format!("{until:013}#{}", claim.id)))
            .add("attempts", 1)
            .only_if(
                "attribute_exists(pk) AND lane <> :withdrawn AND lease_until < :now \
                 AND gsi2sk < :due AND (attribute_not_exists(asked_at) OR asked_at <= :earlier)",
                [],
                [
                    (":withdrawn", s("withdrawn")),
                    (":now", n(claim.now.as_millisecond())),
                    (":due", s(keys::at(claim.now + CLOCKS_APART, "~"))),
                    (":earlier", n(claim.now.as_millisecond() - claim.apart_ms)),
                ],
            );
        let _writing = self.read_cache.writing([keys::listing(claim.id).pk]);
        let answer = self
            .client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(keys::listing(claim.id).item()))
            .update_expression(update.update())
            .set_condition_expression(update.condition())
            .set_expression_attribute_names(update.names())
            .set_expression_attribute_values(update.values())
            .return_values(ReturnValue::AllNew)
            .send()
            .await;
        match answer {
            Ok(answer) => Ok(answer.attributes.map(serde_dynamo::from_item).transpose()?),
            Err(error) if is_condition_failure(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Puts a claimed listing off: should its verdict not be recorded, it is due at `until` only. False where the
    /// lease was lost.
    ///
    /// # Errors
    /// The table is busy or refused; the lease then runs out by itself.
    pub async fn put_off(&self, listing: &Listing, until: Moment) -> Result<bool, StoreError> {
        let update = Expression::default().set("gsi2sk", s(keys::at(until, listing.id.as_str())));
        self.change_claimed(listing, update).await
    }

    /// Gives a claimed listing back unprobed, due again at once: the budget was used up.
    ///
    /// # Errors
    /// The table is busy or refused; the lease then runs out by itself.
    pub async fn release(&self, listing: &Listing, now: Moment) -> Result<(), StoreError> {
        let update = Expression::default()
            .set("lease_until", n(0))
            .set("gsi2sk", s(keys::at(now, listing.id.as_str())))
            .remove("lease")
            .remove("attempts");
        self.change_claimed(listing, update).await.map(drop)
    }

    /// Changes a listing under the mark of its claim; false where another holds it by now.
    async fn change_claimed(&self, listing: &Listing, change: Expression) -> Result<bool, StoreError> {
        let Some(mark) = &listing.lease else { return Ok(false) };
        let change = change.only_if("lease = :mark", [], [(":mark", s(mark))]);
        let _writing = self.read_cache.writing([keys::listing(&listing.id).pk]);
        let answer = self
            .client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(keys::listing(&listing.id).item()))
            .update_expression(change.update())
            .set_condition_expression(change.condition())
            .set_expression_attribute_names(change.names())
            .set_expression_attribute_values(change.values())
            .send()
            .await;
        match answer {
            Ok(_) => Ok(true),
            Err(error) if is_condition_failure(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Where the next page of due listings begins.
#[derive(Clone, Debug)]
pub struct DuePlace(Item);

/// A request to probe one listing.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The listing.
    pub id: &'a ListingId,
    /// The token with which the verdict must be written.
    pub mark: &'a str,
    /// The time of the claim.
    pub now: Moment,
    /// Milliseconds until the claim expires if its holder crashes.
    pub lease_ms: i64,
    /// The least time since the listing was last asked, in milliseconds.
    pub apart_ms: i64,
}
