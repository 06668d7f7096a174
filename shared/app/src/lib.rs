//! The [`App`] contains settings, store, bus, clock, randomness, and fetcher. It is passed to every
//! operation, so that there are no global variables. Tests replace the clock and the randomness. This crate
//! depends on the crates model, formats, fetch, store, and search.
//!
//! Start with [`App::new`]. The modules contain rules that several higher crates share.

mod caller_digests;
pub mod domain_keys;
pub mod host_slots;
pub mod message_key;
mod pending_deposits;
mod prelude;
pub mod private_key;
pub mod workflow_token;

pub use caller_digests::CallerDigests;

use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;

use crate::caller_digests::CachedCallerKeys;
use crate::host_slots::HostSlots;
use crate::message_key::MessageSigner;
use crate::pending_deposits::PendingDeposits;
use crate::private_key::KeyService;
use crate::workflow_token::WorkflowKeys;
use registry_fetch::{Fetcher, OwnRecords};
use registry_formats::registry_name;
use registry_model::cache::{CachedValue, RenderCache, TaggedPage};
use registry_model::error::{Problem, chain};
use registry_model::{
    Change, Clock, Kind, Lane, LimitedAction, Listing, ListingId, Moment, PeerRegistry, Random,
};
use registry_search::{Backend, Searcher};
use registry_settings::{Mode, Settings};
use registry_store::events::Bus;
use registry_store::{Allowance, Store};

/// One running registry. Clones share everything and cost one counter, because each request clones it several times.
#[derive(Clone, Debug)]
pub struct App(Arc<Services>);

#[derive(Debug)]
pub struct Services {
    pub settings: Settings,
    pub store: Store,
    pub bus: Bus,
    pub clock: Clock,
    pub random: Random,
    /// Signs with keys that are not in the table.
    pub key_service: Option<Arc<dyn KeyService>>,
    /// The only way to send requests to other servers.
    pub fetcher: Fetcher,
    /// Documents and answers by path and query, rendered by this process.
    pub pages: RenderCache<Bytes>,
    pub server_pages: RenderCache<TaggedPage>,
    /// This process's copy of the search index.
    pub search: Searcher,
    pub peer_registries: CachedValue<Vec<PeerRegistry>>,
    pub latest_changes: CachedValue<Vec<Change>>,
    /// Cached DNS records of the registry's own names.
    pub own_records: CachedValue<OwnRecords>,
    /// Deposits that reads caused and that are not written yet.
    pub pending_deposits: PendingDeposits,
    /// The keys with which the addresses of callers are digested.
    pub caller_keys: CachedCallerKeys,
    pub message_signer: MessageSigner,
    pub host_slots: HostSlots,
    /// The keys of GitHub Actions.
    pub workflow_keys: WorkflowKeys,
}

impl Deref for App {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0
    }
}

impl App {
    pub fn new(settings: Settings, store: Store, bus: Bus, clock: Clock, random: Random) -> Self {
        Self(Arc::new(Self::services(settings, store, bus, clock, random)))
    }

    fn services(settings: Settings, store: Store, bus: Bus, clock: Clock, random: Random) -> Services {
        let own_host =
            url::Url::parse(&settings.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let own_host = own_host.filter(|_| settings.mode == Mode::Public);
        let fetcher = Fetcher::new(settings.reach(), &settings.user_agent(), own_host.as_deref())
            .with_name_servers(settings.name_servers);
        let backend =
            Backend::new(settings.search_backend_url.as_deref(), settings.search_backend_token.as_ref());
        let (proof_lasts, own) = (settings.recheck_interval(), own_listings(&settings));
        let search = Searcher::new(store.clone(), clock.clone(), proof_lasts, backend, own);
        Services {
            settings,
            store,
            bus,
            clock,
            random,
            key_service: None,
            fetcher,
            pages: RenderCache::default(),
            server_pages: RenderCache::default(),
            search,
            peer_registries: CachedValue::default(),
            latest_changes: CachedValue::default(),
            own_records: CachedValue::default(),
            pending_deposits: PendingDeposits::default(),
            caller_keys: CachedCallerKeys::default(),
            message_signer: MessageSigner::default(),
            host_slots: HostSlots::default(),
            workflow_keys: WorkflowKeys::default(),
        }
    }

    /// The same app with another base URL, if one is given.
    #[must_use]
    pub fn at(self, base_url: Option<String>) -> Self {
        match base_url {
            Some(base_url) => {
                let mut settings = self.settings.clone();
                settings.base_url = base_url;
                self.with_settings(settings)
            }
            None => self,
        }
    }

    /// The same app with other settings and empty caches. The search index stays loaded.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        Self(Arc::new(self.renewed(settings)))
    }

