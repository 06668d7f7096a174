//! Passes the route of this function to Lambda.

use registry::lambda::{Error, Preload, serve};

fn main() -> Result<(), Error> {
    serve(Preload::NOTHING, payment_webhook::router)
}
