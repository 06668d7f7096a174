//! Every limit of the contract as a setting, with the contract's value as its default (design §5 Settings). The
//! environment is read once at the start; an invalid value stops the start with an error that names the variable.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use url::Url;

use crate::protocol::MCP_ENDPOINT;
use crate::{Kind, NameServers, Reach, Secret};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A public registry: https and public addresses only, rate limits always on.
    Public,
    /// A developer's machine: loopback peers may be probed over plain http. Only `infra/local` sets it.
    Development,
}

/// How many operations of one kind are allowed per hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub caller: u32,
    pub host: u32,
    pub everybody: u32,
}

/// The rate limit of one caller at one instance of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRate {
    /// Sustained requests per second, 1 to 1000.
    pub per_second: u32,
    pub at_once: u32,
}

impl RequestRate {
    /// The sustained time between two requests.
    #[must_use]
    pub fn interval(self) -> SignedDuration {
        SignedDuration::from_millis(1000 / i64::from(self.per_second.clamp(1, 1000)))
    }

    /// The burst, in intervals.
    #[must_use]
    pub fn burst(self) -> i32 {
        i32::try_from(self.at_once).unwrap_or(i32::MAX)
    }
}

/// Prices in millionths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    pub read_units: u32,
    pub write_units: u32,
    pub requests: u32,
}

string_enum! {
    /// How an invitation is sent.
    pub enum OutreachDelivery {
        /// It is left in the Talk inbox; no peer is called.
        Talk = "talk",
        /// In addition, an agent gets one A2A message at its proven endpoint.
        TalkAndA2a = "talk+a2a",
    }
}

