//! Access to a table in AWS, with the credentials of the environment. Requests go through the HTTP client of the mirror, so
//! that the program needs no second one.

use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use http::Method;
use url::Url;

use crate::mirror::http_client;

/// Attempts at a request before the command stops; a table on demand needs time to grow.
const MAX_ATTEMPTS: u32 = 10;

/// Why AWS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AwsAccessError {
    #[error(
        "{0} is not set; set AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for temporary credentials, \
         AWS_SESSION_TOKEN (`aws configure export-credentials --format env` prints the last three)"
    )]
    Missing(&'static str),
    #[error("AWS_ENDPOINT_URL_DYNAMODB is not a URL: {0}")]
    Endpoint(url::ParseError),
    #[error("cannot make an HTTP client: {0}")]
    Client(String),
}

/// Region, credentials and endpoint.
#[derive(Clone)]
pub struct AwsAccess {
    region: String,
    credentials: Credentials,
    endpoint: Url,
}

impl fmt::Debug for AwsAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwsAccess").field("endpoint", &self.endpoint.as_str()).finish_non_exhaustive()
    }
}

impl AwsAccess {
    /// Reads the variables that AWS's own tools use.
    ///
    /// # Errors
    /// See [`AwsAccessError`].
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Result<Self, AwsAccessError> {
        let variable = |name: &str| variable(name).filter(|text| !text.is_empty());
        let need = |name: &'static str| variable(name).ok_or(AwsAccessError::Missing(name));
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        let region = region.ok_or(AwsAccessError::Missing("AWS_REGION"))?;
        let credentials = Credentials::new(
            need("AWS_ACCESS_KEY_ID")?,
            need("AWS_SECRET_ACCESS_KEY")?,
            variable("AWS_SESSION_TOKEN"),
            None,
            "environment",
        );
        let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        let endpoint = variable("AWS_ENDPOINT_URL_DYNAMODB")
            .unwrap_or_else(|| format!("https://dynamodb.{region}.{suffix}"));
        let endpoint = Url::parse(&endpoint).map_err(AwsAccessError::Endpoint)?;
        Ok(Self { region, credentials, endpoint })
    }

    pub(super) fn region(&self) -> &str {
        &self.region
    }

    pub(super) fn client(&self) -> Result<aws_sdk_dynamodb::Client, AwsAccessError> {
        let http = http_client::client(&self.endpoint, 0).map_err(AwsAccessError::Client)?;
        let retries = RetryConfig::standard().with_max_attempts(MAX_ATTEMPTS);
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.region.clone()))
            .credentials_provider(self.credentials.clone())
            .endpoint_url(self.endpoint.as_str())
            .retry_config(retries.with_initial_backoff(Duration::from_millis(200)))
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .http_client(Http(http))
            .build();
        Ok(aws_sdk_dynamodb::Client::from_conf(config))
    }
}

/// The mirror's HTTP client as an HTTP client of the SDK.
#[derive(Clone, Debug)]
struct Http(reqwest::Client);

impl HttpClient for Http {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Http {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let Self(client) = self.clone();
        HttpConnectorFuture::new(async move {
            let method: Method = request
                .method()
                .parse()
                .map_err(|error: http::method::InvalidMethod| ConnectorError::user(error.into()))?;
            let mut sent = client.request(method, request.uri());
            for (name, value) in request.headers() {
                sent = sent.header(name, value);
            }
            let body = request.body().bytes().unwrap_or_default().to_vec();
            let answer = sent.body(body).send().await.map_err(failure)?;
            let status = StatusCode::try_from(answer.status().as_u16());
            let status = status.map_err(|error| ConnectorError::other(error.into(), None))?;
            let headers = answer.headers().clone();
            let body = answer.bytes().await.map_err(failure)?;
            let mut response = HttpResponse::new(status, SdkBody::from(body.to_vec()));
            for (name, value) in &headers {
                if let Ok(value) = value.to_str() {
                    response.headers_mut().append(name.as_str().to_owned(), value.to_owned());
                }
            }
            Ok(response)
        })
    }
}

fn failure(error: reqwest::Error) -> ConnectorError {
    if error.is_timeout() { ConnectorError::timeout(error.into()) } else { ConnectorError::io(error.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_requires_region_and_credentials() {
        let all = ["AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
        let read = |names: &[&str]| {
            AwsAccess::from_env(|name| names.contains(&name).then(|| "eu-west-1".to_owned()))
        };
        let access = read(&all).unwrap();
        assert_eq!(access.endpoint.as_str(), "https://dynamodb.eu-west-1.amazonaws.com/");
        assert!(!format!("{access:?}").contains("Secret"), "{access:?}");
        for missing in all {
            let rest: Vec<&str> = all.into_iter().filter(|name| *name != missing).collect();
            let error = read(&rest).unwrap_err().to_string();
            assert!(error.contains(&missing.replace("DEFAULT_", "")), "{error}");
        }
    }
}
