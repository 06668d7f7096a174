//! Documents by which machines find their way: each is made from the catalogue and the settings when it is asked
//! for, so that none can drift from what the code does.

pub mod discovery;