/// The settings; each names its environment variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub mode: Mode,
    /// `BASE_URL`: where callers reach this registry, without a trailing slash.
    pub base_url: String,
    /// `BRAND`: the name of this registry.
    pub brand: String,
    /// `TABLE_NAME`: the one DynamoDB table.
    pub table_name: String,
    /// `BUS_NAME`: the EventBridge bus for domain events; none on one machine.
    pub bus_name: Option<String>,
    /// `PROBE_TICK_SECONDS`: the time between two sweeps, and the minimum between two probes of one listing.
    pub probe_tick_seconds: u32,
    /// `PROBES_PER_TICK`: full probes in one sweep, at most.
    pub probes_per_tick: u32,
    /// `PROBE_WINDOW_CAP`: probes in a window of two minutes.
    pub probe_window_cap: u32,
    /// `PROBE_HOURLY_CAP`: probes in an hour.
    pub probe_hourly_cap: u32,
    /// `PROBE_DAILY_BUDGET`: probes in a UTC day.
    pub probe_daily_budget: u32,
    /// `FRESH_OK_HOURS`: a listing with an `ok` younger than this is not probed again by the tick.
    pub fresh_ok_hours: u32,
    /// `RECHECK_DAYS`: every Live listing is rechecked within this time.
    pub recheck_days: u32,
    /// `TALK_GRACE_DAYS`: the onboarding window of a new Live listing.
    pub talk_grace_days: u32,
    /// `FOUNDING_SEATS`: full products given away.
    pub founding_seats: u32,
    /// `PAYMENTS_OPEN_AFTER`: feedback from agents, and from MCP servers, before payments open.
    pub payments_open_after: u32,
    /// `OUTREACH_BUDGET_PERCENT`: percentage of the daily budget of first touches that is used; 0 sends none.
    pub outreach_budget_percent: u32,
    /// `OUTREACH_ACCELERATION`: whether the daily budget of first touches grows with the acceleration index.
    pub outreach_acceleration: bool,
    /// `OUTREACH_PAUSE_DAYS`: the minimum time between two first touches to one listing.
    pub outreach_pause_days: u32,
    /// `OUTREACH_DELIVERY`: how an invitation is sent.
    pub outreach_delivery: OutreachDelivery,
    /// `LIST_ITSELF`: whether the registry lists its own endpoints.
    pub list_itself: bool,
    /// `RATE_LIMITS`: `off` is allowed in development mode only.
    pub rate_limits: bool,
    /// `CALLER_REQUESTS_PER_SECOND`, `CALLER_REQUESTS_AT_ONCE`: all requests of one address. None where rate
    /// limits are off, and in development, where every caller is this machine.
    pub caller_rate: Option<RequestRate>,
    /// `PUBLISH_PER_HOUR`, `PUBLISH_PER_HOST_PER_HOUR`, `PUBLISH_PER_HOUR_IN_ALL`.
    pub publish_rate: Rate,
    /// `GITHUB_RAW_URL`: the base URL of files in GitHub repositories, without a trailing slash; `off` reads none.
    pub github_raw_url: Option<String>,
    /// `DOMAIN_PROOF_URL`: the URL of the key that proves names of `{domain}`.
    pub domain_proof_url: String,
    /// `DNS_SERVER`: the name server for TXT records; `off` looks none up.
    pub name_servers: NameServers,
    /// `SCORE_PER_HOUR`, `SCORE_PER_HOST_PER_HOUR`, `SCORE_PER_HOUR_IN_ALL`.
    pub score_rate: Rate,
    /// `TRACES_PER_HOUR`, `TRACES_PER_LISTING_PER_HOUR`, `TRACES_PER_HOUR_IN_ALL`: traces, endorsements and uses
    /// together.
    pub trace_rate: Rate,
    /// `TALK_PER_HOUR`, `TALK_PER_LISTING_PER_HOUR`, `TALK_PER_HOUR_IN_ALL`: messages to Talk inboxes.
    pub talk_rate: Rate,
    /// `DEMOS_PER_HOUR`, `DEMOS_PER_HOUR_IN_ALL`: demos that are taken for the first time.
    pub demo_rate: Rate,
    /// `FEEDBACK_PER_HOUR`, `FEEDBACK_PER_HOUR_IN_ALL`.
    pub feedback_rate: Rate,
    /// `CHECKOUTS_PER_HOUR`, `CHECKOUTS_PER_HOUR_IN_ALL`: purchases that are begun.
    pub checkout_rate: Rate,
    /// `OUTCOMES_PER_HOUR`, `OUTCOMES_PER_HOUR_IN_ALL`: reports of how it went when a listing was used.
    pub outcome_rate: Rate,
    /// `SESSIONS_PER_HOUR`, `SESSIONS_PER_HOUR_IN_ALL`: interop sessions that are opened.
    pub session_rate: Rate,
    /// `SESSION_STEPS_PER_HOUR`, `SESSION_STEPS_PER_HOUR_IN_ALL`: what is appended to interop sessions.
    pub session_step_rate: Rate,
    /// `FEDERATION_PEERS`: the base URLs of other registries whose listings are shown as referrals; none by default.
    pub federation_peers: Vec<String>,
    /// `OPERATOR_TOKEN`: the bearer token for operations of the operator over HTTP; without it they are disabled.
    pub operator_token: Option<Secret>,
    /// `STRIPE_SECRET_KEY`: requests payments from Stripe; without it nothing is sold.
    pub stripe_secret_key: Option<Secret>,
    /// `STRIPE_WEBHOOK_SECRET`: verifies the events of Stripe; without it no payment can be confirmed.
    pub stripe_webhook_secret: Option<Secret>,
    /// `STRIPE_API_URL`: the base URL of Stripe's API, without a trailing slash.
    pub stripe_api_url: String,
    /// `TASKS_PER_HOUR`, `TASKS_PER_HOUR_IN_ALL`: A2A messages that create a stored task.
    pub task_rate: Rate,
    /// `OPT_OUTS_PER_HOUR`, `OPT_OUTS_PER_HOUR_IN_ALL`: listings that opt out of invitations, or in again.
    pub opt_out_rate: Rate,
    /// `ATTESTATIONS_PER_HOUR`, `ATTESTATIONS_PER_HOUR_IN_ALL`: signed statements.
    pub attestation_rate: Rate,
    /// `OWNER_ACTS_PER_HOUR`, `OWNER_ACTS_PER_HOST_PER_HOUR`, `OWNER_ACTS_PER_HOUR_IN_ALL`: signatures checked with
    /// the keys of a domain; per caller and in all, challenges count, too.
    pub owner_rate: Rate,
    /// `PRICE_PER_MILLION_READ_UNITS`, `PRICE_PER_MILLION_WRITE_UNITS`, `PRICE_PER_MILLION_REQUESTS`: the prices in
    /// `cost_model`; the defaults are the list prices of AWS in us-east-1.
    pub prices: Prices,
}

const MAX_PEERS: usize = 10;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid setting {name}={value:?}: set it to {allowed}")]
pub struct SettingError {
    pub name: &'static str,
    pub value: String,
    pub allowed: &'static str,
}

