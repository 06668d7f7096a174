//! Options of a test registry: settings by the names of their environment variables, the clock and the transport. The
//! production code reads the settings, so that a test cannot use a configuration that is impossible for an operator.

use local::{Data, Options, Reads, Transport};
use registry::model::{Clock, Random};
use registry::settings::{Mode, Settings};

/// How a test registry starts.
#[derive(Clone, Debug)]
pub struct TestOptions {
    mode: Mode,
    environment: Vec<(String, String)>,
    clock: Clock,
    data: Data,
    transport: Transport,
    reads: Reads,
    lag: bool,
    is_delivered_twice: bool,
}

impl Default for TestOptions {
    fn default() -> Self {
        let noon = super::NOON.parse().unwrap();
        Self {
            mode: Mode::Development,
            environment: Vec::new(),
            clock: Clock::manual(noon),
            data: Data::Memory,
            transport: Transport::Events,
            reads: Reads::Uncached,
            lag: true,
            is_delivered_twice: true,
        }
        .with_setting("RATE_LIMITS", "off")
        // With security.txt, so that tests read every document.
        .with_setting("OPERATOR_CONTACT", "mailto:operator@registry.example.org")
        // Tests send no requests to other hosts.
        .with_setting("GITHUB_RAW_URL", "off")
        .with_setting("DNS_SERVER", "off")
    }
}

impl TestOptions {
    /// The rules of a public registry, with rate limits.
    #[must_use]
    pub fn public() -> Self {
        Self { mode: Mode::Public, ..Self::default() }.with_setting("RATE_LIMITS", "on")
    }

    /// With the read cache of a single process, so without lag.
    #[must_use]
    pub fn with_read_cache(self) -> Self {
        Self { reads: Reads::UntilWritten, lag: false, ..self }
    }

    /// With the read cache of the functions on AWS. Without lag, because it is shorter than the cache.
    #[must_use]
    pub fn with_cache_for_seconds(self) -> Self {
        Self { reads: Reads::ForSeconds, lag: false, ..self }
    }

    /// All reads see all writes.
    #[must_use]
    pub fn without_lag(self) -> Self {
        Self { lag: false, ..self }
    }

    /// Schedules and the bus deliver each event once.
    #[must_use]
    pub fn delivered_once(self) -> Self {
        Self { is_delivered_twice: false, ..self }
    }

    /// With the value of a setting, by its environment name.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass numbers and literals")]
    pub fn with_setting(mut self, name: &str, value: impl ToString) -> Self {
        self.environment.retain(|(other, _)| other != name);
        self.environment.push((name.to_owned(), value.to_string()));
        self
    }

    /// Whether a setting has a value.
    pub(super) fn has_setting(&self, name: &str) -> bool {
        self.environment.iter().any(|(other, _)| other == name)
    }

    /// With rate limits.
    #[must_use]
    pub fn with_rates(self) -> Self {
        self.with_setting("RATE_LIMITS", "on")
    }

    /// With another clock, such as the machine's.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// With the table in this place.
    #[must_use]
    pub fn with_data(self, data: Data) -> Self {
        Self { data, ..self }
    }

    /// Requests reach the functions directly, and not as events of API Gateway.
    #[must_use]
    pub fn without_events(self) -> Self {
        Self { transport: Transport::Direct, ..self }
    }

    /// Whether eventually consistent reads miss writes of the same moment. A table with older data, or a clock that a test
    /// does not move, has no lag.
    pub(super) fn lags(&self) -> bool {
        self.lag && self.data == Data::Memory && matches!(self.clock, Clock::Manual(_))
    }

    pub(super) const fn is_delivered_twice(&self) -> bool {
        self.is_delivered_twice
    }

    /// The options of the local registry.
    #[must_use]
    pub fn into_local(self) -> Options {
        let lookup =
            |name: &str| self.environment.iter().find(|(other, _)| other == name).map(|(_, v)| v.clone());
        // Without its own listings, unless a test sets `LIST_ITSELF`.
        let lookup = |name: &str| lookup(name).or_else(|| (name == "LIST_ITSELF").then(|| "off".to_owned()));
        let settings = Settings::from_env(self.mode, lookup).unwrap();
        Options {
            data: self.data.clone(),
            own_base_url: lookup("BASE_URL").is_none(),
            transport: self.transport,
            reads: self.reads,
            clock: self.clock.clone(),
            random: Random::seeded(7),
            ..Options::new(settings)
        }
    }
}
