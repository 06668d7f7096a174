//! Moves all data of a registry to another table: `registry operator export` writes all items of a table to one encrypted
//! file, and `registry operator import` reads it into an empty table. Each of the two tables is in a data file or in AWS.
//! Both commands read and write one page at a time. Both can be started again after an interruption: an export continues
//! the unfinished file, an import continues after the last page that the target recorded.

mod aws;
mod export;
mod file;
mod import;
mod passphrase;
mod place;

use std::path::PathBuf;

use registry::store::StoreError;

use crate::engine::EngineError;
use crate::lock::LockError;

pub use aws::{AwsAccess, AwsAccessError};
pub use export::{Exported, export};
pub use file::FileError;
pub use import::{Imported, import};
pub use passphrase::{Passphrase, PassphraseError};
pub use place::Place;

/// Why an export or an import stopped.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("there is no data file at {0}; set --data or DATA, or --aws-table")]
    NoData(PathBuf),
    #[error(
        "there is no table {0}; set --aws-table to the name of the table of the registry, and AWS_REGION to its region"
    )]
    NoTable(String),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("cannot open the data: {0}")]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Aws(#[from] AwsAccessError),
    #[error("cannot create the table: {0}")]
    Table(Box<aws_sdk_dynamodb::Error>),
    #[error("{0}; run the same command again, it continues where it stopped")]
    Store(StoreError),
    #[error("{0} exists already; choose another name, or remove the file")]
    Exists(PathBuf),
    /// The unfinished export is of another table.
    #[error(
        "{file} is an unfinished export of {found}, not of {wanted}; remove the file, or choose another name"
    )]
    OtherExport { file: PathBuf, found: String, wanted: String },
    #[error("an import into {0} is not complete; complete it before you export this table")]
    UnfinishedSource(String),
    #[error("{0} contains items already; import into a table or a data file that is empty or does not exist")]
    NotEmpty(String),
    /// The target contains a part of another export.
    #[error(
        "{0} contains a part of another file; import that file again, or delete the table or the data file and start again"
    )]
    OtherImport(String),
    #[error(
        "the private key of the evidence log is in AWS KMS and cannot leave it; if the registry at the target may use \
         the same keys, add --keep-service-keys (infra/README.md, \"Move to another table\")"
    )]
    LogKeyInService,
}

#[cfg(test)]
mod tests;
