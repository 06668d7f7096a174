//! The AWS clients of a Lambda function. They are made from the environment without `aws-config`, which
//! halves the binary size and the start time. Only Amazon's own root certificates are trusted. So a cold
//! start does not read the certificate store of the machine.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::BehaviorVersion;
use aws_smithy_async::rt::sleep::{SharedAsyncSleep, TokioSleep};
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;

use crate::kms::Kms;
use crate::secrets::{SecretError, Secrets};
use registry_app::App;
use registry_app::private_key::KeyService;
use registry_model::{Clock, Random};
use registry_settings::{Mode, SettingError, Settings};
use registry_store::Store;
use registry_store::events::Bus;

/// Amazon Root CA 1-4 and the Starfield root that AWS endpoints chain to (Amazon Trust Services).
const AMAZON_ROOTS: &str = include_str!("aws/amazon-roots.pem");

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error("{0} is not set; Lambda sets it in the environment of every function")]
    Missing(&'static str),
}

/// Reads settings, secrets, credentials and region. Returns the app of a Lambda function in public mode, and the secrets
/// among its settings.
pub(super) async fn start() -> Result<(App, Option<Secrets>), StartError> {
    let aws = LambdaEnvironment::from_env(from_environment)?;
    let secrets = Secrets::from_env(
        || aws_sdk_secretsmanager::Client::new(&aws.of("SECRETS_MANAGER")),
        from_environment,
    );
    let settings = settings(secrets.as_ref()).await?;
    let dynamodb = aws_sdk_dynamodb::Client::new(&aws.of("DYNAMODB"));
    let store = Store::of_many_writers(dynamodb, &settings.table_name, Clock::System);
    let bus = match &settings.bus_name {
        Some(name) => {
            let client = aws_sdk_eventbridge::Client::new(&aws.of("EVENTBRIDGE"));
            Bus::EventBridge(client, name.as_str().into())
        }
        None => Bus::Silent,
    };
    let keys = [&settings.signing_key_id, &settings.message_key_id, &settings.log_key_id];
    let has_keys = keys.into_iter().any(Option::is_some);
    let key_service =
        has_keys.then(|| Arc::new(Kms::new(aws_sdk_kms::Client::new(&aws.of("KMS")))) as Arc<dyn KeyService>);
    let app = App::new(settings, store, bus, Clock::System, Random::System).with_key_service(key_service);
    Ok((app, secrets))
}

/// The settings with the present values of the secrets.
pub(super) async fn settings(secrets: Option<&Secrets>) -> Result<Settings, StartError> {
    let values = match secrets {
        Some(secrets) => secrets.read().await?,
        None => HashMap::new(),
    };
    let lookup = |name: &str| values.get(name).cloned().or_else(|| from_environment(name));
    let mut settings = Settings::from_env(Mode::Public, lookup)?;
    settings.canary = true;
    // Log lines cost more than most requests, and the access log of the HTTP API contains every request.
    settings.request_log_sample = 100;
    Ok(settings)
}

fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What the clients of a function have in common, from the variables that Lambda sets for every function.
pub(super) struct LambdaEnvironment<L> {
    lookup: L,
    shared: SdkConfig,
}

impl<L: Fn(&str) -> Option<String>> LambdaEnvironment<L> {
    pub(super) fn from_env(lookup: L) -> Result<Self, StartError> {
        let need = |name: &'static str| lookup(name).ok_or(StartError::Missing(name));
        let region = Region::new(need("AWS_REGION")?);
        let (id, secret) = (need("AWS_ACCESS_KEY_ID")?, need("AWS_SECRET_ACCESS_KEY")?);
        let credentials = Credentials::new(id, secret, lookup("AWS_SESSION_TOKEN"), None, "environment");
        // Three attempts within a second; then the caller gets an error that says when to retry.
        let retries = RetryConfig::standard().with_max_attempts(3);
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(1))
            .operation_attempt_timeout(Duration::from_secs(2))
            .operation_timeout(Duration::from_secs(5));
        let shared = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(region)
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .http_client(https())
            .sleep_impl(SharedAsyncSleep::new(TokioSleep::new()))
            .retry_config(retries.with_initial_backoff(Duration::from_millis(50)))
            .timeout_config(timeouts.build())
            .build();
        Ok(Self { lookup, shared })
    }

    /// The configuration of the client of a service, which may have an endpoint of its own.
    fn of(&self, service: &str) -> SdkConfig {
        let mut config = self.shared.to_builder();
        config.set_endpoint_url((self.lookup)(&format!("AWS_ENDPOINT_URL_{service}")));
        config.build()
    }
}

fn https() -> SharedHttpClient {
    const END: &str = "-----END CERTIFICATE-----";
    let roots = AMAZON_ROOTS
        .split_inclusive(END)
        .filter(|certificate| certificate.contains(END))
        .fold(TrustStore::empty(), |store, certificate| store.with_pem_certificate(certificate.trim()));
    let builder = aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring));
    match TlsContext::builder().with_trust_store(roots).build() {
        Ok(context) => builder.tls_context(context).build_https(),
        Err(_) => builder.build_https(),
    }
}
