//! The daily dumps. A part is stored in pieces under its SHA-256, before anything refers to it. So a dump that is never
//! completed leaves only parts that expire, and storing a part twice changes nothing.

use super::leaves::{add_leaf, leaf_id};
use crate::prelude::*;
use registry_model::{Dump, DumpPart, LogEntry, LogEvent, UnfinishedDump, sha256_hex};

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
        let pieces = self.query_all(Query::of(PIECE.partition(sha256))).await?;
        let bytes: Vec<u8> = pieces.iter().flat_map(|piece| bytes(piece, "bytes")).copied().collect();
        Ok(Some(bytes).filter(|bytes| !bytes.is_empty() && sha256_hex(bytes) == sha256))
    }

    /// Stores how far a dump has come. False if another run has stored more since `old` was read.
    pub async fn advance_dump(&self, old: Option<&UnfinishedDump>, new: &UnfinishedDump) -> Result<bool> {
        let change = Expression::default().set("step", s(step(new))).set(UNFINISHED.attribute, to_blob(new)?);
        let change = match old {
            Some(old) => change.if_equal("step", s(step(old))),
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
        add_leaf(&mut transaction, &leaf)?;
        transaction.delete(UNFINISHED.key());
        self.commit(transaction).await
    }

    pub async fn dumps(&self) -> Result<Vec<LoggedDump>> {
        let range = Range::Before(UNFINISHED.sort.to_owned());
        let items = self.query(Query::of(DUMP.prefix).range(range).descending()).await?.items;
        let leaves = items.iter().map(|item| self.index_of_log_leaf(item));
        let indexes = futures::future::try_join_all(leaves).await?;
        let logged = |(item, leaf_index): (&Item, _)| Ok(LoggedDump { dump: DUMP.read(item)?, leaf_index });
        items.iter().zip(indexes).map(logged).collect()
    }
}

/// Changes with each part, so that of two concurrent runs only one can add the next part.
fn step(dump: &UnfinishedDump) -> String {
    format!("{}#{}#{}", dump.day, dump.begun_at, dump.parts.len())
}
