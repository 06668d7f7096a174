//! What probes saw at a server in full: its tool sets with the definition of each tool, its resources, resource templates
//! and prompts. All of it is in one partition next to the listing, with the evidence that leaves of the log commit to, so
//! that one request removes it. Definitions are stored once, whichever sets contain them.

use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue;

use super::evidence::LAST_LEAF;
use super::listings::NamedListing;
use super::listings::with_evidence;
use crate::prelude::*;
use registry_model::{ObservedServer, ServerContents, ToolSet};

/// The resources, resource templates and prompts of a server. Sorts after all evidence and before the tools.
pub(super) const OFFERS: Record<ServerContents> = Record::new("SEEN#", "OFFERS", "contents");
/// The current tool set of a server.
pub(super) const TOOL_SET: Record<ToolSet> = Record::new("SEEN#", "SET", "set");
/// An earlier tool set.
pub(super) const EARLIER_SET: Record<ToolSet> = Record::new("SEEN#", "SET#", "set");
/// The definition of a tool, by its hash.
pub(super) const TOOL: KeyPattern = KeyPattern::new("SEEN#", "TOOL#");

/// Earlier tool sets that are stored for a listing. After so many, the oldest is replaced.
const MAX_EARLIER_SETS: u32 = 8;

/// Tool sets that are stored for a listing: the current one and earlier ones.
pub const MAX_TOOL_SETS: u32 = MAX_EARLIER_SETS + 1;

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
        let query = TOOL_SET.query_of(id).range(Range::From(OFFERS.sort.to_owned())).strong();
        SeenTools::of_items(&self.query_all(query).await?)
    }

    /// Listings with their last leaves and their current tool sets, by one batch read, in no order.
    pub async fn listings_with_tools(&self, ids: &[ListingId]) -> Result<Vec<(Listing, Option<ToolSet>)>> {
        let keys = ids.iter().flat_map(|id| [LISTING.of(id), LAST_LEAF.of(id), TOOL_SET.of(id)]);
        let items = self.batch_get(keys.collect(), Consistency::Strong).await?;
        let (sets, listings) = TOOL_SET.split(items);
        let mut sets: HashMap<ListingId, ToolSet> =
            sets.iter().map(|set| TOOL_SET.read_with_owner(set)).collect::<Result<_>>()?;
        let with_set = |(listing, _): NamedListing| {
            let set = sets.remove(&listing.id);
            (listing, set)
        };
        Ok(with_evidence(listings)?.into_iter().map(with_set).collect())
    }

    /// Earlier tool sets of listings, by one batch read, in no order.
    pub async fn earlier_tool_sets(&self, ids: &[ListingId]) -> Result<Vec<(ListingId, ToolSet)>> {
        let keys = |id| (0..MAX_EARLIER_SETS).map(move |number| earlier_set_key(id, number));
        let items = self.batch_get(ids.iter().flat_map(keys).collect(), Consistency::Strong).await?;
        items.iter().map(|item| EARLIER_SET.read_with_owner(item)).collect()
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
        let query = TOOL_SET.query_of(id).range(Range::Prefix(TOOL_SET.sort.to_owned())).strong();
        let sets = self.list(&TOOL_SET, query).await?;
        Ok(sets.into_iter().find(|set| set.hash == hash).map(Addressed::Set))
    }

    /// The first listings at which a tool or a tool set with this address was seen, at most `limit`.
    pub async fn listings_with_address(&self, hash: &str, limit: usize) -> Result<Vec<ListingId>> {
        let query = Query::of(address_partition(hash)).index(table::DUE).limit(limit);
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
                let address = address_place(&tool.hash, id).into_iter();
                puts.push(tool_key(id, &tool.hash).with(address.chain([("definition", s(definition))])));
            }
        }
        // A transaction may write each item once, and a server may list a tool twice.
        puts.sort_by(|one, other| text(one, "sk").cmp(text(other, "sk")));
        puts.dedup_by(|one, other| text(one, "sk") == text(other, "sk"));
        self.write_all(puts, Transaction::put).await?;
        let mut transaction = Transaction::default();
        transaction.put(tool_set_item(&TOOL_SET.of(id), id, set)?);
        if let Some(latest) = seen.sets.first() {
            transaction.put(tool_set_item(&earlier_set_key(id, latest.number), id, latest)?);
        }
        self.transact(transaction).await?;
        let kept = std::iter::once(set).chain(seen.sets.iter().take(MAX_EARLIER_SETS as usize));
        let needed: HashSet<&str> = kept.flat_map(|set| &set.tools).map(|tool| tool.hash.as_str()).collect();
        let unneeded = seen.definitions.keys().filter(|hash| !needed.contains(hash.as_str()));
        self.write_all(unneeded.map(|hash| tool_key(id, hash)).collect(), Transaction::delete).await
    }

    /// Stores the resources, resource templates and prompts of a server, over earlier ones.
    pub async fn keep_contents(&self, id: &ListingId, contents: &ServerContents) -> Result<()> {
        self.put(OFFERS.item(&OFFERS.of(id), contents)?).await
    }

    /// Removes everything that probes saw at a listing. After an error, repeat the call.
    pub async fn remove_seen(&self, id: &ListingId) -> Result<()> {
        self.delete_all(TOOL_SET.query_of(id)).await
    }
}

fn tool_key(id: &ListingId, hash: &str) -> Key {
    TOOL.one_of(id, key::bounded(hash))
}

fn earlier_set_key(id: &ListingId, number: u32) -> Key {
    EARLIER_SET.one_of(id, format_args!("{:02}", number % MAX_EARLIER_SETS))
}

/// The attributes of an item that is in the index of content addresses.
fn address_place(hash: &str, id: &ListingId) -> [(&'static str, AttributeValue); 2] {
    table::DUE.place(address_partition(hash), id.as_str())
}

/// The partition of the index with the tools and tool sets that have this content address.
fn address_partition(hash: &str) -> String {
    format!("ADDRESS#{}", key::bounded(hash))
}

fn tool_set_item(key: &Key, id: &ListingId, set: &ToolSet) -> Result<Item> {
    // The document of a set that is not stored whole cannot be made again.
    let address = (set.unlisted == 0).then(|| address_place(&set.hash, id));
    Ok(key.with([TOOL_SET.value(set)?].into_iter().chain(address.into_iter().flatten())))
}
