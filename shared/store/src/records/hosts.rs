//! What the registry may do at a host: blocked hosts, and how many probes may run at one host at the same time, over all
//! processes.
//!
//! All blocks share a partition, because there are few of them, and every publish request and every sweep needs all of them.
//! A probe leases a slot of its host. A lease ends by itself, so a process that dies blocks nothing.

use crate::prelude::*;
use registry_model::{BlockedHost, BlockedHosts, FeedItem, HostName};

/// By the reversed name of the host.
pub(super) const BLOCK: Record<BlockedHost> = Record::new("BLOCKED", "", "block");

impl Store {
    pub async fn blocked_hosts(&self) -> Result<BlockedHosts> {
        let items = self.query_all(BLOCK.query().strong()).await?;
        Ok(BLOCK.read_all(&items)?.into_iter().collect())
    }

    /// Blocks a host; false where it was blocked already, and the earlier block stays.
    pub async fn block_host(&self, block: &BlockedHost, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.put_new(BLOCK.item(&BLOCK.one(block.host.reversed()), block)?);
        transaction.add_to_feed([news])?;
        self.commit(transaction).await
    }

    /// Ends the block of a host; false where it was not blocked.
    pub async fn unblock_host(&self, host: &HostName, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        transaction.delete_if(BLOCK.one(host.reversed()), Expression::default().if_exists());
        transaction.add_to_feed([news])?;
        self.commit(transaction).await
    }
}

/// The leased slots of a host. The id is an origin.
pub(super) const HOST_SLOTS: KeyPattern = KeyPattern::new("PROBING#", "SLOTS");

/// Concurrent probes of one host, over all its listings and all processes.
pub const SLOTS_PER_HOST: usize = 4;

/// The attributes of the slots. Each contains the end of its lease, in milliseconds since the epoch.
const SLOTS: [&str; SLOTS_PER_HOST] = ["slot0", "slot1", "slot2", "slot3"];

/// No lease lasts longer. An end that is later was written by a wrong clock, and the slot counts as free.
const MAX_HOST_LEASE_MS: i64 = 60_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLease {
    slot: usize,
    pub until: Moment,
}

impl Store {
    /// Leases a slot of a host until `until`; with `own`, this lease is extended if it still can be. `held` are the other
    /// leases of this process at the host. `None` if all slots are leased.
    pub async fn lease_host_slot(
        &self,
        host: &str,
        own: Option<HostLease>,
        held: &[HostLease],
        now: Moment,
        until: Moment,
    ) -> Result<Option<HostLease>> {
        let (now_ms, latest) = (now.as_millisecond(), now.as_millisecond() + MAX_HOST_LEASE_MS);
        let mut open: Vec<usize> =
            (0..SLOTS_PER_HOST).filter(|slot| held.iter().all(|lease| lease.slot != *slot)).collect();
        open.sort_by_key(|slot| own.is_none_or(|own| own.slot != *slot));
        while let Some(slot) = open.first().copied() {
            let mine = own.filter(|own| own.slot == slot).map_or(0, |own| own.until.as_millisecond());
            let change = Expression::default().expires(now, 86_400).set(SLOTS[slot], ms(until)).only_if(
                "attribute_not_exists(#slot) OR #slot < :now OR #slot > :latest OR #slot = :mine",
                [("#slot", SLOTS[slot])],
                [(":now", n(now_ms)), (":latest", n(latest)), (":mine", n(mine))],
            );
            let Err(found) = self.update_or_found(&HOST_SLOTS.of(host), &change, None).await? else {
                return Ok(Some(HostLease { slot, until }));
            };
            // The refusal tells which slots are leased, so that only the free ones are tried.
            open.remove(0);
            open.retain(|slot| !(now_ms..=latest).contains(&number(&found, SLOTS[*slot])));
        }
        Ok(None)
    }

    pub async fn end_host_lease(&self, host: &str, lease: HostLease) -> Result<()> {
        let slot = SLOTS[lease.slot];
        let change = Expression::default().remove(slot).if_equal(slot, ms(lease.until));
        self.update(&HOST_SLOTS.of(host), &change, None).await.map(drop)
    }
}
