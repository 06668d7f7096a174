//! Resolves the host name once for each connection, and checks every address in the answer. The HTTP client
//! gets only these checked addresses. So it cannot resolve the name again and get other addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::is_public;
use super::failure::FetchError;
use super::target::{TargetError, is_localhost};
use registry_model::{NameServers, Reach};

const MAX_ADDRESSES: usize = 8;

type Addresses = Result<Vec<IpAddr>, FetchError>;

/// Looks up all addresses of a name. This is a value, so that tests can replace the DNS.
pub(super) type Lookup = fn(String) -> Pin<Box<dyn Future<Output = Addresses> + Send>>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Resolver {
    pub(super) reach: Reach,
    pub(super) lookup: Lookup,
}

impl Resolver {
    pub(super) async fn addresses(self, name: &str) -> Addresses {
        if self.reach == Reach::Development && is_localhost(name) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        // The dot at the end keeps the search list of the machine's own network out of it.
        check_addresses((self.lookup)(format!("{name}.")).await?)
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = *self;
        Box::pin(async move {
            let addresses = resolver.addresses(name.as_str()).await?;
            // Port 0 stands for the port of the URL.
            Ok(Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}

/// Refuses the whole answer if one address is not public: a name that mixes both is an attack on this network.
fn check_addresses(mut addresses: Vec<IpAddr>) -> Addresses {
    if addresses.is_empty() {
        return Err(FetchError::NameNotFound);
    }
    if !addresses.iter().copied().all(is_public) {
        return Err(TargetError::PrivateAddress.into());
    }
    addresses.truncate(MAX_ADDRESSES);
    Ok(addresses)
}

/// Asks the name servers of the system, after its file of hosts.
pub(super) fn system_lookup(name: String) -> Pin<Box<dyn Future<Output = Addresses> + Send>> {
    Box::pin(async move { look_up(NameServers::System, &name).await })
}

/// "No such name" and "no answer" are kept apart, because the owner can fix only the first.
async fn look_up(servers: NameServers, name: &str) -> Addresses {
    let resolver = dns_client(servers, ResolveHosts::Auto).ok_or(FetchError::NameUnresolved)?;
    match resolver.lookup_ip(name).await {
        Ok(found) => Ok(found.iter().collect()),
        Err(error) if error.is_no_records_found() => Err(FetchError::NameNotFound),
        Err(_) => Err(FetchError::NameUnresolved),
    }
}

/// A client for one query: a kept connection would not survive the pauses of a function.
pub(super) fn dns_client(servers: NameServers, use_hosts_file: ResolveHosts) -> Option<TokioResolver> {
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
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = use_hosts_file;
    builder.build().ok()
}

#[cfg(test)]
mod tests;
