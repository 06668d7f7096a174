use aws_sdk_secretsmanager::config::{BehaviorVersion, Credentials, Region};
use axum::Json;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::*;

/// Answers as Secrets Manager does. Only the secret `changed` has a previous value.
async fn answer(request: String) -> (StatusCode, Json<Value>) {
    let request: Value = serde_json::from_str(&request).unwrap();
    let is_previous = request["VersionStage"] == "AWSPREVIOUS";
    if is_previous && request["SecretId"] != "changed" {
        return (StatusCode::BAD_REQUEST, Json(json!({ "__type": "ResourceNotFoundException" })));
    }
    let value = if is_previous { "old" } else { "new" };
    (StatusCode::OK, Json(json!({ "SecretString": value })))
}

#[tokio::test]
async fn only_the_secret_of_the_proxy_has_a_previous_value() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let server = axum::Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, server).await });
    let client = || {
        let config = aws_sdk_secretsmanager::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .endpoint_url(&endpoint)
            .http_client(aws_smithy_http_client::Builder::new().build_http());
        Client::from_conf(config.build())
    };
    for (name, expected) in [("changed", "new,old"), ("first", "new")] {
        let lookup = |variable: &str| {
            matches!(variable, "PROXY_SECRET_FROM" | "OPERATOR_TOKEN_FROM").then(|| name.to_owned())
        };
        let values = Secrets::from_env(client, lookup).unwrap().read().await.unwrap();
        let of = |setting: &str| values[setting].as_str();
        assert_eq!((of("PROXY_SECRET"), of("OPERATOR_TOKEN")), (expected, "new"));
    }
}
