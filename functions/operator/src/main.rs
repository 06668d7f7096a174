//! Passes the job of this function to Lambda.

use registry::lambda::{Error, Preload, run_job};

fn main() -> Result<(), Error> {
    run_job(Preload::NOTHING, |app, event| async move { operator::handle(&app, event).await })
}
