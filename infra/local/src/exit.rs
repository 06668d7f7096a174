//! Prints the error with which the process ends, and returns the exit code. All commands use this module, so
//! that messages and exit codes have the same form.

use std::fmt::Display;
use std::process::ExitCode;

/// For an invalid command line or setting. clap uses the same exit code.
pub(crate) fn usage_error(reason: impl Display) -> ExitCode {
    ended(2, reason)
}

pub(crate) fn failure(reason: impl Display) -> ExitCode {
    ended(1, reason)
}

fn ended(code: u8, reason: impl Display) -> ExitCode {
    eprintln!("registry: {reason}");
    ExitCode::from(code)
}
