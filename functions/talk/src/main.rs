//! Passes the routes of this function to Lambda.

use registry::lambda::{Preload, serve};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    serve(Preload::NOTHING, talk::router).await
}
