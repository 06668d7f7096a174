//! A store whose table is a function, for tests.

use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use serde_json::Value;

use super::Store;

#[derive(Clone)]
struct FakeTable(Arc<dyn Fn(&Value) -> Value + Send + Sync>);

impl fmt::Debug for FakeTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FakeTable")
    }
}

impl HttpClient for FakeTable {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for FakeTable {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let request = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let answer = SdkBody::from((self.0)(&request).to_string());
        let mut response = HttpResponse::new(StatusCode::try_from(200).unwrap(), answer);
        response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
        HttpConnectorFuture::ready(Ok(response))
    }
}

/// `answer` gets the body of each request.
pub(crate) fn store(answer: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Store {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .retry_config(RetryConfig::disabled())
        .http_client(FakeTable(Arc::new(answer)))
        .build();
    Store::new(aws_sdk_dynamodb::Client::from_conf(config), "t")
}
