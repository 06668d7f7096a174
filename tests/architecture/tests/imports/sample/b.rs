//! A module that hands on what another defines.

mod inner;

pub use inner::Inner;

pub fn by_path() {}

pub fn in_a_macro() -> u32 {
    1
}
