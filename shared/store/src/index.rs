//! The search index in the table: a manifest of the buckets and their versions, the buckets as bytes, and dirty marks on
//! listings that must be indexed again. A mark is written in one transaction with the change, so that none is missed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use super::attributes::{Item, n, number, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::manifest::Manifest;
use super::transaction::{Outcome, Transaction};
use registry_model::{HashPrefix, Kind, Lane, Listing, ListingId, Moment, id_hash};

/// Marks set or cleared at the same time.
const CONCURRENCY: usize = 4;
/// Live listings read in one request.
const PAGE: u32 = 100;

/// A bucket as the table holds it. Its entries are the search's own format: to the store they are bytes.
#[derive(Clone, Debug)]
pub struct StoredBucket {
    /// The ids it holds.
    pub prefix: HashPrefix,
    /// The version of the index at which it was written.
    pub version: u64,
    /// Its entries, encoded; empty where the item holds none.
    pub bytes: Vec<u8>,
}

/// Says that a listing must be indexed again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirtyMark {
    /// The listing.
    pub id: ListingId,
    /// When it changed; tells this mark from a later one on the same listing.
    pub at: Moment,
}

/// The listings of a page of hits, with the manifest read in the same request.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The index as the table has it now.
    pub manifest: Arc<Manifest>,
    /// Those that are Live, by id.
    pub live: HashMap<ListingId, Arc<Listing>>,
    /// Founding seats taken.
    pub seats_claimed: u32,
}

fn manifest_key() -> Key {
    Key::new("INDEX", "MANIFEST")
}

fn bucket_key(prefix: HashPrefix) -> Key {
    Key::new(format!("INDEX#{prefix}"), "BUCKET")
}

const DIRTY_MARKS: &str = "INDEX#CHANGED";

/// Marks sort by hash and so by bucket, so that one round of a build reads marks of few buckets.
fn dirty_mark_key(id: &ListingId) -> Key {
    Key::new(DIRTY_MARKS, format!("{:08x}#{id}", id_hash(id)))
}

