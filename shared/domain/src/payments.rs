//! Selling the products once payments are open: a purchase is written here first, Stripe is asked for a page where it is
//! paid, and Stripe's signed word opens it. No card and no address of a buyer is ever kept here.

mod checkout;
mod refusals;
mod repeat;
mod request;
mod sessions;
mod signature;
mod webhook;

pub use checkout::{Begun, checkout, purchase};
pub use request::Wanted;
pub use sessions::is_configured;
pub use webhook::{Received, receive};
