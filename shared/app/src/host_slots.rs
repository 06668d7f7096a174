//! Limits the concurrent probes at a host to [`SLOTS_PER_HOST`]. One host may have thousands of listings, and probing them
//! all at once would be an attack. The slots are leased in the table, so that all processes share them. During a sweep, a
//! process keeps a lease after a probe and uses it for the next one at the same host.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};

use crate::prelude::*;
use registry_fetch::Target;
use registry_store::{HostLease, SLOTS_PER_HOST};

const LEASE: SignedDuration = SignedDuration::from_secs(45);
/// A lease is extended if less than this is left of it: twice the longest time that a probe holds a slot.
const LONGEST_USE: SignedDuration = SignedDuration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// If more hosts are known, those without a probe are forgotten; their leases end by themselves.
const MAX_IDLE_HOSTS: usize = 1_000;

#[derive(Debug, Default)]
pub struct HostSlots(Mutex<HashMap<String, Arc<Host>>>);

#[derive(Debug)]
struct Host {
    origin: String,
    permits: Arc<Semaphore>,
    leases: Mutex<Leases>,
}

/// The leases of this process at a host.
#[derive(Debug, Default)]
struct Leases {
    free: Vec<HostLease>,
    in_use: Vec<HostLease>,
}

/// A slot for one probe at a time; another probe can take it when this is dropped.
#[derive(Debug)]
pub struct HostSlot {
    host: Arc<Host>,
    /// `None` if this process is the only one.
    lease: Option<HostLease>,
    _permit: OwnedSemaphorePermit,
}

impl HostSlot {
    pub fn is_at(&self, url: &Target) -> bool {
        self.host.origin == url.origin()
    }
}

impl Drop for HostSlot {
    fn drop(&mut self) {
        let mut leases = self.host.leases();
        leases.in_use.retain(|lease| Some(*lease) != self.lease);
        leases.free.extend(self.lease);
    }
}

impl HostSlots {
    fn host(&self, origin: &str) -> Arc<Host> {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() > MAX_IDLE_HOSTS {
            hosts.retain(|_, host| Arc::strong_count(host) > 1);
        }
        let new = || Host {
            origin: origin.to_owned(),
            permits: Arc::new(Semaphore::new(SLOTS_PER_HOST)),
            leases: Mutex::default(),
        };
        Arc::clone(hosts.entry(origin.to_owned()).or_insert_with(|| Arc::new(new())))
    }

    fn take_idle(&self) -> Vec<(String, HostLease)> {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = hosts.values().flat_map(|host| {
            let free = std::mem::take(&mut host.leases().free);
            free.into_iter().map(|lease| (host.origin.clone(), lease))
        });
        idle.collect()
    }
}

impl Host {
    fn leases(&self) -> std::sync::MutexGuard<'_, Leases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a lease of this process that is free, otherwise a new one. `None` if other processes have all the others.
    async fn lease(&self, app: &App) -> Result<Option<HostLease>, StoreError> {
        let now = app.clock.now();
        let (own, leased) = {
            let mut leases = self.leases();
            let own = leases.free.pop();
            if let Some(own) = own.filter(|own| own.until >= now + LONGEST_USE && own.until <= now + LEASE) {
                leases.in_use.push(own);
                return Ok(Some(own));
            }
            (own, leases.free.iter().chain(&leases.in_use).copied().collect::<Vec<_>>())
        };
        let granted = app.store.lease_host_slot(&self.origin, own, &leased, now, now + LEASE).await?;
        self.leases().in_use.extend(granted);
        Ok(granted)
    }
}

impl App {
    /// Waits for a slot at the host of `url`. `None` if none becomes free before `until`, or if the table does not answer.
    pub async fn host_slot(&self, url: &Target, until: Instant) -> Option<HostSlot> {
        let host = self.host_slots.host(&url.origin());
        let permit = timeout_at(until, Arc::clone(&host.permits).acquire_owned()).await.ok()?.ok()?;
        if self.store.is_sole_writer() {
            return Some(HostSlot { host, lease: None, _permit: permit });
        }
        let mut pause = FIRST_PAUSE;
        loop {
            // Boxed, because the future of a probe is too deep for the compiler otherwise.
            match Box::pin(host.lease(self)).await {
                Ok(lease @ Some(_)) => return Some(HostSlot { host, lease, _permit: permit }),
                Ok(None) if Instant::now() + pause < until => sleep(pause).await,
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(
                        host = host.origin,
                        error = chain(&error),
                        "failed to lease a slot at a host"
                    );
                    return None;
                }
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// Ends the leases that no probe of this process uses, so that other processes need not wait for their end.
    pub async fn release_host_slots(&self) {
        let now = self.clock.now();
        let idle = self.host_slots.take_idle();
        let ended = idle.iter().filter(|(_, lease)| lease.until > now);
        for ended in join_all(ended.map(|(host, lease)| self.store.end_host_lease(host, *lease))).await {
            if let Err(error) = ended {
                tracing::warn!(error = chain(&error), "failed to end the lease of a slot; it ends by itself");
            }
        }
    }
}
