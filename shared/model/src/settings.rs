//! The settings that environment variables can change. They are read once at the start. If a value is
//! invalid, the process does not start; the error message gives the variable's name and the accepted values.

mod table;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use http::HeaderName;
use jiff::SignedDuration;
use url::Url;

use crate::protocol::MCP_ENDPOINT;
use crate::rate_limit::{LimitedAction, RATE_LIMITS, Rate, RateLimit};
use crate::{Kind, LogWitness, NameServers, Reach, Secret, TrustedProxy};
use table::Form;

pub use table::{SETTINGS, Setting, settings_table};

/// Which addresses may be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// https only, public addresses only, rate limits always on.
    Public,
    /// Loopback peers may be probed over plain http. Only `infra/local` sets it.
    Development,
}

/// How often one caller may send requests to one instance of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRate {
    /// Requests a second in the long run; from 1 to 1000.
    pub per_second: u32,
    /// Requests at once, after a pause.
    pub at_once: u32,
}

impl RequestRate {
    /// The time between two requests in the long run.
    #[must_use]
    pub fn interval(self) -> SignedDuration {
        SignedDuration::from_millis(1000 / i64::from(self.per_second.clamp(1, 1000)))
    }

    /// How many intervals a full bucket holds.
    #[must_use]
    pub fn burst(self) -> i32 {
        i32::try_from(self.at_once).unwrap_or(i32::MAX)
    }
}

/// Limits of the local server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Open connections in total.
    pub total: u32,
    /// Open connections from one address.
    pub per_address: u32,
    pub read_seconds: u32,
}

impl ConnectionLimits {
    /// How long a client may take to send the head of a request, and how long to send its body.
    pub const fn read_timeout(self) -> Duration {
        Duration::from_secs(self.read_seconds as u64)
    }
}

/// What a million units cost, in millionths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    pub read_units: u32,
    pub write_units: u32,
    pub requests: u32,
}

string_enum! {
    /// Whether the operator allows payments.
    pub enum Payments {
        Off = "off",
        On = "on",
        /// Another function of this registry has the secrets of the payment provider.
        Elsewhere = "elsewhere",
    }
}

string_enum! {
    pub enum OutreachDelivery {
        /// Only to the Talk inbox.
        Talk = "talk",
        /// In addition, an agent receives one A2A message at the endpoint that answered a probe.
        TalkAndA2a = "talk+a2a",
    }
}

/// The settings. [`SETTINGS`] and [`RATE_LIMITS`] name the variables with their meanings, defaults and bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// No environment variable sets it.
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
    pub clean_list_target: u32,
    pub fresh_ok_hours: u32,
    pub recheck_days: u32,
    pub talk_grace_days: u32,
    pub founding_seats: u32,
    pub payments_open_after: u32,
    pub payments: Payments,
    pub outreach_budget_percent: u32,
    pub outreach_acceleration: bool,
    pub outreach_pause_days: u32,
    pub outreach_delivery: OutreachDelivery,
    pub list_itself: bool,
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
    /// The base URL of the registry of each type of package that is checked.
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
    rates: [Rate; RATE_LIMITS.len()],
}

/// Other registries whose listings are shown as referrals, at most.
const MAX_REGISTRIES: usize = 10;

const MAX_LOG_WITNESSES: usize = 10;

/// An environment variable with an invalid value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid setting {name}={value:?}: set it to {allowed}")]
pub struct SettingError {
    pub name: String,
    /// Its value; a secret is not shown.
    pub value: String,
    pub allowed: String,
}

