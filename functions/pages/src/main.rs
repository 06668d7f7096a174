//! Hands the function's routes to Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    registry::lambda::serve(pages::router).await
}
