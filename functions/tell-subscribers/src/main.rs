//! Passes the job of this function to Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    registry::lambda::run_job(|app, event| async move { tell_subscribers::handle(&app, event).await }).await
}