impl Settings {
    /// How long a proof is valid: until the next recheck is due (contract "Weekly recheck").
    #[must_use]
    pub fn recheck_interval(&self) -> SignedDuration {
        SignedDuration::from_hours(24 * i64::from(self.recheck_days))
    }

    /// Reads the settings; `lookup` returns the value of an environment variable.
    pub fn from_env(mode: Mode, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let read = Reader { lookup: &lookup };
        let rate_limits = match lookup("RATE_LIMITS").as_deref() {
            None | Some("" | "on") => true,
            Some("off") if mode == Mode::Development => false,
            Some(value) => {
                return Err(SettingError {
                    name: "RATE_LIMITS",
                    value: value.to_owned(),
                    allowed: "`on`, or `off` in development mode",
                });
            }
        };
        let list_itself = read.switch("LIST_ITSELF")?;
        let caller_rate = RequestRate {
            per_second: read.number_to(
                "CALLER_REQUESTS_PER_SECOND",
                20,
                1000,
                "a whole number from 1 to 1000",
            )?,
            at_once: read.number_to(
                "CALLER_REQUESTS_AT_ONCE",
                100,
                100_000,
                "a whole number from 1 to 100000",
            )?,
        };
        let window_cap = read.number("PROBE_WINDOW_CAP", 64, "a whole number from 1")?;
        Ok(Self {
            mode,
            base_url: read.base_url()?,
            brand: read.text("BRAND").unwrap_or_else(|| "Agent and MCP Registry".to_owned()),
            table_name: read.text("TABLE_NAME").unwrap_or_else(|| "registry".to_owned()),
            bus_name: read.text("BUS_NAME"),
            probe_tick_seconds: read.number("PROBE_TICK_SECONDS", 360, "seconds, a whole number from 1")?,
            probes_per_tick: read.number("PROBES_PER_TICK", window_cap, "a whole number from 1")?,
            probe_window_cap: window_cap,
            probe_hourly_cap: read.number("PROBE_HOURLY_CAP", 1920, "a whole number from 1")?,
            probe_daily_budget: read.number("PROBE_DAILY_BUDGET", 100_000, "a whole number from 1")?,
            fresh_ok_hours: read.number("FRESH_OK_HOURS", 6, "hours, a whole number from 1")?,
            recheck_days: read.number("RECHECK_DAYS", 7, "days, a whole number from 1")?,
            talk_grace_days: read.number("TALK_GRACE_DAYS", 7, "days, a whole number from 1")?,
            founding_seats: read.number("FOUNDING_SEATS", 100, "a whole number from 1")?,
            payments_open_after: read.number("PAYMENTS_OPEN_AFTER", 250, "a whole number from 1")?,
            outreach_budget_percent: read.number_within(
                "OUTREACH_BUDGET_PERCENT",
                100,
                0..=1000,
                "a whole number from 0 to 1000",
            )?,
            outreach_pause_days: read.number_within(
                "OUTREACH_PAUSE_DAYS",
                30,
                1..=365,
                "days, a whole number from 1 to 365",
            )?,
            outreach_acceleration: read.switch("OUTREACH_ACCELERATION")?,
            outreach_delivery: read.outreach_delivery()?,
            list_itself,
            rate_limits,
            caller_rate: (rate_limits && mode == Mode::Public).then_some(caller_rate),
            publish_rate: Rate {
                caller: read.number("PUBLISH_PER_HOUR", 60, "a whole number from 1")?,
                host: read.number("PUBLISH_PER_HOST_PER_HOUR", 60, "a whole number from 1")?,
                everybody: read.number("PUBLISH_PER_HOUR_IN_ALL", 3000, "a whole number from 1")?,
            },
            github_raw_url: read.github_raw_url()?,
            domain_proof_url: read.domain_proof_url()?,
            name_servers: read.name_servers()?,
            score_rate: Rate {
                caller: read.number("SCORE_PER_HOUR", 60, "a whole number from 1")?,
                host: read.number("SCORE_PER_HOST_PER_HOUR", 30, "a whole number from 1")?,
                everybody: read.number("SCORE_PER_HOUR_IN_ALL", 2000, "a whole number from 1")?,
            },
            trace_rate: Rate {
                caller: read.number("TRACES_PER_HOUR", 120, "a whole number from 1")?,
                host: read.number("TRACES_PER_LISTING_PER_HOUR", 240, "a whole number from 1")?,
                everybody: read.number("TRACES_PER_HOUR_IN_ALL", 6000, "a whole number from 1")?,
            },
            talk_rate: Rate {
                caller: read.number("TALK_PER_HOUR", 60, "a whole number from 1")?,
                host: read.number("TALK_PER_LISTING_PER_HOUR", 120, "a whole number from 1")?,
                everybody: read.number("TALK_PER_HOUR_IN_ALL", 3000, "a whole number from 1")?,
            },
            demo_rate: read.rate_without_host(("DEMOS_PER_HOUR", 60), ("DEMOS_PER_HOUR_IN_ALL", 3000))?,
            feedback_rate: read
                .rate_without_host(("FEEDBACK_PER_HOUR", 60), ("FEEDBACK_PER_HOUR_IN_ALL", 3000))?,
            checkout_rate: read
                .rate_without_host(("CHECKOUTS_PER_HOUR", 20), ("CHECKOUTS_PER_HOUR_IN_ALL", 1000))?,
            outcome_rate: read
                .rate_without_host(("OUTCOMES_PER_HOUR", 60), ("OUTCOMES_PER_HOUR_IN_ALL", 3000))?,
            session_rate: read
                .rate_without_host(("SESSIONS_PER_HOUR", 60), ("SESSIONS_PER_HOUR_IN_ALL", 3000))?,
            session_step_rate: read.rate_without_host(
                ("SESSION_STEPS_PER_HOUR", 600),
                ("SESSION_STEPS_PER_HOUR_IN_ALL", 30_000),
            )?,
            federation_peers: read.federation_peers()?,
            operator_token: read.operator_token()?,
            stripe_secret_key: read.secret(
                "STRIPE_SECRET_KEY",
                &["sk_", "rk_"],
                "a secret key of Stripe (begins with sk_ or rk_)",
            )?,
            stripe_webhook_secret: read.secret(
                "STRIPE_WEBHOOK_SECRET",
                &["whsec_"],
                "the signing secret of a Stripe webhook (begins with whsec_)",
            )?,
            stripe_api_url: read.stripe_api_url()?,
            task_rate: read.rate_without_host(("TASKS_PER_HOUR", 120), ("TASKS_PER_HOUR_IN_ALL", 6000))?,
            opt_out_rate: read
                .rate_without_host(("OPT_OUTS_PER_HOUR", 60), ("OPT_OUTS_PER_HOUR_IN_ALL", 3000))?,
            attestation_rate: read
                .rate_without_host(("ATTESTATIONS_PER_HOUR", 120), ("ATTESTATIONS_PER_HOUR_IN_ALL", 6000))?,
            owner_rate: Rate {
                caller: read.number("OWNER_ACTS_PER_HOUR", 20, "a whole number from 1")?,
                host: read.number("OWNER_ACTS_PER_HOST_PER_HOUR", 120, "a whole number from 1")?,
                everybody: read.number("OWNER_ACTS_PER_HOUR_IN_ALL", 2000, "a whole number from 1")?,
            },
            prices: read.prices()?,
        })
    }

