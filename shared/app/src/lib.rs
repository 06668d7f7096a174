//! The `App`: what every operation is handed, so that nothing reaches for a global.
//! Time and randomness are part of it, so that a test can move the clock by a week.

pub mod domain_keys;
pub mod takedown;
pub mod talk;
pub mod trails;

use std::sync::Arc;

use bytes::Bytes;

use crate::trails::PendingDeposits;
use registry_fetch::{Fetcher, OwnRecords};
use registry_model::cache::{Kept, RenderCache, TaggedPage};
use registry_model::settings::{Mode, Settings};
use registry_model::{Clock, ListingId, Moment, PeerRegistry, Random};
use registry_search::Searcher;
use registry_store::Store;
use registry_store::events::Bus;

/// One running registry; a clone shares everything.
#[derive(Clone, Debug)]
pub struct App {
    /// What the environment set.
    pub settings: Arc<Settings>,
    /// The table.
    pub store: Store,
    /// Where domain events go.
    pub bus: Bus,
    /// The time of day.
    pub clock: Clock,
    /// Randomness.
    pub random: Random,
    /// The only way to a stranger's server.
    pub fetcher: Fetcher,
    /// Documents and answers that this process rendered, by their paths and queries.
    pub pages: RenderCache<Bytes>,
    /// Rendered pages of the registry API.
    pub server_pages: RenderCache<TaggedPage>,
    /// What this process holds of the search index.
    pub search: Searcher,
    /// What this process holds of what other registries told.
    pub peer_registries: Kept<Vec<PeerRegistry>>,
    /// What this process holds of the DNS records at the registry's own names.
    pub own_records: Kept<OwnRecords>,
    /// What reads deposit, until it is written.
    pub pending_deposits: PendingDeposits,
}

impl App {
    /// Puts an app together from its parts.
    #[must_use]
    pub fn new(settings: Settings, store: Store, bus: Bus, clock: Clock, random: Random) -> Self {
        let own_host =
            url::Url::parse(&settings.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let own_host = own_host.filter(|_| settings.mode == Mode::Public);
        let fetcher = Fetcher::new(settings.reach(), &settings.user_agent(), own_host.as_deref())
            .with_name_servers(settings.name_servers);
        let search = Searcher::new(store.clone(), clock.clone(), settings.recheck_interval());
        Self {
            settings: Arc::new(settings),
            store,
            bus,
            clock,
            random,
            fetcher,
            pages: RenderCache::default(),
            server_pages: RenderCache::default(),
            search,
            peer_registries: Kept::default(),
            own_records: Kept::default(),
            pending_deposits: PendingDeposits::default(),
        }
    }

    /// The same app, reached at `base_url` where one is given.
    #[must_use]
    pub fn at(self, base_url: Option<String>) -> Self {
        match base_url {
            Some(base_url) => {
                let settings = Settings { base_url, ..(*self.settings).clone() };
                Self::new(settings, self.store, self.bus, self.clock, self.random)
            }
            None => self,
        }
    }

    /// The oldest proof that makes a listing Live: older ones have run out.
    #[must_use]
    pub fn oldest_proof(&self) -> Moment {
        self.clock.now() - self.settings.recheck_interval()
    }

    /// The fetcher for what is asked of a listing: the registry asks nothing of its own host, but for its own listings.
    #[must_use]
    pub fn fetcher_for(&self, id: &ListingId) -> Fetcher {
        let own = self.settings.own_endpoints().any(|(url, _)| ListingId::of_url(&url) == *id);
        if own { self.fetcher.without_own_host_rule() } else { self.fetcher.clone() }
    }
}
