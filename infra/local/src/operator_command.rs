//! `registry operator`: turns the operator's commands on the command line into input for the `operator`
//! function. Only `backup`, `export` and `import` are not commands of this function: they move the whole table.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use local::takedown;
use registry::model::{
    AccessToken, HostName, InvalidAccessToken, KeyStep, ListingId, PublicReason, PurchaseId, TokenDigest,
};
use registry::settings::{self, Mode, Settings};
use serde::Serialize;
use serde_json::json;

use crate::exit;

const EXAMPLES: &str = "\
Examples:
  registry operator withdraw agtpub_0123456789abcdef0123 --reason 'Impersonates a bank.'
  registry operator block-host evil.example.org --reason 'Spam.'
  registry operator erase-contact mcp-org-example-adder
  registry operator erase --email jane@example.org
  registry operator backup copy.db
  registry operator export | age -r age1... >registry.jsonl.age
  age -d -i key.txt registry.jsonl.age | registry operator import --data new.db

A registry that uses the data runs the command itself; for that, set its OPERATOR_TOKEN. Without it, and for `export` and
`import`, stop the registry first, but not for `backup`. On AWS, invoke the function `operator` with the command as JSON:
  {\"command\": \"block_host\", \"host\": \"evil.example.org\", \"reason\": \"Spam.\"}

Exit codes: 0 done, or nothing to do; 1 the command failed or was refused; 2 invalid command line or setting.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Operator {
    /// The data file.
    #[arg(long, env = settings::DATA, default_value = "./data/registry.db", global = true)]
    data: PathBuf,
    #[command(subcommand)]
    command: OperatorCommand,
}

#[derive(Debug, Subcommand)]
enum OperatorCommand {
    #[command(flatten)]
    Decision(Decision),
    /// Write all items of the data file to standard output, as JSON Lines. They contain private keys and contacts: encrypt them.
    Export,
    /// Copy the data file to a new file, also while a registry uses it. The copy contains private keys and contacts.
    Backup { copy: PathBuf },
    /// Read an export from standard input into the data file. Items that exist stay as they are, so what was revoked since
    /// stays revoked. Repeat the command if it is interrupted.
    Import,
}

/// Serializes to the input of the `operator` function, which reads null as absent.
#[derive(Debug, Serialize, Subcommand)]
#[serde(tag = "command", rename_all = "snake_case")]
enum Decision {
    /// Withdraw a listing, until the command `restore`.
    Withdraw {
        listing_id: ListingId,
        /// A public reason, one line.
        #[arg(long)]
        reason: PublicReason,
    },
    /// Restore a withdrawn listing: it is probed again.
    Restore { listing_id: ListingId },
    /// Refuse new listings of a host and its subdomains, and withdraw the existing listings.
    BlockHost {
        host: HostName,
        /// A public reason, one line.
        #[arg(long)]
        reason: PublicReason,
    },
    /// Remove the block of a host, and restore the listings that only this block withdrew.
    UnblockHost { host: HostName },
    /// List the contacts that were given for a listing.
    Contacts { listing_id: ListingId },
    /// Erase the contact address of a listing.
    EraseContact { listing_id: ListingId },
    /// Erase what people sent about a listing, or everything that contains an e-mail address: contacts, texts of
    /// feedback, A2A tasks, interop sessions, reports, Talk messages, marks and reported outcomes. Or erase one public text.
    #[command(group(clap::ArgGroup::new("whose").required(true).args(["listing_id", "email", "text_id"])))]
    Erase {
        listing_id: Option<ListingId>,
        /// An e-mail address.
        #[arg(long)]
        email: Option<String>,
        /// The id of a Talk message, a mark or a reported outcome.
        #[arg(long = "text", value_name = "ID")]
        text_id: Option<String>,
    },
    /// List the reports about one listing, or about all listings; the newest first.
    Reports {
        listing_id: Option<ListingId>,
        /// `next_cursor` of the page before.
        #[arg(long)]
        cursor: Option<String>,
    },
    /// List the feedback of one listing, or of all listings, without addresses, phone numbers and secrets.
    Feedback {
        listing_id: Option<ListingId>,
        /// `next_cursor` of the page before.
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Revoke an access token.
    RevokeAccess {
        /// The token, `at_…`.
        #[arg(value_name = "TOKEN", value_parser = token_digest)]
        token_sha256: TokenDigest,
    },
    /// Take back the feedback of a listing with its token or code. The listing can give feedback again.
    VoidCompletion { listing_id: ListingId },
    /// Close a purchase: its token stops working. If it was paid, refund the payment at Stripe.
    RevokePurchase { purchase_id: PurchaseId },
    /// List the purchases with refunds, disputes or wrong payments.
    FlaggedPurchases,
    /// Request a step of a change of the key of the evidence log. The registry carries it out with its next scheduled run.
    ChangeLogKey {
        /// `announce`: create the next key; both keys sign. `promote`: make the next key the first key. `retire`: delete the
        /// previous key; before `promote`, the next key.
        #[arg(value_parser = key_step)]
        step: KeyStep,
    },
}

fn key_step(text: &str) -> Result<KeyStep, String> {
    KeyStep::named(text).ok_or_else(|| "use `announce`, `promote` or `retire`".to_owned())
}

fn token_digest(token: &str) -> Result<TokenDigest, InvalidAccessToken> {
    token.parse::<AccessToken>().map(|token| token.digest())
}

pub(crate) async fn run(operator: Operator) -> Result<(), ExitCode> {
    let settings = Settings::from_env(Mode::Development, |name| std::env::var(name).ok());
    let settings = settings.map_err(exit::usage_error)?;
    let data = &operator.data;
    let outcome = match operator.command {
        OperatorCommand::Decision(decision) => takedown::carry_out(data, settings, &json!(decision)).await,
        OperatorCommand::Export => {
            let out = std::io::BufWriter::new(std::io::stdout().lock());
            let items = takedown::export(data, &settings, out).await.map_err(exit::failure)?;
            eprintln!("registry: exported {items} items");
            return Ok(());
        }
        OperatorCommand::Backup { copy } => {
            takedown::back_up(data, &copy).map(|()| json!({ "ok": true, "copy": copy }))
        }
        OperatorCommand::Import => {
            let imported = takedown::import(data, &settings, std::io::stdin().lock()).await;
            imported.map(|imported| json!(imported))
        }
    };
    let outcome = outcome.map_err(exit::failure)?;
    // In a stranger's text, `##[` must not be a command of a CI runner. A closed pipe (`| head`) is not an error.
    let text = format!("{outcome:#}").replace("##[", "#\\u0023[");
    let _closed = writeln!(std::io::stdout(), "{text}");
    Ok(())
}