impl Settings {
    /// Reads the settings; `lookup` returns the value of an environment variable. The variable `SETTINGS` can contain
    /// several settings.
    ///
    /// # Errors
    /// The first variable with an invalid value.
    pub fn from_env(mode: Mode, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let several = several(&lookup)?;
        let lookup = |name: &str| several.get(name).cloned().or_else(|| lookup(name));
        let read = Reader { lookup: &lookup };
        let rate_limits = read.switch("RATE_LIMITS")?;
        if !rate_limits && mode == Mode::Public {
            let allowed = "`on`, or `off` in development mode".to_owned();
            return Err(SettingError { name: "RATE_LIMITS".to_owned(), value: "off".to_owned(), allowed });
        }
        let caller_rate = RequestRate {
            per_second: read.number("CALLER_REQUESTS_PER_SECOND")?,
            at_once: read.number("CALLER_REQUESTS_AT_ONCE")?,
        };
        let probe_window_cap = read.number("PROBE_WINDOW_CAP")?;
        let probes_per_tick = match read.value("PROBES_PER_TICK") {
            None => probe_window_cap,
            Some(_) => read.number("PROBES_PER_TICK")?,
        };
        Ok(Self {
            mode,
            base_url: read.base_url()?,
            brand: read.text("BRAND"),
            table_name: read.text("TABLE_NAME"),
            bus_name: read.value("BUS_NAME"),
            probe_tick_seconds: read.number("PROBE_TICK_SECONDS")?,
            probes_per_tick,
            probe_window_cap,
            probe_hourly_cap: read.number("PROBE_HOURLY_CAP")?,
            probe_daily_budget: read.number("PROBE_DAILY_BUDGET")?,
            clean_list_target: read.number("CLEAN_LIST_TARGET")?,
            fresh_ok_hours: read.number("FRESH_OK_HOURS")?,
            recheck_days: read.number("RECHECK_DAYS")?,
            talk_grace_days: read.number("TALK_GRACE_DAYS")?,
            founding_seats: read.number("FOUNDING_SEATS")?,
            payments_open_after: read.number("PAYMENTS_OPEN_AFTER")?,
            payments: read.payments()?,
            outreach_budget_percent: read.number("OUTREACH_BUDGET_PERCENT")?,
            outreach_pause_days: read.number("OUTREACH_PAUSE_DAYS")?,
            outreach_acceleration: read.switch("OUTREACH_ACCELERATION")?,
            outreach_delivery: read.outreach_delivery()?,
            list_itself: read.switch("LIST_ITSELF")?,
            canary: read.switch("CANARY")?,
            rate_limits,
            caller_rate: (rate_limits && mode == Mode::Public).then_some(caller_rate),
            connections: read.connections(mode)?,
            request_log_sample: read.number("REQUEST_LOG_SAMPLE")?,
            operator_contact: read.link("OPERATOR_CONTACT", true)?,
            source_url: read.link("SOURCE_URL", false)?,
            dump_license: read.license("DUMP_LICENSE")?,
            github_raw_url: read.url_or_off("GITHUB_RAW_URL")?,
            github_actions_issuer: read.url_or_off("GITHUB_ACTIONS_ISSUER")?,
            domain_proof_url: read.domain_proof_url()?,
            name_servers: read.name_servers()?,
            federation_peers: read.registries("FEDERATION_PEERS")?,
            import_sources: read.registries("IMPORT_SOURCES")?,
            package_registries: read.package_registries()?,
            log_witnesses: read.log_witnesses(mode)?,
            signing_key_id: read.value("SIGNING_KEY_ID"),
            message_key_id: read.value("MESSAGE_KEY_ID"),
            log_key_id: read.value("LOG_KEY_ID"),
            // A short token could be guessed by trying.
            proxy: read.proxy()?,
            operator_token: read.secret("OPERATOR_TOKEN", |token| token.len() >= 32)?,
            stripe_secret_key: read.secret("STRIPE_SECRET_KEY", |key| begins(key, &["sk_", "rk_"]))?,
            stripe_webhook_secret: read.secret("STRIPE_WEBHOOK_SECRET", |key| begins(key, &["whsec_"]))?,
            stripe_api_url: read.url("STRIPE_API_URL", |url| url.query().is_none())?,
            search_backend_url: read.search_backend_url(mode)?,
            search_backend_token: read.secret("SEARCH_BACKEND_TOKEN", |token| token.len() >= 16)?,
            prices: Prices {
                read_units: read.number("PRICE_PER_MILLION_READ_UNITS")?,
                write_units: read.number("PRICE_PER_MILLION_WRITE_UNITS")?,
                requests: read.number("PRICE_PER_MILLION_REQUESTS")?,
            },
            rates: read.rates()?,
        })
    }

    pub fn rate(&self, action: LimitedAction) -> Rate {
        self.rates[action.limit().action as usize]
    }

