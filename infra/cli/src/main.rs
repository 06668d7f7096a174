//! The command line for publishers and searchers. Of a registry it needs only the HTTP API; files are checked with the rules of
//! the crate `formats`. A command returns an [`Exit`], which scripts can test.

mod arguments;
mod check;
mod client;
mod commands;
mod document;
mod print;
mod problem;
mod proof;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};

use crate::arguments::{Arguments, Command};
use crate::client::Client;
use crate::commands::Session;
use crate::print::Printer;
use crate::problem::Failure;

/// How a command ended. Wrong usage is 2; clap exits with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Live, found, valid or done.
    Ok = 0,
    /// Queued, needs a fix, not found, refused or invalid.
    NeedsFix = 1,
    /// The registry cannot be reached, or it failed.
    Unreachable = 3,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let (client, printer) = (Client::new(&arguments.registry), Printer::new(arguments.json));
    let session = Session { client, printer };
    let exit = run(arguments.command, &session).unwrap_or_else(|failure| {
        session.printer.failure(&failure);
        failure.exit()
    });
    ExitCode::from(exit as u8)
}

fn run(command: Command, session: &Session) -> Result<Exit, Failure> {
    match command {
        Command::Publish { target, no_wait } => session.publish(&target, no_wait),
        Command::Status { listing, watch } => session.status(&listing, watch),
        Command::Score { target, offline: true, .. } if target.contains("://") => Arguments::command()
            .error(ErrorKind::ArgumentConflict, "`--offline` needs a file, not a URL.")
            .exit(),
        Command::Score { target, file, github, offline, steps } => {
            session.score(&target, file.as_deref(), github, offline, steps)
        }
        Command::Search { words, kind, access, limit } => {
            session.search(&words.join(" "), kind.as_deref(), access.as_deref(), limit)
        }
        Command::Verify { listing, vkey } => session.verify(&listing, vkey.as_deref()),
        Command::Watch { listing, until_live } => session.watch(&listing, until_live),
    }
}
