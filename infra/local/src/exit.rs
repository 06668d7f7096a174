//! Prints the error with which the process ends, and returns the exit code. All commands use this module, so
//! that messages and exit codes have the same form.

use std::process::ExitCode;

/// The exit code for an invalid command line or setting; clap uses the same.
pub(crate) const USAGE_ERROR: u8 = 2;

pub(crate) fn failure(code: u8, reason: &str) -> ExitCode {
    eprintln!("registry: {reason}");
    ExitCode::from(code)
}
