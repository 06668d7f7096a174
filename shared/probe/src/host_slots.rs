//! Limits the concurrent probes per host. One host may have thousands of listings, and probing them all at
//! once would be an attack.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use registry_fetch::Target;

/// Concurrent probes of one host, over all its listings; the parts of a recheck share them.
pub(super) const PER_HOST: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct HostSlots {
    slots: Arc<std::sync::Mutex<HashMap<String, Arc<Semaphore>>>>,
    per_host: usize,
    until: tokio::time::Instant,
}

impl HostSlots {
    pub(super) fn until(until: tokio::time::Instant, per_host: usize) -> Self {
        Self { slots: Arc::default(), per_host, until }
    }

    pub(super) fn for_listing(&self, until: tokio::time::Instant) -> Self {
        Self { slots: Arc::clone(&self.slots), until, ..*self }
    }

    pub(super) const fn latest(&self) -> tokio::time::Instant {
        self.until
    }

    pub(super) async fn slot(&self, url: &Target) -> Option<HostSlot> {
        let origin = url.origin();
        let host = {
            let mut hosts = self.slots.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let host = hosts.entry(origin.clone()).or_insert_with(|| Arc::new(Semaphore::new(self.per_host)));
            Arc::clone(host)
        };
        let permit = tokio::time::timeout_at(self.until, host.acquire_owned()).await.ok()?.ok()?;
        Some(HostSlot { origin, _permit: permit })
    }
}

#[derive(Debug)]
pub(super) struct HostSlot {
    origin: String,
    _permit: OwnedSemaphorePermit,
}

impl HostSlot {
    pub(super) fn is_at(&self, url: &Target) -> bool {
        self.origin == url.origin()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use registry_model::Reach;

    const WAIT: Duration = Duration::from_secs(15);

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_slot_has_a_timeout() {
        let began = tokio::time::Instant::now();
        let hosts = HostSlots::until(began + WAIT, PER_HOST);
        let at = |url: &str| Target::parse(url, Reach::Public).unwrap();
        let (slow, other) = (at("https://slow.example.org/a"), at("https://other.example.org/"));
        let mut held = Vec::new();
        for _ in 0..PER_HOST {
            held.push(hosts.slot(&slow).await.unwrap());
        }
        assert!(hosts.slot(&other).await.is_some(), "others do not wait with it");
        assert_eq!(began.elapsed(), Duration::ZERO);
        let next = async {
            tokio::time::sleep(WAIT / 2).await;
            held.pop();
        };
        let (second, ()) = tokio::join!(hosts.slot(&slow), next);
        assert!(second.is_some() && began.elapsed() < WAIT, "a slot that comes in time is taken");
        assert!(hosts.slot(&slow).await.is_none());
        assert_eq!(began.elapsed(), WAIT);
    }
}
