//! The `App`: what every operation is handed, so that nothing reaches for a global.
//! Time and randomness are part of it, so that a test can move the clock by a week.

mod aws;
mod clock;
mod random;

use std::sync::Arc;

pub use aws::Credentials;
pub use clock::Clock;
pub use random::Random;

use crate::events::Bus;
use crate::http::PageCache;
use crate::probe::fetch::Fetcher;
use crate::search::Searcher;
use crate::settings::{Mode, SettingError, Settings};
use crate::store::Store;

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
    /// Rendered pages of this process, by the version of the table they were made from.
    pub pages: PageCache,
    /// What this process holds of the search index.
    pub search: Searcher,
}

/// Why a function cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting holds something unusable.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The surroundings of a Lambda function are not there.
    #[error("{0} is not set: a function finds it in its environment on AWS")]
    Missing(&'static str),
}

impl App {
    /// Puts an app together from its parts.
    #[must_use]
    pub fn new(settings: Settings, store: Store, bus: Bus, clock: Clock, random: Random) -> Self {
        let own_host =
            url::Url::parse(&settings.base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let own_host = own_host.filter(|_| settings.mode == Mode::Public);
        let fetcher = Fetcher::new(settings.reach(), &settings.user_agent(), own_host.as_deref());
        Self {
            settings: Arc::new(settings),
            store,
            bus,
            clock,
            random,
            fetcher,
            pages: PageCache::default(),
            search: Searcher::default(),
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

    /// The app of a Lambda function: settings, credentials and region from its environment, public rules.
    ///
    /// # Errors
    /// A bad setting, or a variable that every Lambda function has is not there.
    pub fn from_environment() -> Result<Self, StartError> {
        let lookup = |name: &str| std::env::var(name).ok();
        let settings = Settings::from_env(Mode::Public, lookup)?;
        let aws = aws::Surroundings::from_env(lookup)?;
        let store = Store::new(aws.dynamodb(), &settings.table_name);
        let bus = match &settings.bus_name {
            Some(name) => Bus::EventBridge(aws.eventbridge(), name.as_str().into()),
            None => Bus::Silent,
        };
        Ok(Self::new(settings, store, bus, Clock::System, Random::System))
    }
}