    fn renewed(&self, settings: Settings) -> Services {
        let Services { store, bus, clock, random, key_service, .. } = &**self;
        let (store, bus, clock, random) = (store.clone(), bus.clone(), clock.clone(), random.clone());
        let services = Self::services(settings, store, bus, clock, random);
        let search = services.search.clone().with_index_of(&self.search);
        Services { search, key_service: key_service.clone(), ..services }
    }

    #[must_use]
    pub fn with_key_service(&self, key_service: Option<Arc<dyn KeyService>>) -> Self {
        Self(Arc::new(Services { key_service, ..self.renewed(self.settings.clone()) }))
    }

    /// The allowance for one limited action; none where rate limits are off. `caller` is a [`App::caller_digest`].
    pub fn allowance<'a>(
        &self,
        action: LimitedAction,
        caller: &'a str,
        target: Option<&'a str>,
    ) -> Option<Allowance<'a>> {
        let rate = self.settings.rate(action);
        self.settings.rate_limits.then_some(Allowance { action, caller, target, rate })
    }

    /// Counts one limited action.
    ///
    /// # Errors
    /// 429 where the allowance is used up; 503 while the table does not answer.
    pub async fn count(
        &self,
        action: LimitedAction,
        caller: &str,
        target: Option<&str>,
    ) -> Result<(), Problem> {
        let allowance = self.allowance(action, caller, target);
        Ok(self.store.count_allowed(allowance, self.clock.now()).await?)
    }

    /// A proof before this time has expired.
    pub fn oldest_proof(&self) -> Moment {
        self.clock.now() - self.settings.recheck_interval()
    }

    /// Corrects the count of Live listings if it subtracts this listing, whose proof had expired at the last count.
    pub async fn uncount_expired(&self, before: &Listing, after: &Listing) {
        let oldest_proof = self.oldest_proof();
        let has_expired = |listing: &Listing| listing.lane == Lane::Active && !listing.is_live(oldest_proof);
        let proven_at = before.proven_at().filter(|_| has_expired(before) && !has_expired(after));
        let Some(expired_at) = proven_at.map(|at| at + self.settings.recheck_interval()) else { return };
        if let Err(error) = self.store.uncount_overdue(before.likely_kind(), expired_at).await {
            tracing::warn!(
                error = chain(&error),
                "the count of Live listings is too low until the next count"
            );
        }
    }

    pub fn is_own(&self, id: &ListingId) -> bool {
        own_listings(&self.settings).contains(id)
    }

    /// The fetcher for the probes of a listing: like [`Self::fetcher_for`], with signed requests.
    pub fn signing_fetcher_for(&self, id: &ListingId) -> Fetcher {
        self.fetcher_for(id).with_signer(message_key::request_signer(self))
    }

    /// The fetcher for requests to a listing. Requests to the registry's own host are refused, except to its own listings.
    pub fn fetcher_for(&self, id: &ListingId) -> Fetcher {
        if self.is_own(id) { self.fetcher.without_own_host_rule() } else { self.fetcher.clone() }
    }
}

/// The ids of the registry's own listings: its card by the URL, and its MCP server by the name.
pub fn own_listings(settings: &Settings) -> [ListingId; 2] {
    let server = registry_name::own(&settings.base_url);
    let card = settings.own_card().map(|url| ListingId::of_url(&url));
    [card.unwrap_or_else(|| ListingId::of_name(Kind::Agent, &server)), ListingId::of_name(Kind::Mcp, &server)]
}
