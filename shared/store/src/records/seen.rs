//! What probes saw at a server in full: its tool sets with the definition of each tool, its resources, resource templates
//! and prompts, and the evidence that leaves of the log commit to. All of it is in one partition next to the listing, so
//! that one request removes it. Definitions are stored once, whichever sets contain them.

use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::evidence::EVIDENCE;
use super::inbox::MESSAGE;
use super::leaves::LAST_LEAF;
use super::listings::with_evidence;
use super::outcomes;
use super::server_documents::EARLIER_SERVER;
use crate::prelude::*;
use crate::table::read_cache::NamedListing;
use registry_model::{ObservedServer, ServerContents, ToolSet, sha256_hex};

/// The resources, resource templates and prompts of a server. Sorts after all evidence and before the tools.
pub(super) const OFFERS: Record<ServerContents> = Record::new("SEEN#", "OFFERS", "contents");
/// The current tool set of a server.
pub(super) const TOOL_SET: Record<ToolSet> = Record::new("SEEN#", "SET", "set");
/// An earlier tool set.
pub(super) const EARLIER_SET: Record<ToolSet> = Record::new("SEEN#", "SET#", "set");
/// The definition of a tool, by its hash.
pub(super) const TOOL: KeyPattern = KeyPattern::new("SEEN#", "TOOL#");
/// The evidence that a leaf commits to, by its hash.
pub(super) const LEAF_EVIDENCE: KeyPattern = KeyPattern::new("SEEN#", "EVIDENCE#");

/// Earlier tool sets that are stored for a listing. After so many, the oldest is replaced.
const MAX_EARLIER_SETS: u32 = 8;

/// Tool sets that are stored for a listing: the current one and earlier ones.
pub const MAX_TOOL_SETS: u32 = MAX_EARLIER_SETS + 1;

/// Seconds for which the evidence of a leaf is stored. The leaf itself stays forever.
const EVIDENCE_RETENTION: i64 = 400 * 86_400;

/// The bytes of evidence, uncompressed. More is not evidence of this registry.
const MAX_EVIDENCE_BYTES: u64 = 400 * 1024;

/// The tools of a server that are stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenTools {
    /// The sets, the latest first.
    pub sets: Vec<ToolSet>,
    /// The canonical definitions by their hash.
    pub definitions: HashMap<String, String>,
    pub contents: Option<ServerContents>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Addressed {
    /// The canonical definition of a tool.
    Tool(String),
    Set(ToolSet),
}

impl SeenTools {
    fn of_items(items: &[Item]) -> Result<Self> {
        let mut seen = Self::default();
        for item in items {
            match text(item, "sk") {
                sk if sk == OFFERS.sort => seen.contents = Some(OFFERS.read(item)?),
                sk if sk.starts_with(TOOL_SET.sort) => seen.sets.push(TOOL_SET.read(item)?),
                sk => {
                    let hash = sk.strip_prefix(TOOL.sort).unwrap_or_default();
                    seen.definitions.insert(hash.to_owned(), text(item, "definition").to_owned());
                }
            }
        }
        seen.sets.sort_by_key(|set| std::cmp::Reverse(set.number));
        Ok(seen)
    }
}

impl Store {
    pub async fn seen_tools(&self, id: &ListingId) -> Result<SeenTools> {
        let query = Query::of(TOOL_SET.partition(id)).range(Range::From(OFFERS.sort.to_owned())).strong();
        SeenTools::of_items(&self.query_all(query).await?)
    }

