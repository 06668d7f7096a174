//! Options of a test registry: settings by the names of their environment variables, the clock and the transport. The
//! production code reads the settings, so that a test cannot use a configuration that is impossible for an operator. Fields
//! of the settings without a variable, such as limits of the contract, are changed afterwards.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use http::StatusCode;
use local::{Data, Embedded, Options, Parts};
use registry::model::{Clock, LimitedAction, Random, Rate};
use registry::settings::{BASE_URL, Mode, Settings};
use registry::store::Store;

use crate::gateway_events::by_events;
use crate::instrumented::{Observer, with_rights};
use crate::template::TEMPLATE;

/// A change of the settings that no variable can make.
#[derive(Clone)]
struct Change(Arc<dyn Fn(&mut Settings) + Send + Sync>);

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Change")
    }
}

/// How a test registry starts.
#[derive(Clone, Debug)]
pub struct TestOptions {
    mode: Mode,
    environment: Vec<(String, String)>,
    changes: Vec<Change>,
    clock: Clock,
    data: Data,
    is_sent_as_events: bool,
    has_read_cache: bool,
    lag: bool,
    pub(super) is_delivered_twice: bool,
}

/// The table and the functions of a test registry.
#[derive(Debug)]
struct TestParts {
    observer: Observer,
    has_read_cache: bool,
    is_sent_as_events: bool,
}

impl Parts for TestParts {
    fn store(&self, engine: Embedded, table_name: &str, clock: &Clock) -> Store {
        let client = self.observer.client(engine);
        if self.has_read_cache {
            Store::of_many_writers(client, table_name, clock.clone())
        } else {
            Store::new(client, table_name)
        }
    }

    fn function(&self, name: &'static str, function: Router) -> Router {
        let function =
            function.layer(from_fn(move |request: Request, next: Next| routed(name, request, next)));
        with_rights(name, if self.is_sent_as_events { by_events(function) } else { function })
    }
}

/// Checks that the template sends a request to the same function as the local gateway, if the function serves the path.
async fn routed(function: &'static str, request: Request, next: Next) -> Response {
    let (_, expected) = TEMPLATE.route_of(request.uri().path());
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    assert!(response.status() == StatusCode::NOT_FOUND || expected == function, "{path}: {expected}");
    response
}

impl Default for TestOptions {
    fn default() -> Self {
        let noon = super::NOON.parse().unwrap();
        Self {
            mode: Mode::Development,
            environment: Vec::new(),
            changes: Vec::new(),
            clock: Clock::manual(noon),
            data: Data::Memory,
            is_sent_as_events: true,
            has_read_cache: false,
            lag: true,
            is_delivered_twice: true,
        }
        .with_setting("RATE_LIMITS", "off")
        // With security.txt, so that tests read every document.
        .with_setting("OPERATOR_CONTACT", "mailto:operator@registry.example.org")
        // Tests send no requests to other hosts.
        .with(|settings| settings.github_raw_url = None)
        .with_setting("DNS_SERVER", "off")
    }
}

impl TestOptions {
    /// The rules of a public registry, with rate limits.
    pub fn public() -> Self {
        Self { mode: Mode::Public, ..Self::default() }.with_setting("RATE_LIMITS", "on")
    }

    /// With the read cache of the functions on AWS. Without lag, because it is shorter than the cache.
    pub fn with_cache_for_seconds(self) -> Self {
        Self { has_read_cache: true, lag: false, ..self }
    }

    /// Schedules and the bus deliver each event once.
    pub fn delivered_once(self) -> Self {
        Self { is_delivered_twice: false, ..self }
    }

    /// With the value of a setting, by its environment name.
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

    /// With a change of the settings.
    pub fn with(mut self, change: impl Fn(&mut Settings) + Send + Sync + 'static) -> Self {
        self.changes.push(Change(Arc::new(change)));
        self
    }

    /// With rate limits, and another hourly limit of an action.
    pub fn with_rate(
        self,
        action: LimitedAction,
        change: impl Fn(&mut Rate) + Send + Sync + 'static,
    ) -> Self {
        self.with_rates().with(move |settings| change(settings.rate_mut(action)))
    }

    /// With another number of requests that one address may send at once.
    pub fn with_requests_at_once(self, at_once: u32) -> Self {
        self.with(move |settings| {
            if let Some(rate) = &mut settings.caller_rate {
                rate.at_once = at_once;
            }
        })
    }

    /// With the keys of domains at `/<domain>/auth` of this site.
    pub fn with_domain_proofs(self, origin: &str) -> Self {
        let url = format!("{origin}/{{domain}}/auth");
        self.with(move |settings| settings.domain_proof_url.clone_from(&url))
    }

    /// With the files of GitHub repositories at this address.
    pub fn with_github(self, origin: &str) -> Self {
        let origin = Some(origin.to_owned());
        self.with(move |settings| settings.github_raw_url.clone_from(&origin))
    }

    pub fn with_stripe(self, origin: &str) -> Self {
        let origin = origin.to_owned();
        self.with(move |settings| settings.stripe_api_url.clone_from(&origin))
    }

    pub fn with_rates(self) -> Self {
        self.with_setting("RATE_LIMITS", "on")
    }

    /// With another clock, such as the machine's.
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    pub fn with_data(self, data: Data) -> Self {
        Self { data, ..self }
    }

    /// Requests reach the functions directly, and not as events of API Gateway.
    pub fn without_events(self) -> Self {
        Self { is_sent_as_events: false, ..self }
    }

    /// Whether eventually consistent reads miss writes of the same moment. Older data and a clock that stands have no lag.
    pub(super) fn lags(&self) -> bool {
        self.lag && self.data == Data::Memory && matches!(self.clock, Clock::Manual(_))
    }

    /// The options of the local registry whose table `observer` observes. A variable that is no setting, or that has a value
    /// which is not allowed, fails the test.
    pub fn into_local(self, observer: Observer) -> Options {
        let lookup =
            |name: &str| self.environment.iter().find(|(other, _)| other == name).map(|(_, v)| v.clone());
        // Without its own listings, unless a test sets `LIST_ITSELF`.
        let lookup = |name: &str| lookup(name).or_else(|| (name == "LIST_ITSELF").then(|| "off".to_owned()));
        let read = RefCell::new(BTreeSet::new());
        let mut settings = Settings::from_env(self.mode, |name| {
            read.borrow_mut().insert(name.to_owned());
            lookup(name)
        })
        .unwrap();
        let read = read.into_inner();
        let unknown = self.environment.iter().map(|(name, _)| name).find(|name| !read.contains(*name));
        assert_eq!(unknown, None, "no setting has this name");
        for change in &self.changes {
            (change.0)(&mut settings);
        }
        Options {
            data: self.data.clone(),
            own_base_url: lookup(BASE_URL).is_none(),
            clock: self.clock.clone(),
            random: Random::seeded(7),
            parts: Arc::new(TestParts {
                observer,
                has_read_cache: self.has_read_cache,
                is_sent_as_events: self.is_sent_as_events,
            }),
            ..Options::new(settings)
        }
    }
}
