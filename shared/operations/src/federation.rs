//! Operations of the family "federation".

pub mod federation_pull;
pub mod federation_push;
pub mod overview;
