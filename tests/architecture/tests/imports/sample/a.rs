//! Uses the others.

use crate::b::Inner;
use crate::c::Renamed as Other;

fn one() -> Other {
    let _inner = Inner;
    crate::b::by_path();
    println!("{}", crate::b::in_a_macro());
    Other
}

#[cfg(test)]
mod tests {
    use crate::lib::nothing_of_a_test_counts;
}