    /// Listings with their last leaves and their current tool sets, by one batch read, in no order.
    pub async fn listings_with_tools(&self, ids: &[ListingId]) -> Result<Vec<(Listing, Option<ToolSet>)>> {
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), LAST_LEAF.of(id), TOOL_SET.of(id)]);
        let items = self.batch_get(keys.collect(), Consistency::Strong).await?;
        let (sets, listings) = TOOL_SET.split(items);
        let mut sets: HashMap<ListingId, ToolSet> = sets.iter().map(set_of).collect::<Result<_, _>>()?;
        let with_set = |(listing, _): NamedListing| {
            let set = sets.remove(&listing.id);
            (listing, set)
        };
        Ok(with_evidence(listings)?.into_iter().map(with_set).collect())
    }

    /// Earlier tool sets of listings, by one batch read, in no order.
    pub async fn earlier_tool_sets(&self, ids: &[ListingId]) -> Result<Vec<(ListingId, ToolSet)>> {
        let keys = |id| (0..MAX_EARLIER_SETS).map(move |number| earlier_set(id, number));
        let items = self.batch_get(ids.iter().flat_map(keys).collect(), Consistency::Strong).await?;
        items.iter().map(set_of).collect()
    }

    /// Stored definitions of tools, each of a listing and a hash, by one batch read.
    pub async fn tool_definitions(
        &self,
        wanted: &HashSet<(ListingId, String)>,
    ) -> Result<HashMap<(ListingId, String), String>> {
        let wanted = wanted.iter().map(|(id, hash)| tool_key(id, hash)).collect();
        let items = self.batch_get(wanted, Consistency::Strong).await?;
        let read = |item: &Item| {
            let hash = text(item, "sk").strip_prefix(TOOL.sort)?.to_owned();
            Some(((TOOL_SET.listing_of(item)?, hash), text(item, "definition").to_owned()))
        };
        Ok(items.iter().filter_map(read).collect())
    }

    /// The document with this address at a listing: the definition of a tool, or the set itself.
    pub async fn addressed(&self, id: &ListingId, hash: &str) -> Result<Option<Addressed>> {
        if let Some(item) = self.read(&tool_key(id, hash)).await? {
            return Ok(Some(Addressed::Tool(text(&item, "definition").to_owned())));
        }
        let query = Query::of(TOOL_SET.partition(id)).range(Range::Prefix(TOOL_SET.sort.to_owned())).strong();
        let sets = self.list(&TOOL_SET, query).await?;
        Ok(sets.into_iter().find(|set| set.hash == hash).map(Addressed::Set))
    }

    /// The first listings at which a tool or a tool set with this address was seen, at most `limit`.
    pub async fn listings_with_address(&self, hash: &str, limit: usize) -> Result<Vec<ListingId>> {
        let query = Query::of(address(hash)).index(table::DUE).limit(limit);
        let items = self.query(query).await?.items;
        Ok(items.iter().filter_map(|item| TOOL_SET.listing_of(item)).collect())
    }

    /// Stores a new tool set with its definitions. Sets and definitions that are no longer needed are removed. `seen` is
    /// what is stored. After an error, the next probe repeats the call.
    pub async fn keep_tools(
        &self,
        id: &ListingId,
        seen: &SeenTools,
        server: &ObservedServer,
        set: &ToolSet,
    ) -> Result<()> {
        let mut puts = Vec::new();
        for tool in &server.tools {
            if let Some(definition) = &tool.definition
                && !seen.definitions.contains_key(&tool.hash)
            {
                let item = tool_key(id, &tool.hash).with([("definition", s(definition))]);
                puts.push(addressed(item, &tool.hash, id));
            }
        }
        // A transaction may write each item once, and a server may list a tool twice.
        puts.sort_by(|one, other| text(one, "sk").cmp(text(other, "sk")));
        puts.dedup_by(|one, other| text(one, "sk") == text(other, "sk"));
        self.write_all(puts, Transaction::put).await?;
        let mut kept: Vec<&ToolSet> = vec![set];
        let mut transaction = Transaction::default();
        transaction.put(set_item(&TOOL_SET.of(id), id, set)?);
        for (age, earlier) in seen.sets.iter().enumerate() {
            let key = earlier_set(id, earlier.number);
            if age == 0 {
                transaction.put(set_item(&key, id, earlier)?);
            }
            if age < MAX_TOOL_SETS as usize - 1 {
                kept.push(earlier);
            }
        }
        self.transact(transaction).await?;
        let needed: HashSet<&str> =
            kept.iter().flat_map(|set| &set.tools).map(|tool| tool.hash.as_str()).collect();
        let unneeded = seen.definitions.keys().filter(|hash| !needed.contains(hash.as_str()));
        self.write_all(unneeded.map(|hash| tool_key(id, hash)).collect(), Transaction::delete).await
    }

    /// Stores the resources, resource templates and prompts of a server, over earlier ones.
    pub async fn keep_contents(&self, id: &ListingId, contents: &ServerContents) -> Result<()> {
        self.put(OFFERS.of(id).with([OFFERS.value(contents)?])).await
    }

    /// The text whose SHA-256 is the `evidence` of a leaf about a listing; `None` if it is not stored (any more).
    pub async fn leaf_evidence(&self, id: &ListingId, hash: &str) -> Result<Option<Vec<u8>>> {
        if let Some(item) = self.read(&LEAF_EVIDENCE.one_of(id, key::bounded(hash))).await? {
            let mut evidence = Vec::new();
            let reader = DeflateDecoder::new(bytes(&item, "bytes")).take(MAX_EVIDENCE_BYTES);
            let read = { reader }.read_to_end(&mut evidence);
            read.map_err(|error| {
                StoreError::Fault(During::new("stored evidence cannot be read", error).into())
            })?;
            return Ok(Some(evidence));
        }
        // Earlier versions stored only the evidence of the last probe.
        let item = self.read(&EVIDENCE.of(id)).await?;
        let evidence = item.map(|item| text(&item, EVIDENCE.attribute).to_owned());
        Ok(evidence.filter(|evidence| sha256_hex(evidence) == hash).map(String::into_bytes))
    }

    /// Removes everything that probes saw at a listing. After an error, repeat the call.
    pub async fn remove_seen(&self, id: &ListingId) -> Result<()> {
        self.remove_found(Query::of(TOOL_SET.partition(id))).await
    }

    /// Removes what the transaction that deletes a listing leaves, so that the next publisher of its id inherits nothing:
    /// earlier descriptions, what probes saw, messages, outcomes and marks. Records of probes expire; sources of traces and
    /// requests not to be called stay stored.
    pub async fn remove_rest(&self, id: &ListingId) -> Result<()> {
        self.remove_seen(id).await?;
        let earlier = Range::Prefix(EARLIER_SERVER.sort.to_owned());
        self.remove_found(Query::of(EARLIER_SERVER.partition(id)).range(earlier)).await?;
        self.remove_found(Query::of(MESSAGE.partition(id))).await?;
        self.remove_found(Query::of(outcomes::TALLY.partition(id))).await?;
        self.remove_trail(id).await.map(|_| ())
    }

    async fn remove_found(&self, query: Query) -> Result<()> {
        let query = query.strong().keys_only();
        loop {
            let page = self.query(query.clone()).await?;
            self.write_all(page.items.iter().map(Key::of).collect(), Transaction::delete).await?;
            if page.next.is_none() {
                return Ok(());
            }
        }
    }
}

