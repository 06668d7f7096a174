//! Options of a test registry: settings by the names of their environment variables, the clock and the transport. The
//! production code reads the settings, so that a test cannot use a configuration that is impossible for an operator.

use local::{Data, Options, Transport};
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
    read_cache: bool,
}

impl Default for TestOptions {
    fn default() -> Self {
        let noon = super::NOON.parse().unwrap();
        Self {
            mode: Mode::Development,
            environment: Vec::new(),
            clock: Clock::manual(noon),
            data: Data::Memory,
            transport: Transport::Direct,
            read_cache: true,
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

    /// Without the read cache. Every read calls the table, as on AWS, so that a test can count calls and inject faults.
    #[must_use]
    pub fn without_read_cache(self) -> Self {
        Self { read_cache: false, ..self }
    }

    /// With the value of a setting, by its environment name.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers pass numbers and literals")]
    pub fn with_setting(mut self, name: &str, value: impl ToString) -> Self {
        self.environment.retain(|(other, _)| other != name);
        self.environment.push((name.to_owned(), value.to_string()));
        self
    }

    /// With rate limits.
    #[must_use]
    pub fn with_rates(self) -> Self {
        self.with_setting("RATE_LIMITS", "on")
    }

    /// With the machine's clock.
    #[must_use]
    pub fn with_real_time(self) -> Self {
        Self { clock: Clock::System, ..self }
    }

    /// With the table in this place.
    #[must_use]
    pub fn with_data(self, data: Data) -> Self {
        Self { data, ..self }
    }

    /// Every request goes through an API Gateway event and back.
    #[must_use]
    pub fn as_events(self) -> Self {
        Self { transport: Transport::Events, ..self }
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
            caches_reads: self.read_cache,
            clock: self.clock.clone(),
            random: Random::seeded(7),
            ..Options::new(settings)
        }
    }
}
