//! The operations of products.

pub mod checkout;
pub mod export_product;
pub mod get_learning;
pub mod improvement_log;
pub mod preview_product;
pub mod product_agent;
pub mod run_product;
pub mod verify_product;

crate::operation::operations! {
    EXPORT_PRODUCT in "products" = export_product::ExportProduct,
    PRODUCT_AGENT in "products" = product_agent::ProductAgent,
    PREVIEW_PRODUCT in "products" = preview_product::PreviewProduct,
    VERIFY_PRODUCT in "products" = verify_product::VerifyProduct,
    RUN_PRODUCT in "products" = run_product::RunProduct,
    GET_LEARNING in "products" = get_learning::GetLearning,
    IMPROVEMENT_LOG in "products" = improvement_log::ImprovementLog,
    CHECKOUT in "products" = checkout::Checkout,
}
