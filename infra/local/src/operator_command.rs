//! `registry operator`: the operator's commands as a command line. It only puts them into the words of the `operator`
//! function, which judges them.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use registry::model::AccessToken;
use registry::settings::{Mode, Settings};
use serde_json::{Value, json};

use crate::exit;

const EXAMPLES: &str = "\
Examples:
  registry operator withdraw agtpub_0123456789abcdef0123 --reason 'Impersonates a bank.'
  registry operator block-host evil.example.org --reason 'Spam.'
  registry operator erase-contact mcp-org-example-adder

Stop the registry that runs on the data first. On AWS, invoke the function `operator` with the same as JSON:
  {\"command\": \"block_host\", \"host\": \"evil.example.org\", \"reason\": \"Spam.\"}

Exit codes: 0 done, or nothing to do; 1 not carried out; 2 cannot be begun.";

/// What to do, and where.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Operator {
    /// The file that holds the data.
    #[arg(long, env = "DATA", default_value = "./data/registry.db", global = true)]
    data: PathBuf,
    #[command(subcommand)]
    decision: Decision,
}

#[derive(Debug, Subcommand)]
enum Decision {
    /// Take a listing off, until it is restored.
    Withdraw {
        listing_id: String,
        /// One line that everybody may read.
        #[arg(long)]
        reason: String,
    },
    /// Bring a withdrawn listing back into the queue.
    Restore { listing_id: String },
    /// Refuse whatever is published at a host or under it, and withdraw what is listed there.
    BlockHost {
        host: String,
        /// One line that everybody may read.
        #[arg(long)]
        reason: String,
    },
    /// End a block, and restore what it withdrew.
    UnblockHost { host: String },
    /// Erase whom to write to about a listing.
    EraseContact { listing_id: String },
    /// End what an access token opens.
    RevokeAccess {
        /// The token, `at_…`.
        token: AccessToken,
    },
}

impl Decision {
    fn command(&self) -> Value {
        match self {
            Self::Withdraw { listing_id, reason } => {
                json!({ "command": "withdraw", "listing_id": listing_id, "reason": reason })
            }
            Self::Restore { listing_id } => json!({ "command": "restore", "listing_id": listing_id }),
            Self::BlockHost { host, reason } => {
                json!({ "command": "block_host", "host": host, "reason": reason })
            }
            Self::UnblockHost { host } => json!({ "command": "unblock_host", "host": host }),
            Self::EraseContact { listing_id } => {
                json!({ "command": "erase_contact", "listing_id": listing_id })
            }
            Self::RevokeAccess { token } => {
                json!({ "command": "revoke_access", "token_sha256": token.digest() })
            }
        }
    }
}

pub(crate) async fn run(operator: Operator) -> ExitCode {
    let settings = match Settings::from_env(Mode::Development, |name| std::env::var(name).ok()) {
        Ok(settings) => settings,
        Err(error) => return exit::failure(exit::USAGE_ERROR, &error.to_string()),
    };
    match local::takedown::carry_out(&operator.data, settings, &operator.decision.command()).await {
        Ok(outcome) => {
            // A closed pipe (`| head`) is no failure.
            let _closed = writeln!(std::io::stdout(), "{outcome:#}");
            ExitCode::SUCCESS
        }
        Err(error) => exit::failure(1, &error.to_string()),
    }
}
