//! Builds update expressions and conditions. Names and values are always passed as placeholders, because an
//! attribute name may be a reserved word of DynamoDB.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{n, ttl};
use registry_model::Moment;

#[derive(Clone, Debug, Default)]
pub(crate) struct Expression {
    sets: Vec<String>,
    adds: Vec<String>,
    removes: Vec<String>,
    conditions: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Expression {
    pub(crate) fn set(mut self, name: &str, value: AttributeValue) -> Self {
        let (name, value) = (self.name(name), self.value(value));
        self.sets.push(format!("{name} = {value}"));
        self
    }

    /// DynamoDB may remove the item `seconds` after `at`.
    pub(crate) fn expires(self, at: Moment, seconds: i64) -> Self {
        let (name, value) = ttl(at, seconds);
        self.set(name, value)
    }

    /// Sets `name` to this value where it has none.
    pub(crate) fn set_once(mut self, name: &str, value: AttributeValue) -> Self {
        let (name, value) = (self.name(name), self.value(value));
        self.sets.push(format!("{name} = if_not_exists({name}, {value})"));
        self
    }

    /// Sets `name` to the value of `other`, or to this one where that has none.
    pub(crate) fn set_from(mut self, name: &str, other: &str, value: AttributeValue) -> Self {
        let (name, other, value) = (self.name(name), self.name(other), self.value(value));
        self.sets.push(format!("{name} = if_not_exists({other}, {value})"));
        self
    }

    pub(crate) fn set_all<N: AsRef<str>>(
        self,
        attributes: impl IntoIterator<Item = (N, AttributeValue)>,
    ) -> Self {
        attributes.into_iter().fold(self, |change, (name, value)| change.set(name.as_ref(), value))
    }

    /// Adds to the number in `name`, which is 0 where it is absent.
    pub(crate) fn add(mut self, name: &str, amount: impl Into<i64>) -> Self {
        let amount = amount.into();
        if amount != 0 {
            let (name, value) = (self.name(name), self.value(n(amount)));
            self.adds.push(format!("{name} {value}"));
        }
        self
    }

    /// Adds an amount with decimals to the number in `name`. Ten decimals, because the sums of trails have up to 28 digits
    /// before the point and DynamoDB stores 38.
    pub(crate) fn add_decimal(mut self, name: &str, amount: f64) -> Self {
        if amount != 0.0 {
            let (name, value) = (self.name(name), self.value(n(format!("{amount:.10}"))));
            self.adds.push(format!("{name} {value}"));
        }
        self
    }

    pub(crate) fn remove(mut self, name: &str) -> Self {
        let name = self.name(name);
        self.removes.push(name);
        self
    }

    pub(crate) fn remove_all<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().fold(self, Self::remove)
    }

    /// Requires `condition`, which may use these names and values, and all other conditions. An `OR` needs parentheses.
    pub(crate) fn only_if<const N: usize, const V: usize>(
        mut self,
        condition: &str,
        names: [(&str, &str); N],
        values: [(&str, AttributeValue); V],
    ) -> Self {
        self.conditions.push(condition.to_owned());
        self.names.extend(names.map(|(mark, name)| (mark.to_owned(), name.to_owned())));
        self.values.extend(values.map(|(mark, value)| (mark.to_owned(), value)));
        self
    }

    pub(crate) fn if_exists(self) -> Self {
        self.if_present("pk")
    }

    /// Requires that the item does not exist.
    pub(crate) fn if_absent(self) -> Self {
        self.if_missing("pk")
    }

    pub(crate) fn if_present(mut self, name: &str) -> Self {
        let name = self.name(name);
        self.only_if(&format!("attribute_exists({name})"), [], [])
    }

    pub(crate) fn if_missing(mut self, name: &str) -> Self {
        let name = self.name(name);
        self.only_if(&format!("attribute_not_exists({name})"), [], [])
    }

    pub(crate) fn if_equal(self, name: &str, value: AttributeValue) -> Self {
        self.if_is(name, "=", value)
    }

    /// Requires that `name` compares like this with `value`.
    pub(crate) fn if_is(mut self, name: &str, operator: &str, value: AttributeValue) -> Self {
        let (name, value) = (self.name(name), self.value(value));
        self.only_if(&format!("{name} {operator} {value}"), [], [])
    }

    pub(crate) fn if_missing_or(mut self, name: &str, operator: &str, value: AttributeValue) -> Self {
        let (name, value) = (self.name(name), self.value(value));
        self.only_if(&format!("(attribute_not_exists({name}) OR {name} {operator} {value})"), [], [])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.adds.is_empty() && self.removes.is_empty()
    }

    pub(crate) fn update(&self) -> String {
        [("SET", &self.sets), ("ADD", &self.adds), ("REMOVE", &self.removes)]
            .into_iter()
            .filter(|(_, parts)| !parts.is_empty())
            .map(|(word, parts)| format!("{word} {}", parts.join(", ")))
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(crate) fn condition(&self) -> Option<String> {
        (!self.conditions.is_empty()).then(|| self.conditions.join(" AND "))
    }

    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    pub(crate) fn values(&self) -> Option<HashMap<String, AttributeValue>> {
        (!self.values.is_empty()).then(|| self.values.clone())
    }

    fn name(&mut self, name: &str) -> String {
        let mark = format!("#a{}", self.names.len());
        self.names.insert(mark.clone(), name.to_owned());
        mark
    }

    fn value(&mut self, value: AttributeValue) -> String {
        let mark = format!(":a{}", self.values.len());
        self.values.insert(mark.clone(), value);
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::attributes::s;

    #[test]
    fn update_expression_uses_placeholders_for_names_and_values() {
        let expression =
            Expression::default().set("name", s("x")).add("used", 2).add("none", 0).remove("lease");
        assert_eq!(expression.update(), "SET #a0 = :a0 ADD #a1 :a1 REMOVE #a2");
        let held = Expression::default().add("used", 1).if_exists().if_missing_or("used", "<", n(3));
        let condition = "attribute_exists(#a1) AND (attribute_not_exists(#a2) OR #a2 < :a1)";
        assert_eq!(held.condition().as_deref(), Some(condition));
        assert_eq!(held.names().unwrap().len(), 3);
    }
}
