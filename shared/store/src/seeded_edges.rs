//! Compositions that the operator proposes: faint edges that were used no time yet, so that their count of 0 tells them from
//! those that were. Written once; what is there already is left as it is.

use super::attributes::s;
use super::client::Store;
use super::deposit::add_scaled;
use super::error::StoreError;
use super::expression::Expression;
use super::trail_edges::{ALL, INTENSITY, edges_of, ordered};
use super::trails::place_text;
use super::transaction::{Outcome, Transaction};
use super::{keys, table};
use registry_model::{Decay, ListingId, Moment};

/// How strong a seeded edge is: far less than one use adds.
const FAINT: f64 = 1.0;

impl Store {
    /// Writes a faint edge between two listings; false where there is one already.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn seed_edge(
        &self,
        (one, other): (&ListingId, &ListingId),
        now: Moment,
    ) -> Result<bool, StoreError> {
        let (a, b) = ordered(one.clone(), other.clone());
        let place = place_text(Decay::MARK.place(FAINT, now).unwrap_or(0.0));
        let change = |at: &ListingId| {
            let [pk, sk] = table::SHOWN.key;
            add_scaled(Expression::default(), INTENSITY, Decay::MARK, FAINT, now)
                .set("last_at", s(now.to_string()))
                .set(pk, s(edges_of(at)))
                .set(sk, s(&place))
                .only_if("attribute_not_exists(pk)", [], [])
        };
        let [pk, sk] = table::DUE.key;
        let mut transaction = Transaction::default();
        self.update(&mut transaction, &keys::edge(&a, &b), &change(&a).set(pk, s(ALL)).set(sk, s(&place)))?;
        self.update(&mut transaction, &keys::edge(&b, &a), &change(&b))?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}
