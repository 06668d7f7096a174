//! How the process ends when it cannot do its work. The command line and the mirror command share it, so that all
//! messages and exit codes have one form.

use std::process::ExitCode;

/// The exit code for a command line or a setting that cannot be used; clap uses the same.
pub(crate) const USAGE_ERROR: u8 = 2;

/// Prints the reason to standard error and returns the exit code.
pub(crate) fn failure(code: u8, reason: &str) -> ExitCode {
    eprintln!("registry: {reason}");
    ExitCode::from(code)
}
