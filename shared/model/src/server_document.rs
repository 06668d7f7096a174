//! A version of a server description (`server.json`) as its publisher sent it. The registry API returns it whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Moment;

string_enum! {
    /// What its publisher says of a version of a server. The registry API knows `deleted`, too; a listing is deleted when
    /// it is withdrawn.
    pub enum ServerStatus {
        Active = "active",
        /// Works, but should not be used any more.
        Deprecated = "deprecated",
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerDocument {
    /// The description without the `_meta` of registries.
    pub server: Map<String, Value>,
    pub status: ServerStatus,
    /// Counts the versions of a listing, from 0.
    pub number: u32,
    /// When this version was published first.
    pub published_at: Moment,
    pub updated_at: Moment,
}

/// A package that a client installs to run the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Package {
    /// Such as `npm` or `oci`.
    pub registry_type: String,
    pub identifier: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

string_enum! {
    /// What the registry of a package says about it.
    #[derive(JsonSchema)]
    pub enum PackageState {
        /// The package exists, and its metadata contains the name of the server.
        Named = "named",
        /// Its metadata does not contain the name of the server.
        Unnamed = "unnamed",
        Missing = "missing",
        /// Its registry did not answer.
        Unreached = "unreached",
        /// This registry does not check packages of this type.
        Unchecked = "unchecked",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedPackage {
    #[serde(flatten)]
    pub package: Package,
    pub state: PackageState,
}

impl ServerDocument {
    /// The packages, each with its whole description.
    pub fn packages(&self) -> Vec<(Package, Value)> {
        let packages = self.server.get("packages").and_then(Value::as_array).into_iter().flatten();
        let read = |package: &Value| {
            let member = |name: &str| package.get(name).and_then(Value::as_str).map(str::to_owned);
            let read = Package {
                registry_type: member("registryType")?,
                identifier: member("identifier")?,
                version: member("version"),
            };
            Some((read, package.clone()))
        };
        packages.filter_map(read).collect()
    }

    pub fn version(&self) -> &str {
        self.server.get("version").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the publisher sent the same thing.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.server == other.server && self.status == other.status
    }
}
