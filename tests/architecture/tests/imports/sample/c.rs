//! Uses nobody.

pub struct Renamed;