    /// Both secrets are required: with only one, a buyer could pay for a product that never opens.
    pub const fn has_payment_secrets(&self) -> bool {
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

    /// How long a proof is valid: until its listing must be probed again (`specification.md#proof-lifetime`).
    pub fn recheck_interval(&self) -> SignedDuration {
        SignedDuration::from_hours(24 * i64::from(self.recheck_days))
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

    /// The URLs under which the registry lists itself.
    pub fn own_endpoints(&self) -> impl Iterator<Item = (Url, Kind)> {
        let own = [("/.well-known/agent-card.json", Kind::Agent), (MCP_ENDPOINT, Kind::Mcp)];
        own.into_iter().filter_map(|(path, kind)| Some((Url::parse(&self.url(path)).ok()?, kind)))
    }

    /// The `User-Agent` of probes, with a page that explains them.
    pub fn user_agent(&self) -> String {
        let name: String = self.brand.split_whitespace().collect();
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{name}/{} (+{}/discovery.json)", crate::VERSION, self.base_url)
    }

    /// The absolute URL of a path of this registry.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

/// Settings that `SETTINGS` cannot contain: what a deployment sets for each function, and secrets. Anyone who may read the
/// configuration of a function can read its variables.
const ONLY_ALONE: [&str; 11] = [
    "SETTINGS",
    "BASE_URL",
    "TABLE_NAME",
    "BUS_NAME",
    "SIGNING_KEY_ID",
    "MESSAGE_KEY_ID",
    "LOG_KEY_ID",
    "PROXY_SECRET",
    "OPERATOR_TOKEN",
    "STRIPE_SECRET_KEY",
    "STRIPE_WEBHOOK_SECRET",
];

/// The settings in the variable `SETTINGS`, so that a deployment can pass any setting without a parameter of its own.
fn several(lookup: &impl Fn(&str) -> Option<String>) -> Result<BTreeMap<String, String>, SettingError> {
    let mut values = BTreeMap::new();
    let text = lookup("SETTINGS").unwrap_or_default();
    for entry in text.split([';', '\n']).map(str::trim).filter(|entry| !entry.is_empty()) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        let (name, value) = (name.trim(), value.trim());
        let is_set = lookup(name).is_some_and(|value| !value.trim().is_empty());
        let is_repeated = values.insert(name.to_owned(), value.to_owned()).is_some();
        if value.is_empty() || is_set || is_repeated || !has_row(name) || ONLY_ALONE.contains(&name) {
            // The value could be a secret.
            return Err(invalid("SETTINGS", name.to_owned()));
        }
    }
    Ok(values)
}

/// Whether [`Settings`] reads a setting of this name.
fn has_row(name: &str) -> bool {
    let is_rate = |limit: &RateLimit| {
        [Some(limit.caller_setting()), Some(limit.everybody_setting()), limit.target_setting()]
            .iter()
            .flatten()
            .any(|setting| setting == name)
    };
    let is_row = |setting: &Setting| setting.name == name && !matches!(setting.form, Form::Elsewhere(_));
    SETTINGS.iter().any(is_row) || RATE_LIMITS.iter().any(is_rate)
}

/// Reads single variables by their rows in [`SETTINGS`]; an empty value counts as absent.
struct Reader<'a, L> {
    lookup: &'a L,
}

fn form(name: &str) -> Form {
    let row = SETTINGS.iter().find(|setting| setting.name == name);
    row.map_or(Form::Elsewhere(""), |setting| setting.form)
}

fn invalid(name: &str, value: String) -> SettingError {
    SettingError { name: name.to_owned(), value, allowed: form(name).allowed() }
}

fn begins(key: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| key.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()))
}

