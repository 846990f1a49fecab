//! Log odds, the unit of evaluations.

/// Returns the probability with these log odds: the logistic function.
pub fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_both_sides_sum_to_one() {
        for log_odds in [0.0, 0.3, 2.0, 20.0, 1_000.0] {
            assert!((sigmoid(log_odds) + sigmoid(-log_odds) - 1.0).abs() < 1e-12);
        }
        assert!((sigmoid(3.0f64.ln()) - 0.75).abs() < 1e-12);
        assert_eq!([sigmoid(1e6), sigmoid(-1e6)], [1.0, 0.0]);
    }
}
