//! The TXT records of a name, asked of the name servers that the process is set to. What they answer is a stranger's:
//! little of it is taken, within a time, and nothing is remembered, so that a record counts as soon as it stands.

use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RData, Record};
use tokio::time::timeout;

use super::target::TargetError;
use registry_model::{Moment, NameServers};

/// How many records are taken; the protocol bounds an answer, and so each of them, to 64 KiB.
const MAX_RECORDS: usize = 100;

/// Why the TXT records of a name are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TxtError {
    /// The name breaks a rule of design §5 SSRF.
    #[error(transparent)]
    Blocked(#[from] TargetError),
    /// It is turned off, or the system has no resolver configuration.
    #[error("This registry has no name server to ask.")]
    NoNameServer,
    /// Nothing usable came in time.
    #[error("The DNS gave no usable answer. Check the name servers of the domain, or try again later.")]
    NoAnswer,
}

/// What the DNS holds at this registry's own names, as one process keeps it for a while.
#[derive(Clone, Debug)]
pub struct OwnRecords {
    /// When it was asked.
    pub asked_at: Moment,
    /// At its domain.
    pub at_domain: Result<Vec<String>, TxtError>,
    /// At `_mcp.` before its domain.
    pub at_mcp: Result<Vec<String>, TxtError>,
}

/// The TXT records that stand at `name` itself, each as one text. An alias (CNAME) is not followed, for its target is
/// another's name.
pub(super) async fn records(
    name: &str,
    servers: NameServers,
    deadline: Duration,
) -> Result<Vec<String>, TxtError> {
    // The dot at the end keeps the search list of the machine's own network out of it.
    let name = Name::from_ascii(format!("{name}.")).map_err(|_| TargetError::BadName)?;
    let resolver = resolver(servers).ok_or(TxtError::NoNameServer)?;
    match timeout(deadline, resolver.txt_lookup(name.clone())).await {
        Ok(Ok(lookup)) => {
            let texts = lookup.answers().iter().filter(|record| record.name == name).filter_map(text);
            Ok(texts.take(MAX_RECORDS).collect())
        }
        Ok(Err(error)) if error.is_no_records_found() => Ok(Vec::new()),
        Ok(Err(_)) | Err(_) => Err(TxtError::NoAnswer),
    }
}

/// The strings of a TXT record joined, as they were one before they were cut to the length that a string may have.
fn text(record: &Record) -> Option<String> {
    let RData::TXT(txt) = &record.data else { return None };
    Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned())
}

/// A resolver for one question: proofs are rare, and a connection kept would not outlive the pauses of a function.
fn resolver(servers: NameServers) -> Option<TokioResolver> {
    let mut builder = match servers {
        NameServers::Off => return None,
        NameServers::System => TokioResolver::builder_tokio().ok()?,
        NameServers::Only(address) => {
            let mut ways = vec![ConnectionConfig::udp(), ConnectionConfig::tcp()];
            for way in &mut ways {
                way.port = address.port();
            }
            let server = NameServerConfig::new(address.ip(), true, ways);
            let config = ResolverConfig::from_name_servers(vec![server]);
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        }
    };
    let options: &mut ResolverOpts = builder.options_mut();
    options.cache_size = 0;
    options.edns0 = true;
    options.use_hosts_file = ResolveHosts::Never;
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PREFLIGHT;

    #[tokio::test]
    async fn fetch_txt_no_name_server_is_no_record() {
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