impl Store {
    /// The manifest; empty before the first build.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn manifest(&self) -> Result<Arc<Manifest>, StoreError> {
        let read = async {
            let answer = self
                .client
                .get_item()
                .table_name(&*self.table)
                .set_key(Some(manifest_key().item()))
                .consistent_read(true)
                .send()
                .await?;
            Ok(answer.item.as_ref().map(manifest).unwrap_or_default())
        };
        self.read_cache.manifest(&manifest_key(), read).await
    }

    /// Reads buckets as they are now; those that no longer exist are left out.
    ///
    /// # Errors
    /// The table is busy or refused, or an item is not a bucket.
    pub async fn buckets(&self, prefixes: &[HashPrefix]) -> Result<Vec<StoredBucket>, StoreError> {
        self.read_buckets(prefixes.iter(), Consistency::Strong).await
    }

    /// Reads buckets that are at least of these versions; those that no longer exist are left out. A strong read costs
    /// twice as much, so only what an eventual one gives too old is read again.
    ///
    /// # Errors
    /// The table is busy or refused, or an item is not a bucket.
    pub async fn buckets_since(
        &self,
        wanted: &BTreeMap<HashPrefix, u64>,
    ) -> Result<Vec<StoredBucket>, StoreError> {
        let mut buckets = self.read_buckets(wanted.keys(), Consistency::Eventual).await?;
        buckets.retain(|bucket| wanted.get(&bucket.prefix).is_some_and(|version| bucket.version >= *version));
        let found: BTreeSet<HashPrefix> = buckets.iter().map(|bucket| bucket.prefix).collect();
        let missed: Vec<HashPrefix> =
            wanted.keys().copied().filter(|prefix| !found.contains(prefix)).collect();
        buckets.extend(self.buckets(&missed).await?);
        Ok(buckets)
    }

    async fn read_buckets(
        &self,
        prefixes: impl Iterator<Item = &HashPrefix>,
        consistency: Consistency,
    ) -> Result<Vec<StoredBucket>, StoreError> {
        let keys = prefixes.map(|prefix| bucket_key(*prefix).item()).collect();
        self.batch_get(keys, consistency).await?.into_iter().map(stored_bucket).collect()
    }

    /// One batch read for up to 98 hits, with the manifest and the seats as its last keys; what is cached is not read.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn shown(&self, ids: &[ListingId]) -> Result<Shown, StoreError> {
        if self.is_sole_writer() {
            // Apart, since it is large and every search holds it.
            return Box::pin(self.shown_from_cache(ids)).await;
        }
        let keys = [manifest_key(), keys::seats()].into_iter().chain(ids.iter().map(keys::listing));
        let mut shown = Shown::default();
        for item in self.batch_get(keys.map(|key| key.item()).collect(), Consistency::Eventual).await? {
            match text(&item, "sk") {
                "MANIFEST" => {
                    shown.manifest = Arc::new(manifest(&item));
                    continue;
                }
                "SEATS" => {
                    shown.seats_claimed = u32::try_from(number(&item, "claimed")).unwrap_or(0);
                    continue;
                }
                _ => {}
            }
            let listing: Listing = serde_dynamo::from_item(item)?;
            if listing.lane == Lane::Active {
                shown.live.insert(listing.id.clone(), Arc::new(listing));
            }
        }
        Ok(shown)
    }

    async fn shown_from_cache(&self, ids: &[ListingId]) -> Result<Shown, StoreError> {
        let read = async |missing: Vec<ListingId>| {
            let keys = missing.iter().map(|id| keys::listing(id).item()).collect();
            let items = self.batch_get(keys, Consistency::Strong).await?;
            items.into_iter().map(|item| Ok(serde_dynamo::from_item(item)?)).collect()
        };
        let cores = self.read_cache.cores(ids, read).await?;
        let live = cores.into_iter().filter(|listing| listing.lane == Lane::Active);
        Ok(Shown {
            manifest: self.manifest().await?,
            live: live.map(|listing| (listing.id.clone(), listing)).collect(),
            seats_claimed: self.live().await?.funnel.seats_claimed,
        })
    }

    /// Listings that must be indexed again, at most `limit`.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn dirty_marks(&self, limit: i32) -> Result<Vec<DirtyMark>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :marks")
            .expression_attribute_values(":marks", s(DIRTY_MARKS))
            .consistent_read(true)
            .limit(limit)
            .send()
            .await?;
        let marks = answer.items.unwrap_or_default();
        let read = |item: &Item| {
            let (_, id) = text(item, "sk").split_once('#')?;
            let id = id.parse().ok()?;
            Some(DirtyMark { id, at: Moment::from_millisecond(number(item, "at"))? })
        };
        Ok(marks.iter().filter_map(read).collect())
    }

    /// Replaces buckets, all of them or none. False where the index was changed since `before` was read; then nothing
    /// was written.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn replace_buckets(
        &self,
        before: &Manifest,
        after: &Manifest,
        written: &[(HashPrefix, Vec<u8>)],
    ) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let names: Vec<(String, u64)> =
            after.buckets.iter().map(|(prefix, version)| (prefix.to_string(), *version)).collect();
        let change = Expression::default()
            .set("version", n(after.version))
            .set("buckets", s(serde_json::to_string(&names)?))
            .only_if("attribute_not_exists(pk) OR version = :before", [], [(":before", n(before.version))]);
        self.update(&mut transaction, &manifest_key(), &change)?;
        for (prefix, bytes) in written {
            let mut item = bucket_key(*prefix).item();
            item.insert("version".to_owned(), n(after.version));
            item.insert("bucket".to_owned(), AttributeValue::B(Blob::new(bytes.clone())));
            self.put(&mut transaction, item, None)?;
        }
        for gone in before.buckets.keys().filter(|prefix| !after.buckets.contains_key(prefix)) {
            self.delete(&mut transaction, &bucket_key(*gone), None)?;
        }
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Deletes the marks of indexed listings, except those that were set again meanwhile.
    ///
    /// # Errors
    /// The table is busy or refused; a mark that stays only causes the listing to be indexed again.
    pub async fn clear_dirty_marks(&self, done: &[DirtyMark]) -> Result<(), StoreError> {
        let deletions = done.iter().map(|mark| async {
            let answer = self
                .client
                .delete_item()
                .table_name(&*self.table)
                .set_key(Some(dirty_mark_key(&mark.id).item()))
                .condition_expression("#at = :at")
                .expression_attribute_names("#at", "at")
                .expression_attribute_values(":at", n(mark.at.as_millisecond()))
                .send()
                .await;
            match answer {
                Err(error)
                    if error
                        .as_service_error()
                        .is_some_and(|e| e.is_conditional_check_failed_exception()) =>
                {
                    Ok(())
                }
                other => other.map(drop).map_err(StoreError::from),
            }
        });
        let deletions: Vec<_> = deletions.collect();
        stream::iter(deletions).buffer_unordered(CONCURRENCY).try_collect().await
    }

    /// Marks every Live listing that `chosen` chooses, so that it is indexed again; how many there are. It reads the whole
    /// list, so it is for what happens next to never.
    ///
    /// # Errors
    /// The table is busy or refused; some may be marked by then.
    pub async fn mark_live_dirty(
        &self,
        chosen: impl Fn(&ListingId) -> bool,
        at: Moment,
    ) -> Result<usize, StoreError> {
        let mut marked = 0;
        for kind in [Kind::Agent, Kind::Mcp] {
            let mut after = None;
            loop {
                let (listings, more) = self.active(kind, after.as_deref(), PAGE).await?;
                let ids: Vec<ListingId> =
                    listings.into_iter().map(|listing| listing.id).filter(&chosen).collect();
                marked += ids.len();
                let puts = ids.iter().map(|id| async move {
                    let item = dirty_mark(id, at);
                    let put = self.client.put_item().table_name(&*self.table).set_item(Some(item));
                    put.send().await.map(drop).map_err(StoreError::from)
                });
                let puts: Vec<_> = puts.collect();
                stream::iter(puts).buffer_unordered(CONCURRENCY).try_collect::<()>().await?;
                after = more;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(marked)
    }

    pub(super) fn mark_dirty(
        &self,
        transaction: &mut Transaction,
        id: &ListingId,
        at: Moment,
    ) -> Result<(), StoreError> {
        self.put(transaction, dirty_mark(id, at), None)
    }
}

fn dirty_mark(id: &ListingId, at: Moment) -> Item {
    let mut item = dirty_mark_key(id).item();
    item.insert("at".to_owned(), n(at.as_millisecond()));
    item
}

/// A manifest that cannot be read keeps its version, under which it can be replaced.
fn manifest(item: &Item) -> Manifest {
    let version = u64::try_from(number(item, "version")).unwrap_or(0);
    let names = serde_json::from_str::<Vec<(String, u64)>>(text(item, "buckets")).unwrap_or_default();
    let read = |(name, version): (String, u64)| Some((name.parse().ok()?, version));
    let buckets = names.into_iter().map(read).collect::<Option<BTreeMap<_, _>>>().unwrap_or_default();
    // Once there was a bucket there always is one.
    Manifest { version, is_damaged: buckets.is_empty(), buckets }
}

fn stored_bucket(mut item: Item) -> Result<StoredBucket, StoreError> {
    let prefix = text(&item, "pk").strip_prefix("INDEX#").and_then(|name| name.parse().ok());
    let prefix = prefix.ok_or_else(|| StoreError::Fault("the key of a bucket cannot be read".to_owned()))?;
    let bytes = match item.remove("bucket") {
        Some(AttributeValue::B(bytes)) => bytes.into_inner(),
        _ => Vec::new(),
    };
    let version = u64::try_from(number(&item, "version")).unwrap_or(0);
    Ok(StoredBucket { prefix, version, bytes })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use aws_sdk_dynamodb::config::retry::RetryConfig;
    use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
    use aws_smithy_runtime_api::client::http::{
        HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
    };
    use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
    use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;
    use serde_json::{Value, json};

    use super::*;

    /// A table whose buckets are of version 7; an eventual read still has the first one's older and not the second.
    #[derive(Clone, Debug, Default)]
    struct Lagging(Arc<Mutex<Vec<(bool, usize)>>>);

    impl HttpClient for Lagging {
        fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
            SharedHttpConnector::new(self.clone())
        }
    }

    impl HttpConnector for Lagging {
        fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
            let request: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
            let table = &request["RequestItems"]["t"];
            let strong = table["ConsistentRead"] == json!(true);
            let keys = table["Keys"].as_array().unwrap();
            self.0.lock().unwrap().push((strong, keys.len()));
            let items = keys.iter().filter_map(|key| {
                let version = match key["pk"]["S"].as_str().unwrap() {
                    "INDEX#02-00000001" if !strong => return None,
                    "INDEX#02-00000000" if !strong => "3",
                    _ => "7",
                };
                let mut item = key.clone();
                item["version"] = json!({ "N": version });
                item["bucket"] = json!({ "B": "aGk=" });
                Some(item)
            });
            let answer = json!({ "Responses": { "t": items.collect::<Vec<_>>() }, "UnprocessedKeys": {} });
            let mut response =
                HttpResponse::new(StatusCode::try_from(200).unwrap(), SdkBody::from(answer.to_string()));
            response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
            HttpConnectorFuture::ready(Ok(response))
        }
    }

    #[tokio::test]
    async fn only_buckets_that_an_eventual_read_gives_too_old_are_read_strongly() {
        let table = Lagging::default();
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "local"))
            .retry_config(RetryConfig::disabled())
            .http_client(table.clone())
            .build();
        let store = Store::new(aws_sdk_dynamodb::Client::from_conf(config), "t");
        let wanted: BTreeMap<HashPrefix, u64> =
            (0..4).map(|bits| (format!("02-{bits:08x}").parse().unwrap(), 7)).collect();
        let buckets = store.buckets_since(&wanted).await.unwrap();
        let versions: BTreeMap<HashPrefix, u64> =
            buckets.iter().map(|bucket| (bucket.prefix, bucket.version)).collect();
        assert_eq!((versions, buckets.len()), (wanted, 4));
        assert_eq!(*table.0.lock().unwrap(), [(false, 4), (true, 2)]);

        let present = BTreeMap::from([("02-00000002".parse().unwrap(), 7)]);
        assert_eq!(store.buckets_since(&present).await.unwrap().len(), 1);
        assert_eq!(table.0.lock().unwrap()[2..], [(false, 1)], "no second read where nothing is missing");
    }
}
