//! The operations of the economy of the registry.

pub mod abundance_rank;
pub mod autocatalysis;
pub mod bump_acceleration;
pub mod cost_model;
pub mod get_acceleration;
pub mod get_exonomics;
pub mod hyper_index;
pub mod network_value;
pub mod s_curve_board;
pub mod zero_mc_pack;

crate::operation::operations! {
    GET_ACCELERATION in "economy" = get_acceleration::GetAcceleration,
    AUTOCATALYSIS in "economy" = autocatalysis::Autocatalysis,
    BUMP_ACCELERATION in "operator" = bump_acceleration::BumpAcceleration,
    GET_EXONOMICS in "economy" = get_exonomics::GetExonomics,
    NETWORK_VALUE in "economy" = network_value::ValueOfNetwork,
    HYPER_INDEX in "economy" = hyper_index::HyperIndex,
    COST_MODEL in "economy" = cost_model::CostModel,
    ABUNDANCE_RANK in "economy" = abundance_rank::AbundanceRank,
    ZERO_MC_PACK in "economy" = zero_mc_pack::ZeroMcPack,
    S_CURVE_BOARD in "economy" = s_curve_board::SCurveBoard,
}