    /// The minimum time between two first touches to one listing (`specification.md#outreach-pause`).
    #[must_use]
    pub fn outreach_pause(&self) -> SignedDuration {
        SignedDuration::from_hours(24 * i64::from(self.outreach_pause_days))
    }

    #[must_use]
    pub const fn reach(&self) -> Reach {
        match self.mode {
            Mode::Public => Reach::Public,
            Mode::Development => Reach::Development,
        }
    }

    /// The time between two sweeps, and the minimum between two probes of one listing.
    #[must_use]
    pub const fn tick(&self) -> Duration {
        Duration::from_secs(self.probe_tick_seconds as u64)
    }

    /// The URLs under which the registry lists itself.
    pub fn own_endpoints(&self) -> impl Iterator<Item = (Url, Kind)> {
        let own = [("/.well-known/agent-card.json", Kind::Agent), (MCP_ENDPOINT, Kind::Mcp)];
        own.into_iter().filter_map(|(path, kind)| Some((Url::parse(&self.url(path)).ok()?, kind)))
    }

    /// The `User-Agent` of probes, with a page that explains them.
    #[must_use]
    pub fn user_agent(&self) -> String {
        let name: String = self.brand.split_whitespace().collect();
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{name}/{} (+{}/discovery.json)", crate::VERSION, self.base_url)
    }

    /// The absolute URL of a path of this registry.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }
}

/// Reads single variables; an empty one counts as absent.
struct Reader<'a, L> {
    lookup: &'a L,
}

