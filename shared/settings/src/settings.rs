//! The values of all settings, and what follows from them.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use registry_model::{LimitedAction, LogWitness, NameServers, RATE_LIMITS, Rate, Reach, Secret, counted};
use url::Url;

use crate::trusted_proxy::TrustedProxy;
use crate::types::{ConnectionLimits, Mode, OutreachDelivery, Payments, Prices, RequestRate};

/// The settings. [`Settings::from_env`] defines the variables that set them. Most fields without a variable are limits of
/// the contract, or addresses that tests replace.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub mode: Mode,
    /// Without a trailing slash.
    pub base_url: String,
    pub brand: String,
    pub table_name: String,
    pub bus_name: Option<String>,
    pub probe_tick_seconds: u32,
    pub probes_per_tick: u32,
    pub probe_window_cap: u32,
    pub probe_hourly_cap: u32,
    pub probe_daily_budget: u32,
    /// How many listings should become Live in a UTC day; only shown.
    pub clean_list_target: u32,
    pub fresh_ok_hours: u32,
    pub recheck_days: u32,
    pub talk_grace_days: u32,
    pub founding_seats: u32,
    pub payments_open_after: u32,
    pub payments: Payments,
    pub outreach_budget_percent: u32,
    pub outreach_pause_days: u32,
    pub outreach_delivery: OutreachDelivery,
    pub list_itself: bool,
    /// Whether each scheduled sweep also uses this registry through its public URL; only with `list_itself`.
    pub canary: bool,
    pub rate_limits: bool,
    /// None where rate limits are off, and in development, where every caller is this machine.
    pub caller_rate: Option<RequestRate>,
    /// Only for the local server.
    pub connections: ConnectionLimits,
    /// One of this number of successful requests writes a line to the log.
    pub request_log_sample: u32,
    /// A `mailto:` or `https:` URL.
    pub operator_contact: Option<String>,
    pub source_url: Option<String>,
    /// The SPDX identifier of the license of the daily dump; without it, there is no dump.
    pub dump_license: Option<String>,
    /// Without a trailing slash; none where names are not proven by repositories.
    pub github_raw_url: Option<String>,
    /// The issuer of the tokens of workflows; `None` if they prove nothing.
    pub github_actions_issuer: Option<String>,
    /// Contains `{domain}`.
    pub domain_proof_url: String,
    pub name_servers: NameServers,
    pub federation_peers: Vec<String>,
    /// Lists of servers and of agent cards whose entries are published here.
    pub import_sources: Vec<String>,
    /// The base URL of the registry of each type of package that is checked. For `pypi`, a URL that ends with `simple` is a
    /// simple index, as for pip; other URLs have the JSON API of `PyPI`.
    pub package_registries: BTreeMap<String, String>,
    pub log_witnesses: Vec<LogWitness>,
    /// The keys of a key service; without them, the private keys are in the table.
    pub signing_key_id: Option<String>,
    pub message_key_id: Option<String>,
    pub log_key_id: Option<String>,
    /// Absent if every caller connects directly.
    pub proxy: Option<TrustedProxy>,
    pub operator_token: Option<Secret>,
    pub stripe_secret_key: Option<Secret>,
    pub stripe_webhook_secret: Option<Secret>,
    /// Without a trailing slash.
    pub stripe_api_url: String,
    /// The server that finds candidates for searches, without a trailing slash. `None`: the embedded index does.
    pub search_backend_url: Option<String>,
    pub search_backend_token: Option<Secret>,
    pub prices: Prices,
    /// In the order of [`RATE_LIMITS`].
    pub(crate) rates: [Rate; RATE_LIMITS.len()],
}

impl Settings {
    pub fn rate(&self, action: LimitedAction) -> Rate {
        self.rates[action.limit().action as usize]
    }

    /// For tests, which cannot wait for a limit of an hour.
    pub fn rate_mut(&mut self, action: LimitedAction) -> &mut Rate {
        &mut self.rates[action.limit().action as usize]
    }

    /// Both secrets are required: with only one, a buyer could pay for a product that never opens.
    const fn has_payment_secrets(&self) -> bool {
        self.stripe_secret_key.is_some() && self.stripe_webhook_secret.is_some()
    }

    /// Whether the operator allows payments and this registry can take them.
    pub const fn sells(&self) -> bool {
        match self.payments {
            Payments::Off => false,
            Payments::On => self.has_payment_secrets(),
            Payments::Elsewhere => true,
        }
    }

    /// The age at which the proof of a Live listing is no longer fresh (`specification.md#probe-selection`).
    pub fn fresh_ok(&self) -> SignedDuration {
        SignedDuration::from_hours(i64::from(self.fresh_ok_hours))
    }

    pub fn recheck_in_words(&self) -> String {
        counted(self.recheck_days, "day")
    }

    /// How long a proof is valid: until its listing must be probed again (`specification.md#proof-lifetime`).
    pub fn recheck_interval(&self) -> SignedDuration {
        SignedDuration::from_hours(24 * i64::from(self.recheck_days))
    }

    /// How long a new Live listing counts as present in Talk without a read of its inbox.
    pub fn talk_grace(&self) -> SignedDuration {
        SignedDuration::from_hours(24 * i64::from(self.talk_grace_days))
    }

    /// The time before a listing is invited again (`specification.md#outreach-pause`).
    pub fn outreach_pause(&self) -> SignedDuration {
        SignedDuration::from_hours(24 * i64::from(self.outreach_pause_days))
    }

    /// Which addresses the prober may connect to.
    pub const fn reach(&self) -> Reach {
        match self.mode {
            Mode::Public => Reach::Public,
            Mode::Development => Reach::Development,
        }
    }

    /// The time of one tick, which is also the least time between two probes of one listing.
    pub const fn tick(&self) -> Duration {
        Duration::from_secs(self.probe_tick_seconds as u64)
    }

    /// The time of one tick: `6 minutes`, `1 minute` or `90 seconds`.
    pub fn tick_in_words(&self) -> String {
        match (self.probe_tick_seconds / 60, self.probe_tick_seconds % 60) {
            (minutes, 0) => counted(minutes, "minute"),
            _ => counted(self.probe_tick_seconds, "second"),
        }
    }

    /// The URL under which the registry lists itself as an agent.
    pub fn own_card(&self) -> Option<Url> {
        Url::parse(&self.url("/.well-known/agent-card.json")).ok()
    }

    /// The `User-Agent` of probes, with a page that explains them.
    pub fn user_agent(&self) -> String {
        let name: String = self.brand.split_whitespace().collect();
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{name}/{} (+{}/discovery.json)", registry_model::VERSION, self.base_url)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}
