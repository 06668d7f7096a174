//! The types of settings that are more than a number or a text.

use std::time::Duration;

use jiff::SignedDuration;
use registry_model::string_enum;

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
    pub fn interval(self) -> SignedDuration {
        SignedDuration::from_millis(1000 / i64::from(self.per_second.clamp(1, 1000)))
    }

    /// How many intervals a full bucket holds.
    pub fn burst(self) -> i32 {
        i32::try_from(self.at_once).unwrap_or(i32::MAX)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    pub total: u32,
    pub per_address: u32,
    pub read_seconds: u32,
}

impl ConnectionLimits {
    /// One address may use all connections in development, where every client is this machine, and behind a trusted proxy,
    /// whose connections carry the requests of all clients.
    pub(crate) const fn new(mode: Mode, has_proxy: bool) -> Self {
        let total = 4096;
        let is_shared = matches!(mode, Mode::Development) || has_proxy;
        Self { total, per_address: if is_shared { total } else { 256 }, read_seconds: 30 }
    }

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