fn tool_key(id: &ListingId, hash: &str) -> Key {
    TOOL.one_of(id, key::bounded(hash))
}

fn earlier_set(id: &ListingId, number: u32) -> Key {
    EARLIER_SET.one_of(id, format_args!("{:02}", number % MAX_EARLIER_SETS))
}

/// The partition of the index with the tools and tool sets that have this content address.
fn address(hash: &str) -> String {
    format!("ADDRESS#{}", key::bounded(hash))
}

fn set_of(item: &Item) -> Result<(ListingId, ToolSet)> {
    let id = TOOL_SET.listing_of(item);
    let id = id.ok_or_else(|| StoreError::Fault("the key of a tool set is invalid".into()))?;
    Ok((id, TOOL_SET.read(item)?))
}

fn set_item(key: &Key, id: &ListingId, set: &ToolSet) -> Result<Item> {
    let item = key.with([TOOL_SET.value(set)?]);
    // The document of a set that is not stored whole cannot be made again.
    Ok(if set.unlisted == 0 { addressed(item, &set.hash, id) } else { item })
}

/// Adds an item to the index of content addresses.
fn addressed(mut item: Item, hash: &str, id: &ListingId) -> Item {
    let [pk, sk] = table::DUE.key;
    item.insert(pk.to_owned(), s(address(hash)));
    item.insert(sk.to_owned(), s(id.as_str()));
    item
}

/// The item with the evidence that a leaf commits to. It is compressed, because evidence repeats itself.
pub(super) fn leaf_evidence_item(id: &ListingId, evidence: &str, at: Moment) -> Result<Item> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(evidence.as_bytes()).and_then(|()| encoder.finish());
    let bytes = written
        .map_err(|error| StoreError::Fault(During::new("evidence cannot be compressed", error).into()))?;
    let key = LEAF_EVIDENCE.one_of(id, sha256_hex(evidence));
    Ok(key.with([("bytes", b(bytes)), ttl(at, EVIDENCE_RETENTION)]))
}
