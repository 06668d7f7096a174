//! The source of a mirror: a file, standard input, or the list or the dump of another registry. It is read in batches.

mod batch;
mod documents;
mod dump;
mod pages;
mod parser;

pub(super) use batch::Batch;
pub use batch::SourceError;
pub(super) use documents::Documents;
pub(super) use dump::Dump;
pub(super) use pages::Pages;

#[derive(Debug)]
pub(super) enum Source {
    /// A file or standard input.
    Documents(Documents),
    Pages(Pages),
    Dump(Box<Dump>),
}

impl Source {
    /// `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Batch>, SourceError> {
        match self {
            Self::Documents(documents) => documents.next().await,
            Self::Pages(pages) => pages.next().await,
            Self::Dump(dump) => dump.next().await,
        }
    }

    /// The number of all entries, if it is known.
    pub(super) fn total(&self) -> Option<u64> {
        match self {
            Self::Documents(documents) => documents.total(),
            Self::Pages(_) => None,
            Self::Dump(dump) => dump.total(),
        }
    }
}
