//! The quantised network, as the engine reads it: made of a model, and a model made of it.

use anyhow::ensure;
use tengen::eval::network::{PERSPECTIVE_LANES, ROW_ONE, Weights};
use tengen::eval::pattern::{PATTERNS, Pattern, RADIUS};

use crate::train::model::{Head, Model, RADII, offsets, rounded};

/// Returns the rows and heads of a model, rounded.
pub fn quantized(model: &Model) -> Weights {
    let mut weights = Weights::zero(model.layout.perspectives());
    let quantized = |number: f32, one: i32| (rounded(number, one) * one as f32) as i32;
    for index in 0..PATTERNS {
        let class = Pattern::from_index(index).class(RADIUS);
        let row = model.row(index);
        for (half, perspective) in weights.perspectives.iter_mut().enumerate() {
            perspective[class] = std::array::from_fn(|i| {
                quantized(row[half * PERSPECTIVE_LANES + i], ROW_ONE) as i16
            });
        }
    }
    for (head, from) in weights.heads.iter_mut().zip(&model.heads) {
        let mut numbers = from
            .fields()
            .into_iter()
            .zip(Head::FIELD_ONES)
            .flat_map(|(field, one)| field.iter().map(move |&number| quantized(number, one)));
        head.visit(&mut |number| *number = numbers.next().unwrap_or_default());
    }
    weights
}

/// Gives a model the rows and heads of a network.
///
/// The embeddings are found from the shortest window to the longest. Each is the mean of the rows
/// of all patterns with that window, after the embeddings of shorter windows are subtracted. The
/// sum of a pattern's embeddings is its row.
pub fn dequantize(weights: &Weights, model: &mut Model) -> anyhow::Result<()> {
    ensure!(
        weights.heads.len() == model.heads.len(),
        "the network is not of the same kind of rules"
    );
    for (perspective, embeddings) in model.perspectives.iter_mut().enumerate() {
        let row_of = |index| {
            let row = weights.perspectives[perspective][Pattern::from_index(index).class(RADIUS)];
            row.map(|lane| f32::from(lane) / ROW_ONE as f32)
        };
        if let Some(index) = model.layout.is_stone_free.iter().position(|&is_free| is_free) {
            model.stone_free[perspective] = row_of(index);
        }
        let mut rest: Vec<[f32; PERSPECTIVE_LANES]> = (0..PATTERNS).map(row_of).collect();
        if perspective == 1 {
            // Perspective 1 has white's deviations: its rows less black's of the pattern with the
            // colors exchanged.
            for (index, row) in rest.iter_mut().enumerate() {
                let black =
                    weights.perspectives[0][Pattern::from_index(index).swapped().class(RADIUS)];
                let black = black.map(|lane| f32::from(lane) / ROW_ONE as f32);
                row.iter_mut().zip(black).for_each(|(lane, black)| *lane -= black);
            }
        }
        for (&radius, &offset) in RADII.iter().zip(&offsets()) {
            let class = |index| offset + Pattern::from_index(index).class(radius);
            let mut sums = vec![([0.0; PERSPECTIVE_LANES], 0.0); embeddings.len()];
            for (index, row) in rest.iter().enumerate() {
                if model.layout.is_stone_free[index] {
                    continue;
                }
                let (sum, count) = &mut sums[class(index)];
                sum.iter_mut().zip(row).for_each(|(sum, lane)| *sum += lane);
                *count += 1.0;
            }
            for (index, row) in rest.iter_mut().enumerate() {
                let (sum, count) = sums[class(index)];
                let mean = sum.map(|sum| sum / f32::max(count, 1.0));
                embeddings[class(index)] = mean;
                row.iter_mut().zip(mean).for_each(|(lane, mean)| *lane -= mean);
            }
        }
    }
    for (head, from) in model.heads.iter_mut().zip(&weights.heads) {
        let mut numbers = Vec::with_capacity(Head::LEN);
        from.clone().visit(&mut |&mut number| numbers.push(number));
        let mut numbers = numbers.into_iter();
        for (field, one) in head.fields_mut().into_iter().zip(Head::FIELD_ONES) {
            for (weight, number) in field.iter_mut().zip(&mut numbers) {
                *weight = number as f32 / one as f32;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_comes_back_from_the_model_made_of_it() {
        for is_tied in [true, false] {
            let mut model = Model::new(is_tied, 1);
            model.stone_free.fill([-0.5; PERSPECTIVE_LANES]);
            let weights = quantized(&model);
            let mut model = Model::new(is_tied, 2);
            dequantize(&weights, &mut model).unwrap();
            assert!(quantized(&model) == weights);
            assert!(dequantize(&weights, &mut Model::new(!is_tied, 2)).is_err());
        }
    }

    #[test]
    fn the_engine_reads_what_is_written() {
        for is_tied in [true, false] {
            let weights = quantized(&Model::new(is_tied, 1));
            assert_eq!(Weights::read(&weights.write()).unwrap(), weights);
        }
    }
}
