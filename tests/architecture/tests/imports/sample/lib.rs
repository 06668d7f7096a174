//! A crate that names modules in every way there is.

pub mod b;
pub mod c;

pub mod a;