impl<L: Fn(&str) -> Option<String>> Reader<'_, L> {
    fn value(&self, name: &str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The value, or the default of the table.
    fn text(&self, name: &str) -> String {
        let Form::Text(default, _) = form(name) else { return String::new() };
        self.value(name).unwrap_or_else(|| default.to_owned())
    }

    fn number(&self, name: &str) -> Result<u32, SettingError> {
        let Form::Number(default, least, greatest) = form(name) else { return Ok(0) };
        match self.value(name) {
            None => Ok(default),
            Some(value) => match u32::from_str(&value) {
                Ok(number) if (least..=greatest).contains(&number) => Ok(number),
                _ => Err(invalid(name, value)),
            },
        }
    }

    fn switch(&self, name: &str) -> Result<bool, SettingError> {
        match self.value(name).as_deref() {
            None => Ok(matches!(form(name), Form::Switch(true))),
            Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(value) => Err(invalid(name, value.to_owned())),
        }
    }

    fn rates(&self) -> Result<[Rate; RATE_LIMITS.len()], SettingError> {
        let number = |name: String, default: u32| match self.value(&name) {
            None => Ok(default),
            Some(value) => match u32::from_str(&value) {
                Ok(number) if number >= 1 => Ok(number),
                _ => Err(SettingError { name, value, allowed: Form::Number(default, 1, u32::MAX).allowed() }),
            },
        };
        let mut rates = RATE_LIMITS.map(|limit| limit.default);
        for (rate, limit) in rates.iter_mut().zip(RATE_LIMITS) {
            rate.caller = number(limit.caller_setting(), rate.caller)?;
            rate.everybody = number(limit.everybody_setting(), rate.everybody)?;
            rate.target = match limit.target_setting() {
                Some(name) => number(name, rate.target)?,
                None => rate.caller,
            };
        }
        Ok(rates)
    }

    fn proxy(&self) -> Result<Option<TrustedProxy>, SettingError> {
        let header = self.text("PROXY_ADDRESS_HEADER");
        if HeaderName::try_from(header.as_str()).is_err() {
            return Err(invalid("PROXY_ADDRESS_HEADER", header));
        }
        let is_valid = |secrets: &str| secrets.split(',').all(|secret| secret.len() >= 32);
        let (secrets, is_required) = (self.secret("PROXY_SECRET", is_valid)?, self.switch("PROXY_REQUIRED")?);
        if is_required && secrets.is_none() {
            return Err(invalid("PROXY_REQUIRED", "on, without PROXY_SECRET".to_owned()));
        }
        Ok(secrets.map(|secrets| TrustedProxy::new(&secrets, &header, is_required)))
    }

    /// A secret; an error does not show its value.
    fn secret(&self, name: &str, is_valid: impl Fn(&str) -> bool) -> Result<Option<Secret>, SettingError> {
        let Some(text) = self.value(name) else { return Ok(None) };
        if is_valid(&text) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Some(Secret::new(text)));
        }
        Err(invalid(name, "(not shown)".to_owned()))
    }

    /// A URL with a host, without its trailing slashes.
    fn url(&self, name: &str, is_valid: impl Fn(&Url) -> bool) -> Result<String, SettingError> {
        let value = self.text(name);
        match Url::parse(&value) {
            Ok(url) if url.has_host() && is_valid(&url) => Ok(value.trim_end_matches('/').to_owned()),
            _ => Err(invalid(name, value)),
        }
    }

    fn base_url(&self) -> Result<String, SettingError> {
        self.url("BASE_URL", |url| matches!(url.scheme(), "http" | "https") && url.query().is_none())
    }

    fn url_or_off(&self, name: &'static str) -> Result<Option<String>, SettingError> {
        if self.text(name) == "off" { Ok(None) } else { self.url(name, |_| true).map(Some) }
    }

    fn domain_proof_url(&self) -> Result<String, SettingError> {
        const NAME: &str = "DOMAIN_PROOF_URL";
        let value = self.text(NAME);
        let url = Url::parse(&value.replace("{domain}", "example.com"));
        if value.contains("{domain}") && url.is_ok_and(|url| url.has_host()) {
            return Ok(value);
        }
        Err(invalid(NAME, value))
    }

    fn payments(&self) -> Result<Payments, SettingError> {
        const NAME: &str = "PAYMENTS";
        let value = self.text(NAME);
        let found = Payments::ALL.into_iter().find(|known| known.as_str() == value);
        found.ok_or_else(|| invalid(NAME, value))
    }

    /// In development, every client is this machine, so one address may use all connections.
    fn connections(&self, mode: Mode) -> Result<ConnectionLimits, SettingError> {
        let total = self.number("MAX_CONNECTIONS")?;
        let per_address = self.number("MAX_CONNECTIONS_PER_ADDRESS")?;
        let per_address = if mode == Mode::Public { per_address } else { total };
        Ok(ConnectionLimits { total, per_address, read_seconds: self.number("REQUEST_READ_SECONDS")? })
    }

    /// A link on pages: an https URL, or also a mailto URL.
    fn link(&self, name: &'static str, may_be_mail: bool) -> Result<Option<String>, SettingError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let is_link = |url: &Url| match url.scheme() {
            "mailto" => may_be_mail && url.path().contains('@'),
            "https" => url.has_host(),
            _ => false,
        };
        match Url::parse(&value) {
            Ok(url) if is_link(&url) && value.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(Some(value)),
            _ => Err(invalid(name, value)),
        }
    }

    /// The form of an SPDX identifier. The list of all licenses changes, so it is not checked.
    fn license(&self, name: &'static str) -> Result<Option<String>, SettingError> {
        let is_license = |value: &String| {
            value.len() <= 64
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.+".contains(&byte))
        };
        match self.value(name) {
            Some(value) if !is_license(&value) => Err(invalid(name, value)),
            value => Ok(value),
        }
    }

    fn outreach_delivery(&self) -> Result<OutreachDelivery, SettingError> {
        const NAME: &str = "OUTREACH_DELIVERY";
        let value = self.text(NAME);
        OutreachDelivery::ALL
            .into_iter()
            .find(|known| known.as_str() == value)
            .ok_or_else(|| invalid(NAME, value))
    }

    /// URLs of other registries, separated by commas.
    fn registries(&self, name: &'static str) -> Result<Vec<String>, SettingError> {
        let value = self.text(name);
        let urls: Vec<String> = value
            .split(',')
            .map(|url| url.trim().trim_end_matches('/').to_owned())
            .filter(|url| !url.is_empty())
            .collect();
        let is_base = |url: &String| {
            Url::parse(url).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.username().is_empty()
                    && url.query().is_none()
                    && url.fragment().is_none()
            })
        };
        if urls.len() <= MAX_REGISTRIES && urls.iter().all(is_base) {
            return Ok(urls);
        }
        Err(invalid(name, value))
    }

    fn package_registries(&self) -> Result<BTreeMap<String, String>, SettingError> {
        const NAME: &str = "PACKAGE_REGISTRIES";
        let value = self.text(NAME);
        let pairs = value.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
            let (registry_type, base) = pair.split_once('=')?;
            let is_base = Url::parse(base).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https") && url.has_host() && url.query().is_none()
            });
            let is_known = matches!(registry_type, "npm" | "pypi");
            (is_known && is_base).then(|| (registry_type.to_owned(), base.to_owned()))
        });
        pairs.collect::<Option<_>>().ok_or_else(|| invalid(NAME, value))
    }

    /// The token must not be sent in plain text over a network.
    fn search_backend_url(&self, mode: Mode) -> Result<Option<String>, SettingError> {
        const NAME: &str = "SEARCH_BACKEND_URL";
        if self.value(NAME).is_none() {
            return Ok(None);
        }
        let has_token = self.value("SEARCH_BACKEND_TOKEN").is_some();
        let may_be_plain = mode == Mode::Development || !has_token;
        let is_allowed = |url: &Url| url.scheme() == "https" || url.scheme() == "http" && may_be_plain;
        self.url(NAME, |url| {
            is_allowed(url) && url.query().is_none() && url.username().is_empty() && url.password().is_none()
        })
        .map(Some)
    }

    fn log_witnesses(&self, mode: Mode) -> Result<Vec<LogWitness>, SettingError> {
        const NAME: &str = "LOG_WITNESSES";
        let value = self.text(NAME);
        let texts = value.split(',').filter(|text| !text.trim().is_empty());
        let witnesses: Option<Vec<LogWitness>> = texts.map(LogWitness::parse).collect();
        let is_allowed = |witness: &LogWitness| mode == Mode::Development || witness.is_https();
        witnesses
            .filter(|all| all.len() <= MAX_LOG_WITNESSES && all.iter().all(is_allowed))
            .ok_or_else(|| invalid(NAME, value))
    }

    fn name_servers(&self) -> Result<NameServers, SettingError> {
        const NAME: &str = "DNS_SERVER";
        let Some(value) = self.value(NAME) else { return Ok(NameServers::System) };
        if value == "off" {
            return Ok(NameServers::Off);
        }
        match SocketAddr::from_str(&value) {
            Ok(address) if address.port() != 0 => Ok(NameServers::Only(address)),
            _ => Err(invalid(NAME, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mode: Mode, pairs: &[(&str, &str)]) -> Result<Settings, SettingError> {
        Settings::from_env(mode, |name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn defaults_match_the_specification() {
        let s = settings(Mode::Public, &[]).unwrap();
        assert_eq!((s.probe_tick_seconds, s.probe_window_cap, s.probe_hourly_cap), (360, 64, 1920));
        assert_eq!((s.probe_daily_budget, s.fresh_ok_hours, s.recheck_days), (100_000, 6, 7));
        assert_eq!((s.founding_seats, s.payments_open_after, s.talk_grace_days), (100, 250, 7));
        assert_eq!((s.outreach_budget_percent, s.outreach_pause_days), (100, 30));
        assert_eq!(
            s.outreach_delivery,
            OutreachDelivery::Talk,
            "nobody is called unless the operator says so"
        );
        assert!(s.rate_limits);
        assert_eq!(s.rate(LimitedAction::Publish), Rate { caller: 60, target: 60, everybody: 3000 });
    }

    #[test]
    fn payments_require_the_switch_and_both_secrets() {
        let secrets = [("STRIPE_SECRET_KEY", "sk_test_1"), ("STRIPE_WEBHOOK_SECRET", "whsec_1")];
        let sells = |pairs: &[&[(&str, &str)]]| settings(Mode::Public, &pairs.concat()).map(|s| s.sells());
        assert_eq!(sells(&[&secrets]), Ok(false), "payments are off by default");
        assert_eq!(sells(&[&[("PAYMENTS", "on")], &secrets[..1]]), Ok(false));
        assert_eq!(sells(&[&[("PAYMENTS", "on")], &secrets]), Ok(true));
        assert_eq!(sells(&[&[("PAYMENTS", "elsewhere")]]), Ok(true));
        assert!(sells(&[&[("PAYMENTS", "yes")]]).is_err());
    }

    #[test]
    fn outreach_and_its_a2a_delivery_can_be_configured() {
        let of = |pairs: &[_]| settings(Mode::Public, pairs);
        assert_eq!(of(&[("OUTREACH_BUDGET_PERCENT", "0")]).unwrap().outreach_budget_percent, 0);
        let both = of(&[("OUTREACH_DELIVERY", "talk+a2a")]).unwrap().outreach_delivery;
        assert_eq!(both, OutreachDelivery::TalkAndA2a);
        for (name, value) in
            [("OUTREACH_BUDGET_PERCENT", "1001"), ("OUTREACH_PAUSE_DAYS", "0"), ("OUTREACH_DELIVERY", "a2a")]
        {
            assert!(of(&[(name, value)]).is_err(), "{name}={value}");
        }
    }

    #[test]
    fn prices_are_settings_and_may_be_zero() {
        let of = |pairs: &[_]| settings(Mode::Public, pairs).map(|settings| settings.prices);
        let usual = Prices { read_units: 125_000, write_units: 625_000, requests: 1_000_000 };
        assert_eq!(of(&[]).unwrap(), usual);
        assert_eq!(of(&[("PRICE_PER_MILLION_REQUESTS", "0")]).unwrap(), Prices { requests: 0, ..usual });
        for value in ["-1", "0.125", "1000000001"] {
            assert!(of(&[("PRICE_PER_MILLION_READ_UNITS", value)]).is_err(), "{value}");
        }
        assert!(!settings(Mode::Public, &[("OUTREACH_ACCELERATION", "off")]).unwrap().outreach_acceleration);
        assert!(settings(Mode::Public, &[("OUTREACH_ACCELERATION", "some")]).is_err());
    }

    #[test]
    fn error_contains_the_invalid_value() {
        let error = settings(Mode::Public, &[("PROBE_WINDOW_CAP", "many")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"invalid setting PROBE_WINDOW_CAP="many": set it to a whole number from 1"#
        );
        assert!(settings(Mode::Public, &[("PROBE_HOURLY_CAP", "0")]).is_err());
        assert!(settings(Mode::Public, &[("BASE_URL", "registry.example.com")]).is_err());
        assert!(settings(Mode::Public, &[("GITHUB_RAW_URL", "github")]).is_err());
        assert_eq!(settings(Mode::Public, &[("GITHUB_RAW_URL", "off")]).unwrap().github_raw_url, None);
        assert!(settings(Mode::Public, &[("DOMAIN_PROOF_URL", "https://example.com/auth")]).is_err());
        for address in ["10.0.0.2", "10.0.0.2:0", "ns.example.com:53", "on"] {
            assert!(settings(Mode::Public, &[("DNS_SERVER", address)]).is_err(), "{address}");
        }
    }

    #[test]
    fn peer_registries_are_configured_as_base_urls() {
        let of = |value: &str| settings(Mode::Public, &[("FEDERATION_PEERS", value)]);
        assert_eq!(of("").unwrap().federation_peers, Vec::<String>::new());
        let two = of("https://a.example.org/, https://b.example.org/registry").unwrap().federation_peers;
        assert_eq!(two, ["https://a.example.org", "https://b.example.org/registry"]);
        let eleven = ["https://a.example.org"; 11].join(",");
        for wrong in ["a.example.org", "https://a.example.org?x=1", "ftp://a.example.org", &eleven] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn secrets_are_validated_and_never_shown() {
        let pairs = [("STRIPE_SECRET_KEY", "sk_test_1"), ("STRIPE_WEBHOOK_SECRET", "whsec_1")];
        let taken = settings(Mode::Public, &pairs).unwrap();
        assert_eq!(taken.stripe_secret_key.as_ref().map(Secret::reveal), Some("sk_test_1"));
        assert!(!format!("{taken:?}").contains("sk_test_1"));
        assert_eq!(settings(Mode::Public, &[("STRIPE_SECRET_KEY", "")]).unwrap().stripe_secret_key, None);
        for (name, wrong) in [
            ("STRIPE_SECRET_KEY", "pk_live_1"),
            ("STRIPE_SECRET_KEY", "sk_a b"),
            ("STRIPE_WEBHOOK_SECRET", "hook_1"),
        ] {
            let error = settings(Mode::Public, &[(name, wrong)]).unwrap_err().to_string();
            assert!(error.contains(name) && !error.contains(wrong), "{error}");
        }
        assert!(settings(Mode::Public, &[("STRIPE_API_URL", "stripe")]).is_err());
    }

    #[test]
    fn name_servers_of_the_system_are_the_default() {
        let of = |pairs: &[_]| settings(Mode::Public, pairs).unwrap().name_servers;
        assert_eq!(of(&[]), NameServers::System);
        assert_eq!(of(&[("DNS_SERVER", "off")]), NameServers::Off);
        assert_eq!(of(&[("DNS_SERVER", "[::1]:53")]), NameServers::Only("[::1]:53".parse().unwrap()));
    }

    #[test]
    fn callers_are_limited_only_in_public_mode() {
        let rate = settings(Mode::Public, &[("CALLER_REQUESTS_AT_ONCE", "7")]).unwrap().caller_rate;
        assert_eq!(rate, Some(RequestRate { per_second: 20, at_once: 7 }));
        assert_eq!(settings(Mode::Development, &[]).unwrap().caller_rate, None);
        assert!(settings(Mode::Public, &[("CALLER_REQUESTS_PER_SECOND", "1001")]).is_err());
    }

    #[test]
    fn connections_of_one_address_are_limited_only_in_public_mode() {
        let of = |mode| settings(mode, &[("MAX_CONNECTIONS", "900")]).unwrap().connections;
        assert_eq!((of(Mode::Public).total, of(Mode::Public).per_address), (900, 256));
        assert_eq!((of(Mode::Development).per_address, of(Mode::Development).read_seconds), (900, 30));
    }

    #[test]
    fn operator_contact_is_a_mail_or_https_address() {
        let of = |value: &str| settings(Mode::Public, &[("OPERATOR_CONTACT", value)]);
        for contact in ["mailto:operator@example.com", "https://example.com/contact"] {
            assert_eq!(of(contact).unwrap().operator_contact.as_deref(), Some(contact));
        }
        assert_eq!(of("").unwrap().operator_contact, None);
        let source = |value: &str| settings(Mode::Public, &[("SOURCE_URL", value)]);
        let url = "https://example.com/source";
        assert_eq!(source(url).unwrap().source_url.as_deref(), Some(url));
        assert!(source("mailto:operator@example.com").is_err());
        for wrong in ["operator@example.com", "http://example.com", "mailto:operator", "mailto:a@b.c\nx: y"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn license_of_the_dump_is_an_spdx_identifier() {
        let of = |value: &str| settings(Mode::Public, &[("DUMP_LICENSE", value)]);
        assert_eq!(of("CC-BY-4.0").unwrap().dump_license.as_deref(), Some("CC-BY-4.0"));
        assert_eq!(of("").unwrap().dump_license, None);
        assert!(of("CC BY").is_err() && of("<b>").is_err());
    }

    #[test]
    fn rate_limits_can_be_disabled_only_in_development() {
        assert!(settings(Mode::Public, &[("RATE_LIMITS", "off")]).is_err());
        assert!(!settings(Mode::Development, &[("RATE_LIMITS", "off")]).unwrap().rate_limits);
    }

    #[test]
    fn each_rate_limit_can_be_set_with_its_variable() {
        let pairs =
            [("TRACES_PER_LISTING_PER_HOUR", "5"), ("DEMOS_PER_HOUR", "7"), ("SCORE_PER_HOUR_IN_ALL", "9")];
        let s = settings(Mode::Public, &pairs).unwrap();
        assert_eq!(s.rate(LimitedAction::Trace), Rate { caller: 120, target: 5, everybody: 6000 });
        assert_eq!(s.rate(LimitedAction::Demo), Rate { caller: 7, target: 7, everybody: 3000 });
        assert_eq!(s.rate(LimitedAction::Score).everybody, 9);
        assert!(settings(Mode::Public, &[("SCORE_PER_HOST_PER_HOUR", "0")]).is_err());
    }

    #[test]
    fn settings_contains_several_settings() {
        let text = " BRAND = A; B=C ;\nRECHECK_DAYS=3\nDEMOS_PER_HOUR=7;";
        let entries = text.replace("A; B=C", "Name=1");
        let s =
            settings(Mode::Public, &[("SETTINGS", &entries), ("PROBE_HOURLY_CAP", "9"), ("DNS_SERVER", "")])
                .unwrap();
        assert_eq!((s.brand.as_str(), s.recheck_days, s.probe_hourly_cap), ("Name=1", 3, 9));
        assert_eq!(s.rate(LimitedAction::Demo).caller, 7);
        assert_eq!(settings(Mode::Public, &[("SETTINGS", " ;\n")]), settings(Mode::Public, &[]));
        assert!(settings(Mode::Public, &[("SETTINGS", text)]).is_err(), "B is not a setting");
        let name = |pairs| settings(Mode::Public, pairs).unwrap_err().name;
        assert_eq!(name(&[("SETTINGS", "RECHECK_DAYS=0")]), "RECHECK_DAYS");
    }

    #[test]
    fn settings_refuses_secrets_unknown_names_and_settings_that_are_set_twice() {
        let refused = |entries: &str| {
            let error = settings(Mode::Public, &[("SETTINGS", entries), ("BRAND", "Mine")]).unwrap_err();
            assert_eq!(error.name, "SETTINGS", "{entries}");
            error.value
        };
        for name in
            ["RECHECK_DAY", "PORT", "RUST_LOG", "DEMOS_PER_DAY", "BRAND"].into_iter().chain(ONLY_ALONE)
        {
            assert_eq!(refused(&format!("{name}=12345678901234567890123456789012")), name);
        }
        for entries in ["RECHECK_DAYS", "RECHECK_DAYS=", "RECHECK_DAYS=3;RECHECK_DAYS=3"] {
            assert_eq!(refused(entries), "RECHECK_DAYS");
        }
    }

    #[test]
    fn every_variable_has_a_row_in_the_table() {
        let read = std::cell::RefCell::new(Vec::new());
        Settings::from_env(Mode::Public, |name| {
            read.borrow_mut().push(name.to_owned());
            None
        })
        .unwrap();
        let table = settings_table();
        for name in read.into_inner() {
            assert!(table.contains(&format!("`{name}`")), "{name}");
        }
    }
}
