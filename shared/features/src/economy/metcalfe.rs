//! The value of the network, by this formula: V = k N^a (100 C)^b (100 O)^g (F + 0.5)^d. [`Network`] explains N, C, O and F.
//! The formula comes from the original registry, an earlier system with the same API.

use super::rounded;
use crate::prelude::*;

/// What the value is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Network {
    /// Live listings.
    #[serde(rename = "N")]
    pub listings: f64,
    /// The number of pairs used together, per Live listing, from 0 to 1.
    #[serde(rename = "C")]
    pub compositions: f64,
    /// The number of reported outcomes per Live listing, from 0 to 1.
    #[serde(rename = "O")]
    pub outcomes: f64,
    /// Federation peers.
    #[serde(rename = "F")]
    pub peers: f64,
    /// Whether the exponents of a dense network are used (`hyper_mode` of `hyper_index`).
    pub dense: bool,
}

/// The exponents and the factor of the formula.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Exponents {
    /// The exponent of N (listings).
    pub a: f64,
    /// The exponent of C (pairs used together).
    pub b: f64,
    /// The exponent of O (reported outcomes).
    pub g: f64,
    /// The exponent of F (other registries).
    pub d: f64,
    /// The factor.
    pub k: f64,
}

/// The origin's exponents for any network and for a dense one.
const BASE: Exponents = Exponents { a: 1.15, b: 1.25, g: 1.2, d: 1.1, k: 1.0 };
const DENSE: Exponents = Exponents { a: 1.4, b: 1.6, g: 1.5, d: 1.35, k: 1.2 };

/// A value, and the inputs from which it was computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NetworkValue {
    /// The value. Use it only to compare two states of one registry. It is not an amount of money.
    pub value: f64,
    /// The inputs from which the value was computed.
    pub inputs: Network,
    /// The exponents and the factor.
    pub exponents: Exponents,
    /// The formula of the value.
    pub formula: &'static str,
}

const FORMULA: &str = "V = k * N^a * (100*C)^b * (100*O)^g * (F + 0.5)^d";

impl Network {
    pub fn valued(self) -> NetworkValue {
        NetworkValue { value: self.value(), inputs: self, exponents: self.exponents(), formula: FORMULA }
    }

    /// `part` divided by `listings`, 0 to 1.
    pub fn share(part: f64, listings: f64) -> f64 {
        if listings > 0.0 { rounded((part / listings).clamp(0.0, 1.0)) } else { 0.0 }
    }

    const fn exponents(&self) -> Exponents {
        if self.dense { DENSE } else { BASE }
    }

    fn value(&self) -> f64 {
        let Exponents { a, b, g, d, k } = self.exponents();
        let compositions = (100.0 * self.compositions).powf(b);
        let outcomes = (100.0 * self.outcomes).powf(g);
        rounded(k * self.listings.powf(a) * compositions * outcomes * (self.peers + 0.5).powf(d))
    }
}

#[cfg(test)]
mod tests;
