//! Passes the route of this function to Lambda.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    registry::lambda::serve(payment_webhook::router).await
}
