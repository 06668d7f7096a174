//! The settings that environment variables can change. They are read once at the start. If a value is
//! invalid, the process does not start; the error message gives the variable's name and the accepted values.
//!
//! [`Settings`] contains the values, and `definitions` the variables that set them.

mod definitions;
mod reader;
mod settings;
mod trusted_proxy;
mod types;
mod values;

pub use definitions::{
    BASE_URL, DATA, LISTEN_HOST, LOG_FORMAT, PORT, PROXY_SECRET, PUBLIC, RUST_LOG, secrets, settings_table,
};
pub use reader::SettingError;
pub use settings::Settings;
pub use trusted_proxy::{PROXY_SECRET_HEADER, TrustedProxy};
pub use types::{ConnectionLimits, Mode, OutreachDelivery, Payments, Prices, RequestRate};
