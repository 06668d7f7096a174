//! The exchange with other registries: their last answers, how far imports have come, and the daily dumps of this registry. If a
//! registry is removed from the settings, its item is no longer read.
//!
//! A part of a dump is stored in pieces under its SHA-256, before anything refers to it. So a dump that is never completed
//! leaves only parts that expire, and storing a part twice changes nothing.

use super::evidence::leaf_id;
use crate::prelude::*;
use registry_model::{
    Dump, DumpPart, ImportState, LogEntry, LogEvent, PeerRegistry, UnfinishedDump, sha256_hex,
};

/// What a registry returned, under the digest of its URL.
pub(super) const PEER: KeyPattern = KeyPattern::new("FEDERATION", "PEER#");
/// How far the import of a directory has come, under the digest of its source.
pub(super) const IMPORT: Record<ImportState> = Record::new("IMPORTS", "", "import");

fn peer_key(url: &String) -> Key {
    PEER.one(sha256_hex(url))
}

fn import_key(source: &str) -> Key {
    IMPORT.one(sha256_hex(source))
}

fn peer_item(peer: &PeerRegistry) -> Result<Item> {
    let mut item = peer_key(&peer.url).with([
        ("url", s(&peer.url)),
        ("name", s(&peer.name)),
        ("asked_at", ms(peer.asked_at)),
        ("referrals", to_blob(&peer.referrals)?),
    ]);
    let optional = [
        ("search_url", peer.search_url.as_ref().map(s)),
        ("answered_at", peer.answered_at.map(ms)),
        ("failure", peer.failure.as_ref().map(s)),
        ("lists_this", peer.lists_this.map(|lists_this| n(i64::from(lists_this)))),
    ];
    item.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(item)
}

fn peer_in(item: &Item) -> Result<PeerRegistry> {
    Ok(PeerRegistry {
        url: text(item, "url").to_owned(),
        name: text(item, "name").to_owned(),
        asked_at: moment(item, "asked_at").unwrap_or(Moment::UNIX_EPOCH),
        answered_at: moment(item, "answered_at"),
        search_url: some_text(item, "search_url"),
        failure: some_text(item, "failure"),
        lists_this: item.contains_key("lists_this").then(|| number(item, "lists_this") == 1),
        referrals: blob(item, "referrals")?,
    })
}

impl Store {
    /// Stores what a registry returned, over its earlier item.
    pub async fn keep_peer_registry(&self, peer: &PeerRegistry) -> Result<()> {
        self.put(peer_item(peer)?).await
    }

    /// What the registries of these URLs returned, in no order; one that was never called is left out.
    pub async fn peer_registries(&self, urls: &[String]) -> Result<Vec<PeerRegistry>> {
        let items = self.batch_get(urls.iter().map(peer_key).collect(), Consistency::Eventual).await?;
        items.iter().map(peer_in).collect()
    }

    pub async fn import_state(&self, source: &str) -> Result<ImportState> {
        Ok(self.get(&IMPORT, &import_key(source)).await?.unwrap_or_default())
    }

    pub async fn keep_import_state(&self, source: &str, state: &ImportState) -> Result<()> {
        self.put(IMPORT.item(&import_key(source), state)?).await
    }
}

/// The complete dumps, by day.
pub(super) const DUMP: Record<Dump> = Record::new("DUMPS", "", "dump").stored_for(DUMP_RETENTION as i64);
/// The dump that is not complete. It sorts after all days.
pub(super) const UNFINISHED: Record<UnfinishedDump> = Record::new("DUMPS", "UNFINISHED", "dump");
/// A piece of a part, which is too large for one item.
pub(super) const PIECE: KeyPattern = KeyPattern::new("DUMP#", "");

/// Seconds for which dumps and their parts are stored.
pub const DUMP_RETENTION: u32 = 8 * 86_400;
/// Bytes of a piece. An item has at most 400 KB.
const PIECE_BYTES: usize = 350 * 1024;

/// A dump, and where its checksum is in the evidence log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedDump {
    pub dump: Dump,
    /// The index of its leaf; none while the leaf is pending.
    pub leaf_index: Option<u64>,
}

impl Store {
    pub async fn has_dump(&self, day: &str) -> Result<bool> {
        Ok(self.read(&DUMP.one(day)).await?.is_some())
    }

    pub async fn unfinished_dump(&self) -> Result<Option<UnfinishedDump>> {
        self.get(&UNFINISHED, &UNFINISHED.key()).await
    }

    pub async fn keep_dump_part(&self, bytes: &[u8], lines: u64, now: Moment) -> Result<DumpPart> {
        let sha256 = sha256_hex(bytes);
        for (number, piece) in bytes.chunks(PIECE_BYTES).enumerate() {
            let piece = [("bytes", b(piece)), ttl(now, DUMP_RETENTION.into())];
            let key = PIECE.one_of(&sha256, format!("{number:03}"));
            self.put(key.with(piece)).await?;
        }
        Ok(DumpPart { sha256, bytes: bytes.len() as u64, lines })
    }

    /// The bytes of a part; `None` if it is not stored, or not completely.
    pub async fn dump_part(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        let pieces = self.query_all(PIECE.query_of(sha256)).await?;
        let bytes: Vec<u8> = pieces.iter().flat_map(|piece| bytes(piece, "bytes")).copied().collect();
        Ok(Some(bytes).filter(|bytes| !bytes.is_empty() && sha256_hex(bytes) == sha256))
    }

    /// Stores how far a dump has come. False if another run has stored more since `old` was read.
    pub async fn advance_dump(&self, old: Option<&UnfinishedDump>, new: &UnfinishedDump) -> Result<bool> {
        let change =
            Expression::default().set("step", s(dump_step(new))).set(UNFINISHED.attribute, to_blob(new)?);
        let change = match old {
            Some(old) => change.if_equal("step", s(dump_step(old))),
            None => change.if_absent(),
        };
        Ok(self.update(&UNFINISHED.key(), &change, None).await?.is_some())
    }

    /// Publishes a dump: it becomes visible in the same transaction that adds its checksum to the evidence log. False if
    /// its day already has a dump.
    pub async fn publish_dump(&self, dump: &Dump) -> Result<bool> {
        let mut leaf = LogEntry::of_log(dump.published_at, LogEvent::Dump);
        leaf.evidence = Some(dump.sha256.clone());
        let mut transaction = Transaction::default();
        transaction.put_new(DUMP.one(&dump.day).with([
            DUMP.value(dump)?,
            ("leaf", s(leaf_id(&leaf.canonical()?))),
            ("at", ms(leaf.at)),
            DUMP.ttl(dump.published_at),
        ]));
        transaction.add_leaf(&leaf)?;
        transaction.delete(UNFINISHED.key());
        self.commit(transaction).await
    }

    pub async fn dumps(&self) -> Result<Vec<LoggedDump>> {
        let range = Range::Before(UNFINISHED.sort.to_owned());
        let items = self.query(DUMP.query().range(range).descending()).await?.items;
        let leaves = items.iter().map(|item| self.index_of_log_leaf(item));
        let indexes = futures::future::try_join_all(leaves).await?;
        let logged = |(item, leaf_index): (&Item, _)| Ok(LoggedDump { dump: DUMP.read(item)?, leaf_index });
        items.iter().zip(indexes).map(logged).collect()
    }
}

/// Changes with each part, so that of two concurrent runs only one can add the next part.
fn dump_step(dump: &UnfinishedDump) -> String {
    format!("{}#{}#{}", dump.day, dump.begun_at, dump.parts.len())
}
