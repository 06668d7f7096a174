//! Passes the routes of this function to Lambda.

use registry::lambda::{Error, Preload, serve};

fn main() -> Result<(), Error> {
    serve(Preload::NOTHING, well_known::router)
}
