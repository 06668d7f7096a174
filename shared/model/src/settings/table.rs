//! The table of all settings except the rate limits. The code that reads the environment takes the defaults
//! and bounds from it. The table of settings in `infra/README.md` is generated from it.

use std::fmt::Write as _;

use crate::rate_limit::RateLimit;

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
    /// A whole number: default, minimum, maximum.
    Number(u32, u32, u32),
    /// `on` or `off`: default.
    Switch(bool),
    /// Text that its own reader checks: default (empty: none) and what is allowed.
    Text(&'static str, &'static str),
    /// Read elsewhere, by the local binary or the logger: default as the table shows it.
    Elsewhere(&'static str),
}

use Form::{Elsewhere, Number, Switch, Text};

/// The maximum of a number that only has to be positive.
const ANY: u32 = u32::MAX;

/// All settings, in the order of the documentation.
pub const SETTINGS: &[Setting] = &[
    row("PORT", Elsewhere("8080"), "port on which the local registry listens"),
    row("LISTEN_HOST", Elsewhere("127.0.0.1"), "address on which the local registry listens"),
    row(
        "DATA",
        Elsewhere("data/registry.db"),
        "data file of the local registry; with `:memory:`, the data is lost when the process ends",
    ),
    row("PUBLIC", Elsewhere(""), "`1` makes the local registry apply the rules of a public registry"),
    row(
        "BASE_URL",
        Text("http://127.0.0.1:8080", "an http or https URL such as https://registry.example.com"),
        "public URL of this registry; if it is not set, the registry uses its listen address (on AWS, the \
            address of its HTTP API)",
    ),
    row("BRAND", Text("Agent and MCP Registry", "a name"), "name of this registry"),
    row(
        "PROBE_TICK_SECONDS",
        Number(360, 1, ANY),
        "seconds between two sweeps (scheduled runs of probes); also the shortest time between two probes \
            of the same listing",
    ),
    row(
        "PROBES_PER_TICK",
        Number(64, 1, ANY),
        "maximum number of probes in one sweep; if it is not set, `PROBE_WINDOW_CAP` applies",
    ),
    row(
        "CLEAN_LIST_TARGET",
        Number(333, 1, ANY),
        "how many listings should become Live in a UTC day; only shown, next to the number of the day",
    ),
    row("PROBE_WINDOW_CAP", Number(64, 1, ANY), "maximum number of probes in two minutes"),
    row("PROBE_HOURLY_CAP", Number(1920, 1, ANY), "maximum number of probes in an hour"),
    row("PROBE_DAILY_BUDGET", Number(100_000, 1, ANY), "maximum number of probes in a UTC day"),
    row(
        "FRESH_OK_HOURS",
        Number(6, 1, ANY),
        "hours in which the proof of a Live listing counts as fresh: a sweep with budget to spare does not renew it, and \
            publishing the listing again starts no probe",
    ),
    row(
        "RECHECK_DAYS",
        Number(7, 1, ANY),
        "the registry probes every Live listing again within this number of days",
    ),
    row(
        "TALK_GRACE_DAYS",
        Number(7, 1, ANY),
        "a new Live listing counts as present in Talk for this number of days, even if no one reads its \
            inbox",
    ),
    row(
        "FOUNDING_SEATS",
        Number(100, 1, ANY),
        "number of full products that the registry gives away for free",
    ),
    row(
        "PAYMENTS_OPEN_AFTER",
        Number(250, 1, ANY),
        "number of agents and number of MCP servers that must have given feedback before payments open; \
            unchanged drafts do not count",
    ),
    row(
        "PAYMENTS",
        Text("off", "`off`, `on` or `elsewhere`"),
        "`on`: payments open when there is enough feedback and both Stripe secrets are set. `elsewhere`: the \
            same, but another function has the secrets; the AWS template sets this value",
    ),
    row(
        "OUTREACH_BUDGET_PERCENT",
        Number(100, 0, 1000),
        "percentage by which the registry multiplies its daily budget of invitations; with `0`, it sends no \
            invitations",
    ),
    row(
        "OUTREACH_PAUSE_DAYS",
        Number(30, 1, 365),
        "minimum number of days between two invitations to the same listing",
    ),
    row(
        "OUTREACH_DELIVERY",
        Text("talk", "`talk` or `talk+a2a`"),
        "`talk` sends invitations to Talk inboxes only; `talk+a2a` also sends one A2A message to each \
            invited agent",
    ),
    row(
        "OUTREACH_ACCELERATION",
        Switch(true),
        "`on`: what the operator adds to the acceleration index raises the daily budget of invitations, at \
            most to 1.8 times its normal size",
    ),
    row("LIST_ITSELF", Switch(true), "`on`: the first listings of a new registry are its own endpoints"),
    row(
        "CANARY",
        Switch(false),
        "`on`: each scheduled sweep also uses this registry through its public URL: it publishes the registry's own agent \
            again, reads its status and searches for it; only with `LIST_ITSELF`. The AWS template sets `on`",
    ),
    row(
        "GITHUB_RAW_URL",
        Text("https://raw.githubusercontent.com", "a URL, or `off`"),
        "base URL from which the registry reads a `server.json` in a GitHub repository, to prove a name \
            below `io.github`; `off` disables this proof",
    ),
    row(
        "GITHUB_ACTIONS_ISSUER",
        Text("https://token.actions.githubusercontent.com", "a URL, or `off`"),
        "issuer of the tokens with which a workflow proves a name below `io.github`; `off` disables this proof",
    ),
    row(
        "DOMAIN_PROOF_URL",
        Text("https://{domain}/.well-known/mcp-registry-auth", "a URL with `{domain}` in it"),
        "URL from which the registry reads the key that proves the names of a domain",
    ),
    row(
        "DNS_SERVER",
        Text("", "an address with a port, such as 10.0.0.2:53, or `off`"),
        "name server for TXT records; if it is not set, the registry uses the name servers of the system; \
            `off` disables TXT look-ups",
    ),
    row(
        "RATE_LIMITS",
        Switch(true),
        "turns the rate limits on or off; `off` is allowed only in development mode",
    ),
    row(
        "CALLER_REQUESTS_PER_SECOND",
        Number(20, 1, 1000),
        "average number of requests per second that one instance of a function accepts from one address; \
            only in public mode. Raise this number if the registry is behind a proxy",
    ),
    row(
        "CALLER_REQUESTS_AT_ONCE",
        Number(100, 1, 100_000),
        "number of requests that one instance of a function accepts from one address in a short time; only \
            in public mode",
    ),
    row(
        "MAX_CONNECTIONS",
        Number(4096, 1, 1_000_000),
        "maximum number of open connections of the local registry; further connections are closed at once",
    ),
    row(
        "MAX_CONNECTIONS_PER_ADDRESS",
        Number(256, 1, 1_000_000),
        "maximum number of open connections from one address, and fewer while many are open; only the local registry in \
            public mode. Raise this number if the registry is behind a proxy",
    ),
    row(
        "REQUEST_READ_SECONDS",
        Number(30, 1, 3600),
        "seconds in which a client of the local registry must send the head of a request, and then its \
            body; a connection that is idle, or whose client reads nothing of an answer, is closed after this time",
    ),
    row(
        "OPERATOR_CONTACT",
        Text("", "a mailto: or https: URL, such as mailto:operator@example.com"),
        "public contact of the operator, for security reports and questions; without it, there is no \
            `/.well-known/security.txt`",
    ),
    row(
        "PRICE_PER_MILLION_READ_UNITS",
        Number(125_000, 0, 1_000_000_000),
        "price of a million read units in millionths of a US dollar, for `cost_model`; the default is the \
            AWS list price in us-east-1",
    ),
    row(
        "PRICE_PER_MILLION_WRITE_UNITS",
        Number(625_000, 0, 1_000_000_000),
        "price of a million write units in millionths of a US dollar, for `cost_model`; the default is the \
            AWS list price in us-east-1",
    ),
    row(
        "PRICE_PER_MILLION_REQUESTS",
        Number(1_000_000, 0, 1_000_000_000),
        "price of a million HTTP requests in millionths of a US dollar, for `cost_model`; the default is \
            the AWS list price in us-east-1",
    ),
    row(
        "FEDERATION_PEERS",
        Text(
            "",
            "at most 10 base URLs of registries, separated by commas, such as https://registry.example.com",
        ),
        "URLs of other registries; searches can also return entries of these registries, as referrals. On \
            AWS, set the parameter `FederationPeers`",
    ),
    row(
        "IMPORT_SOURCES",
        Text("", "at most 10 URLs, separated by commas, such as https://registry.example.com/v0.1/servers"),
        "lists whose entries are published here once a day: the `/v0.1/servers` of another registry, or a JSON list of \
            agent card URLs",
    ),
    row(
        "PACKAGE_REGISTRIES",
        Text(
            "",
            "base URLs of package registries, separated by commas, such as npm=https://packages.example.com; types: npm, pypi",
        ),
        "where packages of servers without an HTTP endpoint are checked; such a server is listed (`package`) only if a \
            package was found there and names the server. For `pypi`, a URL that ends with `simple` is a simple index, as for \
            pip; other URLs must have the JSON API of PyPI",
    ),
    row(
        "LOG_WITNESSES",
        Text(
            "",
            "at most 10 witnesses, separated by commas; each is a verifier key (`name+hash+key`) of type 4, a space \
                and an https URL",
        ),
        "witnesses that cosign the checkpoints of the evidence log (C2SP `tlog-witness`): for each, its verifier \
            key and its URL, separated by a space. On AWS, set the parameter `LogWitnesses`",
    ),
    row(
        "SIGNING_KEY_ID",
        Text("", "the id, ARN or alias of a KMS key of the kind ECC_NIST_P256"),
        "key of AWS KMS that signs attestations and agent cards; only on AWS. Without it, the private key is in the \
            table",
    ),
    row(
        "MESSAGE_KEY_ID",
        Text("", "the id, ARN or alias of a KMS key of the kind ECC_NIST_EDWARDS25519"),
        "key of AWS KMS that signs HTTP messages; only on AWS. Without it, the private key is in the table",
    ),
    row(
        "LOG_KEY_ID",
        Text("", "the id, ARN or alias of a KMS key of the kind ECC_NIST_EDWARDS25519"),
        "key of AWS KMS that signs the evidence log; only on AWS. It is read when the registry creates its log key. \
            Without it, the private key is in the table",
    ),
    row(
        "PROXY_SECRET",
        Text(
            "",
            "at least 32 letters, digits and signs without spaces, such as `openssl rand -hex 32` prints",
        ),
        "secret that a proxy in front of the registry sends in the header `X-Proxy-Secret`. Only then does the registry \
            take the address of the caller from the proxy. Without this secret, all requests from the proxy count as \
            one caller. While you change it, set the new and the previous value, separated by a comma",
    ),
    row(
        "PROXY_REQUIRED",
        Switch(false),
        "`on`: requests without this secret are refused, so that nobody can go around the proxy. The AWS template sets \
            `on` with CloudFront",
    ),
    row(
        "PROXY_ADDRESS_HEADER",
        Text("x-forwarded-for", "the name of a header"),
        "header in which this proxy writes the address of the caller; its last address counts. CloudFront writes \
            `CloudFront-Viewer-Address`",
    ),
    row(
        "OPERATOR_TOKEN",
        Text(
            "",
            "at least 32 letters, digits and signs without spaces, such as `openssl rand -hex 32` prints",
        ),
        "bearer token for operator actions over HTTP; without this token, these actions are disabled",
    ),
    row(
        "SOURCE_URL",
        Text("", "an https URL"),
        "where visitors find the source of this registry; the page `/about` links to it",
    ),
    row(
        "DUMP_LICENSE",
        Text("", "an SPDX license identifier, such as CC0-1.0"),
        "license under which the registry publishes a dump of its public listings once a day (`/dumps.json`), as an SPDX \
            identifier such as `CC0-1.0`; without it, there is no dump. On AWS, set it in the parameter `Settings`",
    ),
    row(
        "STRIPE_SECRET_KEY",
        Text("", "a secret key of Stripe, which begins with sk_ or rk_"),
        "API key of your Stripe account; without this key, the registry sells nothing",
    ),
    row(
        "STRIPE_WEBHOOK_SECRET",
        Text("", "the signing secret of an endpoint, which begins with whsec_"),
        "secret with which Stripe signs its webhook events; without this secret, the registry sells nothing",
    ),
    row(
        "STRIPE_API_URL",
        Text("https://api.stripe.com", "a URL without a query"),
        "base URL of the Stripe API",
    ),
    row(
        "SEARCH_BACKEND_URL",
        Text("", "an https or http URL without user and query; https if a token is set"),
        "Chroma server that finds the candidates of searches, such as `http://127.0.0.1:8000` or \
            `https://chroma.example.com/api/v2/tenants/NAME/databases/NAME`; without this setting, the embedded index does",
    ),
    row(
        "SEARCH_BACKEND_TOKEN",
        Text("", "a token of at least 16 characters"),
        "token that this server requires; it is sent as `x-chroma-token` and as bearer token",
    ),
    row(
        "TABLE_NAME",
        Text("registry", "a name"),
        "name of the DynamoDB table; on AWS, the template sets this name",
    ),
    row("BUS_NAME", Text("", "a name"), "name of the EventBridge bus; on AWS, the template sets this name"),
    row(
        "SETTINGS",
        Text(
            "",
            "`NAME=VALUE` pairs, separated by semicolons or line ends; each name is a setting of this table, occurs once \
                and has no variable of its own; secrets and what the deployment sets (such as `BASE_URL`) are not allowed",
        ),
        "several settings in one variable, as `NAME=VALUE` pairs, separated by semicolons or line ends, such as \
            `RECHECK_DAYS=5;DEMOS_PER_HOUR=20`; without secrets. On AWS, set the parameter `Settings`",
    ),
    row("RUST_LOG", Elsewhere("warn"), "log level, such as `info`; on AWS, set the parameter `LogLevel`"),
    row(
        "REQUEST_LOG_SAMPLE",
        Number(1, 1, 1_000_000),
        "one of this number of requests with a status below 400, and of requests that were refused with 429, writes a log \
            line; all other requests write one. On AWS, set the parameter `RequestLogSample` (default: 100)",
    ),
    row("LOG_FORMAT", Elsewhere("plain"), "format of the log: `plain` for people, `json` for programs"),
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
