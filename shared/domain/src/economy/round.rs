//! Numbers as they are shown: six places after the point, which hides what only a float has. Whoever recomputes an
//! answer from its `inputs` comes within that.

#[must_use]
pub fn rounded(number: f64) -> f64 {
    const PLACES: f64 = 1e6;
    let scaled = number * PLACES;
    if scaled.is_finite() { scaled.round() / PLACES } else { number }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn six_places_are_shown() {
        assert_eq!([0.1 + 0.2, 2.000_000_4, -1.234_567_8].map(rounded), [0.3, 2.0, -1.234_568]);
        assert_eq!(rounded(1e300), 1e300, "too large to have places");
    }
}
