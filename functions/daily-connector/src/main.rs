//! Passes the job of this function to Lambda.

use registry::lambda::{Error, Preload, run_job};

fn main() -> Result<(), Error> {
    run_job(Preload::SEARCH_INDEX, |app, event| async move { daily_connector::handle(&app, event).await })
}
