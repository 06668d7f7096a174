//! Looks up the TXT records of a name at the configured name servers. A stranger wrote the answer, so its
//! size and the time for it are limited. Nothing is cached, so that a new record is found immediately.

use std::time::Duration;

use hickory_resolver::config::ResolveHosts;
use hickory_resolver::proto::rr::{Name, RData, Record};
use tokio::time::timeout;

use super::resolver::dns_client;
use super::target::TargetError;
use registry_model::{Moment, NameServers};

/// The protocol limits a whole answer, and so each record, to 64 KiB.
const MAX_RECORDS: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TxtError {
    #[error(transparent)]
    Blocked(#[from] TargetError),
    /// Look-ups are turned off, or the system has no resolver configuration.
    #[error("This registry has no name server for TXT look-ups.")]
    NoNameServer,
    #[error("The DNS gave no usable answer. Check the name servers of the domain, or try again later.")]
    NoAnswer,
}

#[derive(Clone, Debug)]
pub struct OwnRecords {
    pub asked_at: Moment,
    pub at_domain: Result<Vec<String>, TxtError>,
    pub at_mcp: Result<Vec<String>, TxtError>,
}

/// The TXT records at `name` itself, one text each. A CNAME is not followed: its target is somebody else's name.
pub(super) async fn records(
    name: &str,
    servers: NameServers,
    deadline: Duration,
) -> Result<Vec<String>, TxtError> {
    // The dot at the end keeps the search list of the machine's own network out of it.
    let name = Name::from_ascii(format!("{name}.")).map_err(|_| TargetError::BadName)?;
    let resolver = dns_client(servers, ResolveHosts::Never).ok_or(TxtError::NoNameServer)?;
    match timeout(deadline, resolver.txt_lookup(name.clone())).await {
        Ok(Ok(lookup)) => {
            let texts = lookup.answers().iter().filter(|record| record.name == name).filter_map(text);
            Ok(texts.take(MAX_RECORDS).collect())
        }
        Ok(Err(error)) if error.is_no_records_found() => Ok(Vec::new()),
        Ok(Err(_)) | Err(_) => Err(TxtError::NoAnswer),
    }
}

/// Joins the strings of a record, which were split only because a string has a maximum length.
fn text(record: &Record) -> Option<String> {
    let RData::TXT(txt) = &record.data else { return None };
    Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PREFLIGHT;

    #[tokio::test]
    async fn fetch_finds_no_txt_record_without_a_name_server() {
        assert_eq!(records("example.com", NameServers::Off, PREFLIGHT).await, Err(TxtError::NoNameServer));
        // A port that was free a moment ago, where nothing answers now.
        let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let closed = NameServers::Only(taken);
        assert_eq!(records("example.com", closed, PREFLIGHT).await, Err(TxtError::NoAnswer));
        let overlong = "a".repeat(64);
        let bad = Err(TxtError::Blocked(TargetError::BadName));
        assert_eq!(records(&overlong, NameServers::Off, PREFLIGHT).await, bad);
    }
}
