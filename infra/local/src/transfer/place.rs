//! A table: in the data file of a registry on one machine, or in AWS.

use std::path::PathBuf;

use aws_sdk_dynamodb::Client;
use registry::model::Clock;
use registry::store::{Store, StoreError, table};

use super::TransferError;
use super::aws::AwsAccess;
use crate::engine::{self, Data, Embedded};
use crate::lock::Lock;

/// Where a table is.
#[derive(Clone, Debug)]
pub enum Place {
    DataFile { path: PathBuf, table: String },
    Aws { access: AwsAccess, table: String },
}

/// An open table. No other process uses its data file.
pub(super) struct Opened {
    pub(super) store: Store,
    /// For messages, and to recognize the table.
    pub(super) name: String,
    _lock: Option<Lock>,
}

impl Place {
    pub(super) async fn open_source(&self) -> Result<Opened, TransferError> {
        if let Self::DataFile { path, .. } = self
            && !path.is_file()
        {
            return Err(TransferError::NoData(path.clone()));
        }
        Ok(self.open()?.0)
    }

    /// Creates the table if it does not exist.
    pub(super) async fn open_target(&self) -> Result<Opened, TransferError> {
        let (opened, client) = self.open()?;
        let created = table::ensure(&client, self.table()).await;
        created.map_err(|error| TransferError::Table(Box::new(error)))?;
        Ok(opened)
    }

    pub(super) fn failure(&self, error: StoreError) -> TransferError {
        match &error {
            StoreError::Fault(text) if text.contains("ResourceNotFoundException") => {
                TransferError::NoTable(self.table().to_owned())
            }
            _ => TransferError::Store(error),
        }
    }

    fn table(&self) -> &str {
        match self {
            Self::DataFile { table, .. } | Self::Aws { table, .. } => table,
        }
    }

    fn open(&self) -> Result<(Opened, Client), TransferError> {
        let (client, name, lock) = match self {
            Self::DataFile { path, .. } => {
                let data = Embedded::open(&Data::File(path.clone()), &Clock::System)?;
                (engine::client(data), format!("the data file {}", path.display()), Some(Lock::on(path)?))
            }
            Self::Aws { access, table } => {
                (access.client()?, format!("the table {table} in {}", access.region()), None)
            }
        };
        let store = Store::new(client.clone(), self.table());
        Ok((Opened { store, name, _lock: lock }, client))
    }
}
