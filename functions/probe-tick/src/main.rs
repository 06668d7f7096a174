//! Passes the job of this function to Lambda.

use registry::lambda::{Preload, run_job};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    run_job(Preload::NOTHING, |app, event| async move { probe_tick::handle(&app, event).await }).await
}
