//! The definition of each setting: its variable, default, accepted values and meaning.

use registry_model::{LimitedAction, RATE_LIMITS, Rate};

use crate::reader::{self, Definition, Reader, SettingError};
use crate::settings::Settings;
use crate::trusted_proxy::TrustedProxy;
use crate::types::{ConnectionLimits, Mode, OutreachDelivery, Payments, Prices, RequestRate};
use crate::values;

// Variables that are read in other crates, too.
pub const PORT: &str = "PORT";
pub const LISTEN_HOST: &str = "LISTEN_HOST";
pub const DATA: &str = "DATA";
pub const PUBLIC: &str = "PUBLIC";
pub const BASE_URL: &str = "BASE_URL";
pub const PROXY_SECRET: &str = "PROXY_SECRET";
pub const RUST_LOG: &str = "RUST_LOG";
pub const LOG_FORMAT: &str = "LOG_FORMAT";

impl Settings {
    /// Reads the settings; `lookup` returns the value of an environment variable. The variable `SETTINGS` can contain
    /// several settings.
    ///
    /// # Errors
    /// The first variable with an invalid value.
    pub fn from_env(mode: Mode, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        Self::read(mode, &mut Reader::new(&lookup)?)
    }

    /// Each call of `read` defines a setting. The table of settings has their order.
    fn read(mode: Mode, read: &mut Reader<'_>) -> Result<Self, SettingError> {
        read.elsewhere(PORT, "8080", "port on which the local registry listens");
        read.elsewhere(LISTEN_HOST, "127.0.0.1", "address on which the local registry listens");
        read.elsewhere(
            DATA,
            "data/registry.db",
            "data file of the local registry; with `:memory:`, the data is lost when the process ends",
        );
        read.elsewhere(PUBLIC, "", "`1` makes the local registry apply the rules of a public registry");
        let base_url = read.deployed(
            BASE_URL,
            "http://127.0.0.1:8080",
            "an http or https URL without a path, such as https://registry.example.com",
            "public URL of this registry; if it is not set, the registry uses its listen address (on AWS, the \
                address of its HTTP API)",
            values::base_url,
        )?;
        let brand =
            read.text("BRAND", "Agent and MCP Registry", "a name", "name of this registry", values::text)?;
        let probe_tick_seconds = read.number(
            "PROBE_TICK_SECONDS",
            360,
            1..=86_400,
            "seconds between two sweeps (scheduled runs of probes)",
        )?;
        let probe_window_cap = read.number(
            "PROBE_WINDOW_CAP",
            64,
            1..=1_000_000,
            "maximum number of probes in two minutes, and in one sweep",
        )?;
        let probe_hourly_cap =
            read.number("PROBE_HOURLY_CAP", 1920, 1..=1_000_000, "maximum number of probes in an hour")?;

        let rate_percent = read.text(
            "RATE_LIMITS",
            "on",
            "`on`, a percentage from 1 to 1000000 or, in development mode only, `off`",
            "`on`, or the percentage by which the registry multiplies all hourly rate limits, such as `200`; the limits are in \
                `/discovery.json`. `off` is allowed only in development mode",
            |value| values::rate_percent(value, mode),
        )?;
        let publish_per_hour = read.number(
            "PUBLISH_PER_HOUR",
            60,
            1..=1_000_000,
            "maximum number of `publish` requests of one caller in an hour; `RATE_LIMITS` multiplies it, too",
        )?;
        let per_second = read.number(
            "CALLER_REQUESTS_PER_SECOND",
            20,
            1..=1000,
            "average number of requests per second that one instance of a function accepts from one address, and five \
                times as many at once; only in public mode",
        )?;
        let caller_rate = RequestRate { per_second, at_once: 5 * per_second };

        let proxy_secret = read.secret(
            PROXY_SECRET,
            "at least 32 letters, digits and signs without spaces, such as `openssl rand -hex 32` prints",
            "secret that a proxy in front of the registry sends in the header `X-Proxy-Secret`. Only then does the registry \
                take the address of the caller from the proxy. While you change it, set the new and the previous value, separated by a comma",
            |secrets| secrets.split(',').all(|secret| secret.len() >= 32),
        )?;
        let is_proxy_required = read.text(
            "PROXY_REQUIRED",
            "off",
            "`off`, or `on` if `PROXY_SECRET` is set",
            "`on`: requests without this secret are refused, so that nobody can go around the proxy. The AWS template sets \
                `on` with CloudFront",
            |value| match value {
                "on" => proxy_secret.is_some().then_some(true),
                "off" => Some(false),
                _ => None,
            },
        )?;
        let proxy_header = read.text(
            "PROXY_ADDRESS_HEADER",
            "x-forwarded-for",
            "the name of a header",
            "header in which this proxy writes the address of the caller; its last address counts. CloudFront writes \
                `CloudFront-Viewer-Address`",
            values::header_name,
        )?;
        let proxy = proxy_secret.map(|secret| TrustedProxy::new(&secret, &proxy_header, is_proxy_required));

        let name_proofs = read.text(
            "NAME_PROOFS",
            "",
            "`KIND=URL` pairs, separated by commas; kinds: domain (a URL with `{domain}` in it), github, github-actions; \
                `off` instead of a URL disables github or github-actions",
            "other sources of the proofs of names, as `KIND=URL` pairs, separated by commas. `domain`: where the key of a \
                domain is (default: `https://{domain}/.well-known/mcp-registry-auth`). `github`: where the `server.json` of a \
                repository is (default: `https://raw.githubusercontent.com`). `github-actions`: the issuer of the tokens of \
                workflows (default: `https://token.actions.githubusercontent.com`). `github=off` and `github-actions=off` \
                disable these proofs of names below `io.github`",
            values::name_proofs,
        )?;
        let search_backend_token = read.secret(
            "SEARCH_BACKEND_TOKEN",
            "a token of at least 16 characters",
            "token that the server in `SEARCH_BACKEND_URL` requires; it is sent as `x-chroma-token` and as bearer token",
            |token| token.len() >= 16,
        )?;

        let settings = Self {
            mode,
            base_url,
            brand,
            probe_tick_seconds,
            probe_window_cap,
            probes_per_tick: probe_window_cap,
            probe_hourly_cap,
            probe_daily_budget: 100_000,
            clean_list_target: 333,
            rate_limits: rate_percent.is_some(),
            rates: rates(publish_per_hour, rate_percent.unwrap_or(100)),
            caller_rate: (rate_percent.is_some() && mode == Mode::Public).then_some(caller_rate),
            connections: ConnectionLimits::new(mode, proxy.is_some()),
            proxy,
            domain_proof_url: name_proofs.domain,
            github_raw_url: name_proofs.github,
            github_actions_issuer: name_proofs.github_actions,
            name_servers: read.text(
                "DNS_SERVER",
                "",
                "an address with a port, such as 10.0.0.2:53, or `off`",
                "name server for TXT records; if it is not set, the registry uses the name servers of the system; \
                    `off` disables TXT look-ups",
                values::name_servers,
            )?,
            fresh_ok_hours: read.number(
                "FRESH_OK_HOURS",
                6,
                1..=8760,
                "hours in which the proof of a Live listing counts as fresh: a sweep with budget to spare does not renew it, \
                    and publishing the listing again starts no probe",
            )?,
            recheck_days: read.number(
                "RECHECK_DAYS",
                7,
                1..=365,
                "the registry probes every Live listing again within this number of days",
            )?,
            talk_grace_days: read.number(
                "TALK_GRACE_DAYS",
                7,
                1..=365,
                "a new Live listing counts as present in Talk for this number of days, even if no one reads its \
                    inbox",
            )?,
            founding_seats: 100,
            payments_open_after: 250,
            payments: read.text(
                "PAYMENTS",
                "off",
                "`off`, `on` or `elsewhere`",
                "`on`: payments open when there is enough feedback and both Stripe secrets are set. `elsewhere`: the \
                    same, but another function has the secrets; the AWS template sets this value",
                Payments::named,
            )?,
            stripe_secret_key: read.secret(
                "STRIPE_SECRET_KEY",
                "a secret key of Stripe, which begins with sk_ or rk_",
                "API key of your Stripe account; without this key, the registry sells nothing",
                |key| values::begins(key, &["sk_", "rk_"]),
            )?,
            stripe_webhook_secret: read.secret(
                "STRIPE_WEBHOOK_SECRET",
                "the signing secret of an endpoint, which begins with whsec_",
                "secret with which Stripe signs its webhook events; without this secret, the registry sells nothing",
                |key| values::begins(key, &["whsec_"]),
            )?,
            stripe_api_url: "https://api.stripe.com".to_owned(),
            outreach_budget_percent: read.number(
                "OUTREACH_BUDGET_PERCENT",
                100,
                0..=1000,
                "percentage by which the registry multiplies its daily budget of invitations; with `0`, it sends no \
                    invitations",
            )?,
            outreach_pause_days: 30,
            outreach_delivery: read.text(
                "OUTREACH_DELIVERY",
                "talk",
                "`talk` or `talk+a2a`",
                "`talk` sends invitations to Talk inboxes only; `talk+a2a` also sends one A2A message to each \
                    invited agent",
                OutreachDelivery::named,
            )?,
            list_itself: read.text(
                "LIST_ITSELF",
                "on",
                "`on` or `off`",
                "`on`: the first listings of a new registry are its own endpoints. On AWS, each scheduled sweep then also \
                    publishes the registry's own agent again through its public URL and searches for it",
                |value| match value {
                    "on" => Some(true),
                    "off" => Some(false),
                    _ => None,
                },
            )?,
            canary: false,
            operator_contact: read.optional(
                "OPERATOR_CONTACT",
                "a mailto: or https: URL, such as mailto:operator@example.com",
                "public contact of the operator, for security reports and questions; without it, there is no \
                    `/.well-known/security.txt`",
                values::contact,
            )?,
            operator_token: read.secret(
                "OPERATOR_TOKEN",
                "at least 32 letters, digits and signs without spaces, such as `openssl rand -hex 32` prints",
                "bearer token for operator actions over HTTP; without this token, these actions are disabled",
                // A short token could be guessed by trying.
                |token| token.len() >= 32,
            )?,
            source_url: read.optional(
                "SOURCE_URL",
                "an https URL",
                "where visitors find the source of this registry; the page `/about` links to it",
                values::https_link,
            )?,
            dump_license: read.optional(
                "DUMP_LICENSE",
                "an SPDX license identifier, such as CC0-1.0",
                "license under which the registry publishes a dump of its public listings once a day (`/dumps.json`), as an \
                    SPDX identifier such as `CC0-1.0`; without it, there is no dump",
                values::license,
            )?,
            federation_peers: read.text(
                "FEDERATION_PEERS",
                "",
                "at most 10 base URLs of registries, separated by commas, such as https://registry.example.com",
                "URLs of other registries; searches can also return entries of these registries, as referrals",
                values::registries,
            )?,
            import_sources: read.text(
                "IMPORT_SOURCES",
                "",
                "at most 10 URLs, separated by commas, such as https://registry.example.com/v0.1/servers",
                "lists whose entries are published here once a day: the `/v0.1/servers` of another registry, or a JSON list of \
                    agent card URLs",
                values::registries,
            )?,
            package_registries: read.text(
                "PACKAGE_REGISTRIES",
                "",
                "base URLs of package registries, separated by commas, such as npm=https://packages.example.com; types: \
                    npm, pypi",
                "where packages of servers without an HTTP endpoint are checked; such a server is listed (`package`) only if \
                    all its packages were found there and name the server. For `pypi`, a URL that ends with `simple` is a simple \
                    index, as for pip; other URLs must have the JSON API of PyPI",
                values::package_registries,
            )?,
            log_witnesses: read.text(
                "LOG_WITNESSES",
                "",
                "at most 10 witnesses, separated by commas; each is a verifier key (`name+hash+key`) of type 4, a space \
                    and an https URL",
                "witnesses that cosign the checkpoints of the evidence log (C2SP `tlog-witness`): for each, its verifier \
                    key and its URL, separated by a space",
                |value| values::log_witnesses(value, mode),
            )?,
            signing_key_id: read.deployed(
                "SIGNING_KEY_ID",
                "",
                "the id, ARN or alias of a KMS key of the kind ECC_NIST_P256",
                "key of AWS KMS that signs attestations and agent cards; only on AWS. Without it, the private key is in the \
                    table",
                values::none_if_empty,
            )?,
            message_key_id: read.deployed(
                "MESSAGE_KEY_ID",
                "",
                "the id, ARN or alias of a KMS key of the kind ECC_NIST_EDWARDS25519",
                "key of AWS KMS that signs HTTP messages; only on AWS. Without it, the private key is in the table",
                values::none_if_empty,
            )?,
            log_key_id: read.deployed(
                "LOG_KEY_ID",
                "",
                "the id, ARN or alias of a KMS key of the kind ECC_NIST_EDWARDS25519",
                "key of AWS KMS that signs the evidence log; only on AWS. It is read when the registry creates its log key. \
                    Without it, the private key is in the table",
                values::none_if_empty,
            )?,
            search_backend_url: read.optional(
                "SEARCH_BACKEND_URL",
                "an https or http URL without user and query; https if a token is set",
                "Chroma server that finds the candidates of searches, such as `http://127.0.0.1:8000` or \
                    `https://chroma.example.com/api/v2/tenants/NAME/databases/NAME`; without this setting, the embedded \
                    index does",
                |url| {
                    let may_be_plain = mode == Mode::Development || search_backend_token.is_none();
                    values::search_backend(url, may_be_plain)
                },
            )?,
            search_backend_token,
            table_name: read.deployed(
                "TABLE_NAME",
                "registry",
                "a name",
                "name of the DynamoDB table; on AWS, the template sets this name",
                values::text,
            )?,
            bus_name: read.deployed(
                "BUS_NAME",
                "",
                "a name",
                "name of the EventBridge bus; on AWS, the template sets this name",
                values::none_if_empty,
            )?,
            request_log_sample: 1,
            prices: Prices { read_units: 125_000, write_units: 625_000, requests: 1_000_000 },
        };
        read.elsewhere(RUST_LOG, "warn", "log level, such as `info`, which the AWS template sets");
        read.elsewhere(LOG_FORMAT, "plain", "format of the log: `plain` for people, `json` for programs");
        read.finish()?;
        Ok(settings)
    }
}

/// The hourly rate limits, multiplied.
fn rates(publish_per_hour: u32, percent: u32) -> [Rate; RATE_LIMITS.len()] {
    RATE_LIMITS.map(|limit| {
        let caller = match limit.action {
            LimitedAction::Publish => publish_per_hour,
            _ => limit.default.caller,
        };
        Rate { caller, ..limit.default }.multiplied(percent)
    })
}

/// All settings, by the code that reads them.
fn definitions() -> Vec<Definition> {
    let lookup = |_: &str| None;
    let Ok(mut read) = Reader::new(&lookup) else { return Vec::new() };
    // Every default is valid, so each setting is read.
    let _ = Settings::read(Mode::Public, &mut read);
    read.definitions
}

/// The table of settings in `infra/README.md`.
pub fn settings_table() -> String {
    reader::table(&definitions())
}

pub fn secrets() -> Vec<&'static str> {
    definitions().iter().filter(|definition| definition.is_secret).map(|definition| definition.name).collect()
}

#[cfg(test)]
mod tests;
