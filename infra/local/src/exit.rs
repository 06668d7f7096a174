//! Prints the error with which the process ends, and returns the exit code. All commands use this module, so
//! that messages and exit codes have the same form.

use std::error::Error;
use std::process::ExitCode;

use registry::error::chain;

/// For an invalid command line or setting. clap uses the same exit code.
pub(crate) fn usage_error(reason: impl Into<Box<dyn Error>>) -> ExitCode {
    ended(2, &*reason.into())
}

pub(crate) fn failure(reason: impl Into<Box<dyn Error>>) -> ExitCode {
    ended(1, &*reason.into())
}

fn ended(code: u8, reason: &dyn Error) -> ExitCode {
    eprintln!("registry: {}", chain(reason));
    ExitCode::from(code)
}
