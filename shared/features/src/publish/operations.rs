//! The operations of publishing.

pub mod list_yourself;

crate::operation::operations! {
    LIST_YOURSELF in "listings" = list_yourself::ListYourself,
}
