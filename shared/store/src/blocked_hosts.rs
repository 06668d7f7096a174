//! Hosts of which nothing is listed, and the listings at a host. All blocks stand in one partition, since operators
//! make few of them and each publish and each sweep needs them all; listings are found by pointers under their hosts.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Select};

use super::attributes::{s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::keys::{self, HostPointer};
use super::transaction::{Outcome, Transaction};
use registry_model::{BlockedHost, BlockedHosts, FeedItem, HostName, ListingId};

impl Store {
    /// All hosts that are blocked.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn blocked_hosts(&self) -> Result<BlockedHosts, StoreError> {
        let mut blocked = Vec::new();
        let mut from: Option<HashMap<String, AttributeValue>> = None;
        loop {
            let answer = self
                .client
                .query()
                .table_name(&*self.table)
                .key_condition_expression("pk = :pk")
                .expression_attribute_values(":pk", s(keys::BLOCKED_HOSTS))
                .consistent_read(true)
                .set_exclusive_start_key(from.take())
                .send()
                .await?;
            for item in answer.items.unwrap_or_default() {
                blocked.push(serde_json::from_str::<BlockedHost>(text(&item, "block"))?);
            }
            from = answer.last_evaluated_key;
            if from.is_none() {
                return Ok(blocked.into_iter().collect());
            }
        }
    }

    /// Blocks a host; false where it was blocked already, which then stands as it was.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn block_host(&self, block: &BlockedHost, news: &FeedItem) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let mut item = keys::blocked_host(&block.host).item();
        item.insert("block".to_owned(), s(serde_json::to_string(block)?));
        self.put(&mut transaction, item, Some("attribute_not_exists(pk)"))?;
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Blocks a host no longer; false where it was not blocked.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn unblock_host(&self, host: &HostName, news: &FeedItem) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let there = Expression::default().only_if("attribute_exists(pk)", [], []);
        self.delete(&mut transaction, &keys::blocked_host(host), Some(&there))?;
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Some listings at a host and under it, at most `limit`.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listings_at(
        &self,
        host: &HostName,
        standing: HostPointer,
        limit: i32,
    ) -> Result<Vec<ListingId>, StoreError> {
        let answer = self.pointers_at(host, standing).limit(limit).send().await?;
        let pointers = answer.items.unwrap_or_default();
        let id = |sk: &str| sk.rsplit_once('#').and_then(|(_, id)| id.parse().ok());
        let mut ids: Vec<ListingId> = pointers.iter().filter_map(|item| id(text(item, "sk"))).collect();
        // A listing with its card at one name under the host and its endpoint at another has two pointers.
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// How many pointers there are to listings at a host and under it, counted up to one page (1 MB).
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn count_listings_at(&self, host: &HostName, standing: HostPointer) -> Result<u32, StoreError> {
        let answer = self.pointers_at(host, standing).select(Select::Count).send().await?;
        Ok(u32::try_from(answer.count).unwrap_or(0))
    }

    fn pointers_at(&self, host: &HostName, standing: HostPointer) -> QueryFluentBuilder {
        let (zone, first) = keys::host_range(host, standing);
        self.client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :zone AND begins_with(sk, :host)")
            .expression_attribute_values(":zone", s(zone))
            .expression_attribute_values(":host", s(first))
            .consistent_read(true)
    }
}
