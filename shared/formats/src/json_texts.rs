//! Visits the texts of a JSON document: its values, and the names of members.

use serde_json::Value;

/// A step from a value to one that it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment<'d> {
    Member(&'d str),
    Item(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Value,
    /// The name of a member of the object at the path.
    MemberName,
}

/// Calls `found` with the path, each text there, and its role. The recursion is as deep as the document, whose depth the
/// JSON reader limits.
pub(crate) fn visit<'d>(
    value: &'d Value,
    path: &mut Vec<Segment<'d>>,
    found: &mut impl FnMut(&[Segment<'d>], &'d str, Role),
) {
    match value {
        Value::String(text) => found(path, text, Role::Value),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Segment::Item(index));
                visit(item, path, found);
                path.pop();
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                found(path, name, Role::MemberName);
                path.push(Segment::Member(name));
                visit(member, path, found);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
