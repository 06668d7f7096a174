//! Reads secrets from AWS Secrets Manager, so that no secret is in the environment of a function. For a setting such as
//! `OPERATOR_TOKEN`, the variable `OPERATOR_TOKEN_FROM` contains the name of the secret. The secrets are read at the start
//! and then every few minutes, so that a new value needs no deployment.

use std::collections::HashMap;

use aws_sdk_secretsmanager::Client;
use jiff::SignedDuration;
use registry_model::error::Source;
use registry_settings::PROXY_SECRET;

/// How long a value is used before it is read again.
pub(super) const REFRESH: SignedDuration = SignedDuration::from_mins(5);

/// The secrets of a function, by the settings that they set.
#[derive(Debug)]
pub(super) struct Secrets {
    client: Client,
    names: Vec<(&'static str, String)>,
}

#[derive(Debug, thiserror::Error)]
#[error("the secret {name} of the setting {setting} cannot be read")]
pub struct SecretError {
    setting: &'static str,
    name: String,
    source: Source,
}

impl Secrets {
    /// `None` if no setting of this function comes from a secret.
    pub(super) fn from_env(
        client: impl FnOnce() -> Client,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Option<Self> {
        let name = |setting: &'static str| {
            let name = lookup(&format!("{setting}_FROM"))?.trim().to_owned();
            (!name.is_empty()).then_some((setting, name))
        };
        let names: Vec<_> = registry_settings::secrets().into_iter().filter_map(name).collect();
        (!names.is_empty()).then(|| Self { client: client(), names })
    }

    pub(super) async fn read(&self) -> Result<HashMap<&'static str, String>, SecretError> {
        let mut values = HashMap::new();
        for (setting, name) in &self.names {
            let failed = |source: Source| SecretError { setting, name: name.clone(), source };
            let answer = self.client.get_secret_value().secret_id(name).send().await;
            let answer = answer.map_err(|error| failed(error.into()))?;
            let mut value = answer.secret_string.ok_or_else(|| failed("it contains no text".into()))?;
            if *setting == PROXY_SECRET
                && let Some(previous) = self.previous(name).await.map_err(failed)?
            {
                value = format!("{value},{previous}");
            }
            values.insert(*setting, value);
        }
        Ok(values)
    }

    /// The value before the present one. `CloudFront` sends it until its next deployment.
    async fn previous(&self, name: &str) -> Result<Option<String>, Source> {
        let request = self.client.get_secret_value().secret_id(name).version_stage("AWSPREVIOUS");
        match request.send().await {
            Ok(answer) => Ok(answer.secret_string),
            Err(error) if error.as_service_error().is_some_and(|e| e.is_resource_not_found_exception()) => {
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests;
