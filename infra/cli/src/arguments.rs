//! The arguments of the command line.

use clap::{Parser, Subcommand};

/// Publishes, checks and finds AI agents and MCP servers in a registry.
///
/// Exit codes: 0 Live, gated, packages only, found, a valid file or done; 1 another state, not found, refused or invalid; 2 wrong
/// usage; 3 the registry failed or cannot be reached.
#[derive(Debug, Parser)]
#[command(name = "registry-cli", version)]
pub(crate) struct Arguments {
    /// The URL of the registry.
    #[arg(long, global = true, env = "REGISTRY_URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) registry: String,
    /// Print the answer of the registry as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List an agent or MCP server, and wait for its probe.
    Publish {
        /// The URL of a card, site or MCP endpoint, or a file with a server.json.
        target: String,
        /// Do not wait for the first probe.
        #[arg(long)]
        no_wait: bool,
    },
    /// Show the state of a listing and what to fix.
    Status {
        /// The id or the name of a listing.
        listing: String,
        /// While the listing is queued, wait for its next probe.
        #[arg(long)]
        watch: bool,
    },
    /// Check a card or an MCP endpoint without listing it.
    Score {
        /// The URL of a card or endpoint, or a file with a card or server.json. The registry probes a URL and the remote of a
        /// server.json. Other files are only checked for faults.
        target: String,
        /// A file with the card at the URL; findings show its lines.
        #[arg(long)]
        file: Option<String>,
        /// Print annotations for GitHub Actions.
        #[arg(long)]
        github: bool,
        /// Only check the file for faults; send no request to the registry.
        #[arg(long)]
        offline: bool,
        /// Print each request of the probe with its answer.
        #[arg(long)]
        steps: bool,
    },
    /// Find Live agents and MCP servers for a task.
    Search {
        /// What you need, in plain words.
        #[arg(required = true)]
        words: Vec<String>,
        /// Only agents, or only MCP servers.
        #[arg(long, value_parser = ["agent", "mcp"])]
        kind: Option<String>,
        /// Only listings with this access. Without it, all Live listings.
        #[arg(long, value_parser = ["open", "gated", "package", "all"])]
        access: Option<String>,
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
        limit: u32,
    },
    /// Show the last decision about a listing in the evidence log, and check its proof.
    Verify {
        /// The id of a listing.
        listing: String,
        /// The verifier key of the log, which you got in another way. Without it, the key of the answer is used.
        #[arg(long)]
        vkey: Option<String>,
    },
    /// Print every change of the state of a listing.
    Watch {
        /// The id or the name of a listing.
        listing: String,
        /// End when the listing is Live or gated, or has packages only.
        #[arg(long)]
        until_live: bool,
    },
}
