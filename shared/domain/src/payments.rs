//! Selling the products once payments are open. A purchase is stored first, then Stripe provides the payment
//! page, and Stripe's signed event opens the product. No card number and no address of a buyer is stored.

mod checkout;
mod refusals;
mod request;
mod sessions;
mod signature;
mod webhook;

pub use checkout::{Begun, checkout, purchase};
pub use request::CheckoutRequest;
pub use sessions::is_configured;
pub use webhook::{Received, receive};
