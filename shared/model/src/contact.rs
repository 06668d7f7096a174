//! Who may be written to about a listing. Apart from the listing, so that no list, feed or page can hold it.

/// Who may be written to about a listing. Kept in an item of its own that no list or feed query returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    /// An e-mail address.
    pub email: Option<String>,
    /// Where the publisher says it heard of the registry.
    pub source: Option<String>,
}
