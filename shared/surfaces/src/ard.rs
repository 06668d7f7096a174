//! Agentic Resource Discovery (ards-project/ard-spec 0.9): the Live listings as catalogue entries, to be searched,
//! explored and browsed by any client that implements the standard.

pub mod browse;
pub mod catalog_entry;
mod error;
pub mod explore;
mod filter;
mod list_filter;
pub mod search;
pub mod token;

pub use error::ArdError;

/// ARD §7.2 and §7.4: a larger request is reduced to it.
const LARGEST_PAGE: u64 = 100;

fn page_size(asked: Option<u64>, default: usize) -> Result<usize, ArdError> {
    match asked {
        None => Ok(default),
        Some(0) => Err(ArdError::invalid("`pageSize` must be a whole number from 1; at most 100 are given.")),
        Some(size) => Ok(usize::try_from(size.min(LARGEST_PAGE)).unwrap_or(default)),
    }
}
