//! The opened source of a mirror: a file, standard input or another registry, read in batches. The rest of the mirror
//! sees only batches, so that a new kind of source changes nothing else.

mod batch;
mod documents;
mod error;
mod pages;
mod parser;

pub(super) use batch::Batch;
pub(super) use documents::Documents;
pub use error::SourceError;
pub(super) use pages::Pages;

#[derive(Debug)]
pub(super) enum Source {
    /// A file or standard input.
    Documents(Documents),
    /// A registry.
    Pages(Pages),
}

impl Source {
    /// `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Batch>, SourceError> {
        match self {
            Self::Documents(documents) => documents.next().await,
            Self::Pages(pages) => pages.next().await,
        }
    }

    /// The number of all entries, where it is known.
    pub(super) fn total(&self) -> Option<u64> {
        match self {
            Self::Documents(documents) => documents.total(),
            Self::Pages(_) => None,
        }
    }
}
