//! Passes the routes of this function to Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    registry::lambda::serve(products::router).await
}
