//! Operations on the economy of the registry. They return the acceleration index, the network value, growth
//! curves and measured costs.

pub mod abundance_rank;
pub mod autocatalysis;
pub mod cost_model;
pub mod get_acceleration;
pub mod get_exonomics;
pub mod hyper_index;
pub mod network_value;
pub mod s_curve_board;
pub mod zero_mc_pack;
