//! The trained network in whole numbers, as the engine reads it.

use tengen::eval::line_code::{PATTERNS, Pattern, RADIUS};
use tengen::eval::network::{
    REGION_SUM_ONE, REGION_WEIGHT_ONE, ROW_ONE, SUM_ONE, VIEW, WEIGHT_ONE, Weights,
};

use crate::model::Model;

/// Returns the rows and heads of a model, rounded.
pub fn quantized(model: &Model) -> Weights {
    let mut weights = Weights::zero(model.layout.views());
    let narrow = |number: f32, one: i32| (number * one as f32).round() as i16;
    let wide = |number: f32, one: i32| (number * one as f32).round() as i32;
    for index in 0..PATTERNS {
        let class = Pattern::from_index(index).class(RADIUS);
        let row = model.row(index);
        for (half, view) in weights.views.iter_mut().enumerate() {
            view[class] = std::array::from_fn(|i| narrow(row[half * VIEW + i], ROW_ONE));
        }
    }
    for (head, from) in weights.heads.iter_mut().zip(&model.heads) {
        head.region = from.region.map(|kind| kind.map(|o| o.map(|w| narrow(w, REGION_WEIGHT_ONE))));
        head.region_bias = from.region_bias.map(|kind| kind.map(|b| wide(b, REGION_SUM_ONE)));
        head.hidden1 = from.hidden1.map(|o| o.map(|w| narrow(w, WEIGHT_ONE)));
        head.bias1 = from.bias1.map(|b| wide(b, SUM_ONE));
        head.counts = from.counts.map(|levels| levels.map(|l| l.map(|b| wide(b, SUM_ONE))));
        head.hidden2 = from.hidden2.map(|o| o.map(|w| narrow(w, WEIGHT_ONE)));
        head.bias2 = from.bias2.map(|b| wide(b, SUM_ONE));
        head.output = from.output.map(|w| narrow(w, WEIGHT_ONE));
        head.bias3 = wide(from.bias3, SUM_ONE);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_reads_what_is_written() {
        for is_tied in [true, false] {
            let weights = quantized(&Model::new(is_tied, 1));
            assert_eq!(Weights::read(&weights.write()).unwrap(), weights);
        }
    }
}
