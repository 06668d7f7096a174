//! The one table of settings, besides rate limits. The reader takes defaults and bounds from it, and the
//! table in `infra/README.md` is generated from it.

use std::fmt::Write as _;

use crate::rate_limit::RateLimit;

/// One environment variable.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: &'static str,
    pub form: Form,
    /// What it changes, as the table of settings says it.
    pub meaning: &'static str,
}

/// What a variable may contain, with its default.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A whole number: default, least, greatest.
    Number(u32, u32, u32),
    /// `on` or `off`: default.
    Switch(bool),
    /// Text that its own reader checks: default (empty: none) and what is allowed.
    Text(&'static str, &'static str),
    /// Read elsewhere, by the local binary or the logger: default as the table shows it.
    Elsewhere(&'static str),
}

use Form::{Elsewhere, Number, Switch, Text};

/// Of a number that only has to be positive.
const ANY: u32 = u32::MAX;

/// All settings, in the order of the documentation.
pub const SETTINGS: &[Setting] = &[
    row("PORT", Elsewhere("8080"), "port of the local registry"),
    row("LISTEN_HOST", Elsewhere("127.0.0.1"), "address of the local registry"),
    row("DATA", Elsewhere("data/registry.db"), "data file of the local registry; `:memory:` stores nothing"),
    row("PUBLIC", Elsewhere(""), "`1`: the local registry applies the public rules"),
    row(
        "BASE_URL",
        Text("http://127.0.0.1:8080", "an http or https URL such as https://registry.example.com"),
        "public URL of this registry; locally the listen address, on AWS the address of its API",
    ),
    row("BRAND", Text("Agent and MCP Registry", "a name"), "name of this registry"),
    row(
        "PROBE_TICK_SECONDS",
        Number(360, 1, ANY),
        "seconds between two sweeps, and the least time between two probes of one listing",
    ),
    row("PROBES_PER_TICK", Number(64, 1, ANY), "probes in one sweep, at most; `PROBE_WINDOW_CAP` unless set"),
    row("PROBE_WINDOW_CAP", Number(64, 1, ANY), "probes in two minutes, at most"),
    row("PROBE_HOURLY_CAP", Number(1920, 1, ANY), "probes in an hour, at most"),
    row("PROBE_DAILY_BUDGET", Number(100_000, 1, ANY), "probes in a UTC day, at most"),
    row(
        "FRESH_OK_HOURS",
        Number(6, 1, ANY),
        "hours in which an `ok` counts as fresh; no rule depends on it yet",
    ),
    row("RECHECK_DAYS", Number(7, 1, ANY), "days within which every Live listing is probed again"),
    row("TALK_GRACE_DAYS", Number(7, 1, ANY), "days of the onboarding window of a new Live listing"),
    row("FOUNDING_SEATS", Number(100, 1, ANY), "full products given away"),
    row(
        "PAYMENTS_OPEN_AFTER",
        Number(250, 1, ANY),
        "feedback from agents, and as much from MCP servers, before payments open",
    ),
    row(
        "OUTREACH_BUDGET_PERCENT",
        Number(100, 0, 1000),
        "share of the daily invitation budget that is used; `0` sends none",
    ),
    row("OUTREACH_PAUSE_DAYS", Number(30, 1, 365), "days before a listing is invited again"),
    row(
        "OUTREACH_DELIVERY",
        Text("talk", "`talk` or `talk+a2a`"),
        "`talk` leaves invitations in Talk inboxes; `talk+a2a` also sends an agent one A2A message",
    ),
    row(
        "OUTREACH_ACCELERATION",
        Switch(true),
        "the invitation budget grows with the acceleration index, 1.8 times at most",
    ),
    row("LIST_ITSELF", Switch(true), "the registry lists its own endpoints first"),
    row(
        "GITHUB_RAW_URL",
        Text("https://raw.githubusercontent.com", "a URL, or `off`"),
        "where server.json is read from a GitHub repository to prove a name below `io.github`; `off` reads none",
    ),
    row(
        "DOMAIN_PROOF_URL",
        Text("https://{domain}/.well-known/mcp-registry-auth", "a URL with `{domain}` in it"),
        "where the key is read that proves names of a domain",
    ),
    row(
        "DNS_SERVER",
        Text("", "an address with a port, such as 10.0.0.2:53, or `off`"),
        "name server for TXT records instead of the system's; `off` looks up none",
    ),
    row("RATE_LIMITS", Switch(true), "`off` is allowed in development mode only"),
    row(
        "CALLER_REQUESTS_PER_SECOND",
        Number(20, 1, 1000),
        "requests of one address to one instance of a function, in the long run; public mode only. Raise it behind a proxy",
    ),
    row(
        "CALLER_REQUESTS_AT_ONCE",
        Number(100, 1, 100_000),
        "requests of one address after a pause; public mode only",
    ),
    row(
        "PRICE_PER_MILLION_READ_UNITS",
        Number(125_000, 0, 1_000_000_000),
        "millionths of a US dollar that `cost_model` uses; AWS list price in us-east-1",
    ),
    row("PRICE_PER_MILLION_WRITE_UNITS", Number(625_000, 0, 1_000_000_000), "the same for write units"),
    row("PRICE_PER_MILLION_REQUESTS", Number(1_000_000, 0, 1_000_000_000), "the same for HTTP requests"),
    row(
        "FEDERATION_PEERS",
        Text(
            "",
            "at most 10 base URLs of registries, separated by commas, such as https://registry.example.com",
        ),
        "other registries whose listings are shown as referrals (on AWS the parameter `FederationPeers`)",
    ),
    row(
        "OPERATOR_TOKEN",
        Text(
            "",
            "at least 32 letters, digits and signs without spaces, such as `openssl rand -hex 32` prints",
        ),
        "bearer token for operator actions over HTTP; without it there are none",
    ),
    row(
        "STRIPE_SECRET_KEY",
        Text("", "a secret key of Stripe, which begins with sk_ or rk_"),
        "Stripe's API key; without it nothing is sold",
    ),
    row(
        "STRIPE_WEBHOOK_SECRET",
        Text("", "the signing secret of an endpoint, which begins with whsec_"),
        "the key of Stripe's webhook signatures; without it nothing is sold",
    ),
    row(
        "STRIPE_API_URL",
        Text("https://api.stripe.com", "a URL without a query"),
        "where Stripe's API is reached",
    ),
    row("TABLE_NAME", Text("registry", "a name"), "the DynamoDB table; set by the template on AWS"),
    row("BUS_NAME", Text("", "a name"), "the EventBridge bus; set by the template on AWS"),
    row("RUST_LOG", Elsewhere("warn"), "log level"),
    row("LOG_FORMAT", Elsewhere("plain"), "`json` for machines"),
];

const fn row(name: &'static str, form: Form, meaning: &'static str) -> Setting {
    Setting { name, form, meaning }
}

impl Form {
    /// What is allowed, for an error message.
    pub(super) fn allowed(self) -> String {
        match self {
            Number(_, least, ANY) => format!("a whole number from {least}"),
            Number(_, least, greatest) => format!("a whole number from {least} to {greatest}"),
            Switch(_) => "`on` or `off`".to_owned(),
            Text(_, allowed) => allowed.to_owned(),
            Elsewhere(_) => String::new(),
        }
    }
}

/// The table of all settings in Markdown.
#[must_use]
pub fn settings_table() -> String {
    let mut table = "| variable | default | meaning |\n|---|---|---|\n".to_owned();
    for Setting { name, form, meaning } in SETTINGS {
        let default = match form {
            Number(default, ..) => default.to_string(),
            Switch(default) => if *default { "on" } else { "off" }.to_owned(),
            Text(default, _) | Elsewhere(default) => (*default).to_owned(),
        };
        let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
        let _ = writeln!(table, "| `{name}` | {default} | {meaning} |");
    }
    RateLimit::write_markdown(&mut table);
    table
}
