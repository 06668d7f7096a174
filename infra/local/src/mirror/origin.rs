//! Parses the source of a mirror from the command line. Two kinds of URLs are refused at the start: `http`
//! URLs of other machines, and URLs with a password.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

use super::http_client::is_loopback;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Stdin,
    /// A JSON or JSON Lines file.
    File(PathBuf),
    /// The list of a registry with the official API, such as `https://host/v0.1/servers`.
    Registry(Url),
    /// The list of the dumps of a registry, such as `https://host/dumps.json`.
    Dump(Url),
}

/// Why a source is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    #[error("invalid URL: {0}")]
    NotAUrl(#[from] url::ParseError),
    /// Plain http to another machine: anyone on the network path could change the documents.
    #[error("use https for other machines; http is only allowed for loopback")]
    NotHttps,
    /// It contains a user name or password, which would be written to logs and the state file.
    #[error("remove the user name and password from the URL")]
    UserInfo,
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        match text {
            "-" => Ok(Self::Stdin),
            _ if text.starts_with("https://") || text.starts_with("http://") => {
                let url = checked(Url::parse(text)?)?;
                let is_dump = url.path().ends_with("/dumps.json");
                Ok(if is_dump { Self::Dump(url) } else { Self::Registry(list_url(url)) })
            }
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => formatter.write_str("standard input"),
            Self::File(path) => path.display().fmt(formatter),
            Self::Registry(list) | Self::Dump(list) => list.fmt(formatter),
        }
    }
}

fn checked(mut url: Url) -> Result<Url, OriginError> {
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(OriginError::NotHttps);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(OriginError::UserInfo);
    }
    url.set_fragment(None);
    Ok(url)
}

/// Accepts the URL of a registry, of an API version or of the list itself.
fn list_url(mut url: Url) -> Url {
    let path = url.path().trim_end_matches('/').to_owned();
    let last = path.rsplit('/').next().unwrap_or_default();
    let versioned = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let list = match last {
        "servers" => path,
        _ if versioned => format!("{path}/servers"),
        _ => format!("{path}/v0.1/servers"),
    };
    url.set_path(&list);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> String {
        match text.parse() {
            Ok(Origin::Registry(url)) => url.to_string(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn base_url_and_url_of_the_list_give_the_same_list() {
        for text in [
            "https://registry.example.com",
            "https://registry.example.com/",
            "https://registry.example.com/v0.1",
            "https://registry.example.com/v0.1/servers",
            "https://registry.example.com/v0.1/servers/",
        ] {
            assert_eq!(list(text), "https://registry.example.com/v0.1/servers");
        }
        assert_eq!(list("https://a.example/v0/servers?search=x"), "https://a.example/v0/servers?search=x");
        assert_eq!(list("https://a.example/sub"), "https://a.example/sub/v0.1/servers");
    }

    #[test]
    fn url_of_the_list_of_dumps_is_the_source_of_a_dump() {
        let url = "https://registry.example.com/dumps.json";
        assert_eq!(url.parse(), Ok(Origin::Dump(url.parse().unwrap())));
        assert_eq!("http://10.0.0.7/dumps.json".parse::<Origin>(), Err(OriginError::NotHttps));
    }

    #[test]
    fn plain_http_is_allowed_only_for_loopback() {
        let refused = |text: &str| text.parse::<Origin>().unwrap_err();
        assert_eq!(refused("http://registry.example.com"), OriginError::NotHttps);
        assert_eq!(refused("http://10.0.0.7:8080"), OriginError::NotHttps);
        assert_eq!(refused("https://user:word@registry.example.com"), OriginError::UserInfo);
        assert!(matches!(refused("https://"), OriginError::NotAUrl(_)));
        for text in ["http://127.0.0.1:8080", "http://[::1]:1", "http://localhost:8080"] {
            assert!(list(text).ends_with("/v0.1/servers"));
        }
    }

    #[test]
    fn text_that_is_not_a_url_is_a_file_path() {
        assert_eq!("-".parse(), Ok(Origin::Stdin));
        assert_eq!("servers.jsonl".parse(), Ok(Origin::File("servers.jsonl".into())));
    }
}
