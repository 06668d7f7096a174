//! Sells the products once payments are open. First the purchase is stored. Then Stripe provides the payment page. When
//! Stripe's signed event arrives, the buyer can open the product. The registry stores no card number and no address of a buyer.

mod checkout;
mod refusals;
mod request;
mod sessions;
mod signature;
mod webhook;

pub use checkout::{Begun, checkout, purchase};
pub use request::CheckoutRequest;
pub use webhook::{Event, Received, receive};
