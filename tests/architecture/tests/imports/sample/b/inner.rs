//! Defines something and takes everything of another.

use super::super::c::*;

pub struct Inner;
