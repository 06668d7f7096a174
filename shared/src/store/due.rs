//! The due queue: one index partition per class, each ordered by due time, so that reading the classes in turn
//! is the contract's selection order. A due listing is claimed by one conditional update that also reads it.

use aws_sdk_dynamodb::types::{ReturnValue, Select};

use super::attributes::{n, s, text};
use super::client::Store;
use super::due_class::DueClass;
use super::error::{StoreError, is_condition_failure};
use super::expression::Expression;
use super::{keys, table};
use crate::model::{Listing, ListingId, Moment};

impl Store {
    /// The listings of a class that are due, the longest waiting first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn due(&self, class: DueClass, now: Moment, limit: u32) -> Result<Vec<ListingId>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::DUE.name)
            .key_condition_expression("gsi2pk = :class AND gsi2sk < :now")
            .expression_attribute_values(":class", s(class.partition()))
            .expression_attribute_values(":now", s(keys::at(now, "~")))
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .send()
            .await?;
        let items = answer.items.unwrap_or_default();
        let id = |pk: &str| pk.strip_prefix("LISTING#").and_then(|id| id.parse().ok());
        Ok(items.iter().filter_map(|item| id(text(item, "pk"))).collect())
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
    /// `apart` ago, or it is withdrawn or unknown. Delivered twice, the second claim gets nothing.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn claim(&self, claim: &Claim<'_>) -> Result<Option<Listing>, StoreError> {
        let until = claim.now.as_millisecond() + claim.lease_ms;
        let update = Expression::default()
            .set("lease", s(claim.mark))
            .set("lease_until", n(until))
            .set("gsi2sk", s(format!("{until:013}#{}", claim.id)))
            .only_if(
                "attribute_exists(pk) AND lane <> :withdrawn AND lease_until < :now \
                 AND (attribute_not_exists(asked_at) OR asked_at <= :earlier)",
                [],
                [
                    (":withdrawn", s("withdrawn")),
                    (":now", n(claim.now.as_millisecond())),
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

    /// Gives a claimed listing back unprobed, due again at once: the budget was used up.
    ///
    /// # Errors
    /// The table is busy or refused; the lease then runs out by itself.
    pub async fn release(&self, listing: &Listing, now: Moment) -> Result<(), StoreError> {
        let Some(mark) = &listing.lease else { return Ok(()) };
        let update = Expression::default()
            .set("lease_until", n(0))
            .set("gsi2sk", s(keys::at(now, listing.id.as_str())))
            .remove("lease")
            .only_if("lease = :mark", [], [(":mark", s(mark))]);
        let _writing = self.read_cache.writing([keys::listing(&listing.id).pk]);
        let answer = self
            .client
            .update_item()
            .table_name(&*self.table)
            .set_key(Some(keys::listing(&listing.id).item()))
            .update_expression(update.update())
            .set_condition_expression(update.condition())
            .set_expression_attribute_names(update.names())
            .set_expression_attribute_values(update.values())
            .send()
            .await;
        match answer {
            Err(error) if !is_condition_failure(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }
}

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