impl<L: Fn(&str) -> Option<String>> Reader<'_, L> {
    fn text(&self, name: &'static str) -> Option<String> {
        (self.lookup)(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn number(&self, name: &'static str, default: u32, allowed: &'static str) -> Result<u32, SettingError> {
        self.number_to(name, default, u32::MAX, allowed)
    }

    fn number_to(
        &self,
        name: &'static str,
        default: u32,
        max: u32,
        allowed: &'static str,
    ) -> Result<u32, SettingError> {
        self.number_within(name, default, 1..=max, allowed)
    }

    fn number_within(
        &self,
        name: &'static str,
        default: u32,
        range: RangeInclusive<u32>,
        allowed: &'static str,
    ) -> Result<u32, SettingError> {
        match self.text(name) {
            None => Ok(default),
            Some(value) => match u32::from_str(&value) {
                Ok(number) if range.contains(&number) => Ok(number),
                _ => Err(SettingError { name, value, allowed }),
            },
        }
    }

    /// A rate of operations without a target host.
    fn rate_without_host(
        &self,
        (of_caller, default): (&'static str, u32),
        (in_all, default_in_all): (&'static str, u32),
    ) -> Result<Rate, SettingError> {
        let caller = self.number(of_caller, default, "a whole number from 1")?;
        let everybody = self.number(in_all, default_in_all, "a whole number from 1")?;
        Ok(Rate { caller, host: caller, everybody })
    }

    fn switch(&self, name: &'static str) -> Result<bool, SettingError> {
        match self.text(name).as_deref() {
            None | Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(value) => Err(SettingError { name, value: value.to_owned(), allowed: "`on` or `off`" }),
        }
    }

    /// The defaults are the list prices of AWS in us-east-1: DynamoDB on demand, standard class, 0.125 and 0.625 USD
    /// per million units; HTTP API 1 USD per million requests (aws.amazon.com/dynamodb/pricing,
    /// aws.amazon.com/api-gateway/pricing).
    fn prices(&self) -> Result<Prices, SettingError> {
        let price = |name, default| {
            self.number_within(
                name,
                default,
                0..=1_000_000_000,
                "millionths of a US dollar, up to 1000000000",
            )
        };
        Ok(Prices {
            read_units: price("PRICE_PER_MILLION_READ_UNITS", 125_000)?,
            write_units: price("PRICE_PER_MILLION_WRITE_UNITS", 625_000)?,
            requests: price("PRICE_PER_MILLION_REQUESTS", 1_000_000)?,
        })
    }

    fn outreach_delivery(&self) -> Result<OutreachDelivery, SettingError> {
        const NAME: &str = "OUTREACH_DELIVERY";
        match self.text(NAME) {
            None => Ok(OutreachDelivery::Talk),
            Some(value) => OutreachDelivery::ALL
                .into_iter()
                .find(|delivery| delivery.as_str() == value)
                .ok_or(SettingError { name: NAME, value, allowed: "`talk` or `talk+a2a`" }),
        }
    }

    fn github_raw_url(&self) -> Result<Option<String>, SettingError> {
        const NAME: &str = "GITHUB_RAW_URL";
        let value = self.text(NAME).unwrap_or_else(|| "https://raw.githubusercontent.com".to_owned());
        match Url::parse(&value) {
            _ if value == "off" => Ok(None),
            Ok(url) if url.has_host() => Ok(Some(value.trim_end_matches('/').to_owned())),
            _ => Err(SettingError { name: NAME, value, allowed: "a URL, or `off`" }),
        }
    }

    /// The error never contains the value.
    fn secret(
        &self,
        name: &'static str,
        prefixes: &[&str],
        allowed: &'static str,
    ) -> Result<Option<Secret>, SettingError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let rest = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
        if rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic())) {
            return Ok(Some(Secret::new(text)));
        }
        Err(SettingError { name, value: "(not shown)".to_owned(), allowed })
    }

    fn federation_peers(&self) -> Result<Vec<String>, SettingError> {
        const NAME: &str = "FEDERATION_PEERS";
        let Some(value) = self.text(NAME) else { return Ok(Vec::new()) };
        let peers: Vec<String> = value
            .split(',')
            .map(|peer| peer.trim().trim_end_matches('/').to_owned())
            .filter(|peer| !peer.is_empty())
            .collect();
        let is_base = |peer: &String| {
            Url::parse(peer).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.username().is_empty()
                    && url.query().is_none()
                    && url.fragment().is_none()
            })
        };
        if peers.len() <= MAX_PEERS && peers.iter().all(is_base) {
            return Ok(peers);
        }
        let allowed =
            "at most 10 base URLs of registries, separated by commas, such as https://registry.example.com";
        Err(SettingError { name: NAME, value, allowed })
    }

    /// A short token could be guessed.
    fn operator_token(&self) -> Result<Option<Secret>, SettingError> {
        const NAME: &str = "OPERATOR_TOKEN";
        let Some(text) = self.text(NAME) else { return Ok(None) };
        if text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Some(Secret::new(text)));
        }
        let allowed = "at least 32 printable ASCII characters without spaces, such as the output of `openssl rand -hex 32`";
        Err(SettingError { name: NAME, value: "(not shown)".to_owned(), allowed })
    }

    fn stripe_api_url(&self) -> Result<String, SettingError> {
        const NAME: &str = "STRIPE_API_URL";
        let value = self.text(NAME).unwrap_or_else(|| "https://api.stripe.com".to_owned());
        match Url::parse(&value) {
            Ok(url) if url.has_host() && url.query().is_none() => Ok(value.trim_end_matches('/').to_owned()),
            _ => Err(SettingError { name: NAME, value, allowed: "a URL without a query" }),
        }
    }

    fn domain_proof_url(&self) -> Result<String, SettingError> {
        const NAME: &str = "DOMAIN_PROOF_URL";
        let default = "https://{domain}/.well-known/mcp-registry-auth";
        let value = self.text(NAME).unwrap_or_else(|| default.to_owned());
        let url = Url::parse(&value.replace("{domain}", "example.com"));
        if value.contains("{domain}") && url.is_ok_and(|url| url.has_host()) {
            return Ok(value);
        }
        Err(SettingError { name: NAME, value, allowed: "a URL that contains `{domain}`" })
    }

    fn name_servers(&self) -> Result<NameServers, SettingError> {
        const NAME: &str = "DNS_SERVER";
        let Some(value) = self.text(NAME) else { return Ok(NameServers::System) };
        if value == "off" {
            return Ok(NameServers::Off);
        }
        match SocketAddr::from_str(&value) {
            Ok(address) if address.port() != 0 => Ok(NameServers::Only(address)),
            _ => Err(SettingError {
                name: NAME,
                value,
                allowed: "an address with a port, such as 10.0.0.2:53, or `off`",
            }),
        }
    }

    fn base_url(&self) -> Result<String, SettingError> {
        let value = self.text("BASE_URL").unwrap_or_else(|| "http://127.0.0.1:8080".to_owned());
        match Url::parse(&value) {
            Ok(url)
                if matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.has_host() =>
            {
                Ok(value.trim_end_matches('/').to_owned())
            }
            _ => Err(SettingError {
                name: "BASE_URL",
                value,
                allowed: "an http or https URL such as https://registry.example.com",
            }),
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
            "no peer is called unless the operator enables it"
        );
        assert!(s.rate_limits);
    }

    #[test]
    fn outreach_can_be_disabled_and_extended() {
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
    fn prices_can_be_set_to_zero() {
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
    fn errors_name_the_variable() {
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
    fn peers_must_be_base_urls() {
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
    fn secrets_are_checked_and_never_shown() {
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
    fn name_servers_default_to_the_system() {
        let of = |pairs: &[_]| settings(Mode::Public, pairs).unwrap().name_servers;
        assert_eq!(of(&[]), NameServers::System);
        assert_eq!(of(&[("DNS_SERVER", "off")]), NameServers::Off);
        assert_eq!(of(&[("DNS_SERVER", "[::1]:53")]), NameServers::Only("[::1]:53".parse().unwrap()));
    }

    #[test]
    fn caller_rate_applies_in_public_mode_only() {
        let rate = settings(Mode::Public, &[("CALLER_REQUESTS_AT_ONCE", "7")]).unwrap().caller_rate;
        assert_eq!(rate, Some(RequestRate { per_second: 20, at_once: 7 }));
        assert_eq!(settings(Mode::Development, &[]).unwrap().caller_rate, None);
        assert!(settings(Mode::Public, &[("CALLER_REQUESTS_PER_SECOND", "1001")]).is_err());
    }

    #[test]
    fn rate_limits_can_be_disabled_in_development_only() {
        assert!(settings(Mode::Public, &[("RATE_LIMITS", "off")]).is_err());
        assert!(!settings(Mode::Development, &[("RATE_LIMITS", "off")]).unwrap().rate_limits);
    }
}
