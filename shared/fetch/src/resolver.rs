//! Resolves the host name once for each connection, and checks every address in the answer. The HTTP client
//! gets only these checked addresses. So it cannot resolve the name again and get other addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use dns_lookup::LookupErrorKind;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use tokio::sync::Semaphore;

use super::address::is_public;
use super::failure::FetchError;
use super::target::{TargetError, is_localhost};
use registry_model::Reach;

const MAX_ADDRESSES: usize = 8;

/// Each lookup blocks a thread, for as long as the name servers of a stranger take. The rest of the runtime's 512 threads
/// stays free for other work.
static LOOKUPS: Semaphore = Semaphore::const_new(128);

/// Looks up all addresses of a name; the call blocks. This is a value, so that tests can replace the DNS.
pub(super) type Lookup = fn(&str) -> Result<Vec<IpAddr>, FetchError>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Resolver {
    pub(super) reach: Reach,
    pub(super) lookup: Lookup,
}

impl Resolver {
    pub(super) async fn addresses(self, name: &str) -> Result<Vec<IpAddr>, FetchError> {
        if self.reach == Reach::Development && is_localhost(name) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        // The dot at the end keeps the search list of the machine's own network out of it.
        let absolute = format!("{name}.");
        let lookup = self.lookup;
        // The place stays taken until the lookup ends, even if the caller has stopped waiting.
        let place = LOOKUPS.acquire().await.map_err(|_| FetchError::NameUnresolved)?;
        let lookup = move || {
            let _place = place;
            lookup(&absolute)
        };
        let addresses =
            tokio::task::spawn_blocking(lookup).await.unwrap_or(Err(FetchError::NameUnresolved))?;
        check_addresses(addresses)
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
fn check_addresses(mut addresses: Vec<IpAddr>) -> Result<Vec<IpAddr>, FetchError> {
    if addresses.is_empty() {
        return Err(FetchError::NameNotFound);
    }
    if !addresses.iter().copied().all(is_public) {
        return Err(TargetError::PrivateAddress.into());
    }
    addresses.truncate(MAX_ADDRESSES);
    Ok(addresses)
}

/// "No such name" and "no answer" are kept apart, because the owner can fix only the first.
pub(super) fn system_lookup(name: &str) -> Result<Vec<IpAddr>, FetchError> {
    let addresses = dns_lookup::lookup_host(name).map_err(|error| failure(error.kind()))?;
    Ok(addresses.collect())
}

const fn failure(kind: LookupErrorKind) -> FetchError {
    match kind {
        LookupErrorKind::NoName | LookupErrorKind::NoData => FetchError::NameNotFound,
        _ => FetchError::NameUnresolved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(texts: &[&str]) -> Vec<IpAddr> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn fetch_resolver_refuses_an_answer_with_a_private_address() {
        let blocked = Err(FetchError::Blocked(TargetError::PrivateAddress));
        for texts in [
            &["10.0.0.1"][..],
            &["8.8.8.8", "127.0.0.1"],
            &["169.254.169.254", "8.8.8.8"],
            &["2606:4700::1", "::ffff:10.0.0.1"],
            &["8.8.8.8", "1.1.1.1", "fd00:ec2::254"],
            &[
                "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1", "1.1.1.1",
                "10.0.0.1",
            ],
        ] {
            assert_eq!(check_addresses(all(texts)), blocked, "{texts:?}");
        }
    }

    #[test]
    fn fetch_resolver_returns_public_answers_unchanged() {
        let answer = all(&["8.8.8.8", "2606:4700::1"]);
        assert_eq!(check_addresses(answer.clone()), Ok(answer));
        assert_eq!(check_addresses(vec![]), Err(FetchError::NameNotFound));
        assert_eq!(check_addresses(all(&["8.8.8.8"; 300])).unwrap().len(), MAX_ADDRESSES);
    }

    #[test]
    fn fetch_resolver_distinguishes_an_unknown_name_from_a_failed_lookup() {
        assert_eq!(failure(LookupErrorKind::NoName), FetchError::NameNotFound);
        assert_eq!(failure(LookupErrorKind::NoData), FetchError::NameNotFound);
        assert_eq!(failure(LookupErrorKind::Again), FetchError::NameUnresolved);
        assert_eq!(failure(LookupErrorKind::System), FetchError::NameUnresolved);
    }

    #[tokio::test]
    async fn fetch_resolver_never_sends_localhost_to_the_dns() {
        let resolver =
            Resolver { reach: Reach::Development, lookup: |_| Ok(vec![Ipv4Addr::new(10, 0, 0, 1).into()]) };
        assert_eq!(resolver.addresses("a.localhost").await.unwrap(), all(&["127.0.0.1", "::1"]));
        let public = Resolver { reach: Reach::Public, ..resolver };
        assert_eq!(public.addresses("localhost").await, Err(TargetError::PrivateAddress.into()));
    }

    #[tokio::test]
    async fn fetch_resolver_looks_up_absolute_names() {
        let lookup: Lookup = |name| {
            if name == "a.example.org." { Ok(vec![Ipv4Addr::new(8, 8, 8, 8).into()]) } else { Ok(vec![]) }
        };
        let resolver = Resolver { reach: Reach::Public, lookup };
        assert_eq!(resolver.addresses("a.example.org").await, Ok(all(&["8.8.8.8"])));
    }
}
