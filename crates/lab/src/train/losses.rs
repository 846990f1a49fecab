//! The losses of a training as a table and as a plot.

use std::fmt::Write;

/// The losses from one report to the next.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Epochs done.
    pub epoch: f64,
    /// The mean loss of the batches since the last report.
    pub training: f64,
    /// The mean loss of the positions held out.
    pub held_out: f64,
}

/// Width and height of the plot, and its margin.
const SIZE: [f64; 2] = [640.0, 360.0];
const MARGIN: f64 = 48.0;

/// Returns the losses as lines of tab-separated numbers.
pub fn table(losses: &[Losses]) -> String {
    let line = |l: &Losses| format!("{:.3}\t{:.5}\t{:.5}\n", l.epoch, l.training, l.held_out);
    let lines: String = losses.iter().map(line).collect();
    format!("epoch\ttraining\theld out\n{lines}")
}

/// Returns the losses as an SVG picture.
pub fn plot(losses: &[Losses]) -> String {
    let both = || losses.iter().flat_map(|l| [l.training, l.held_out]);
    let low = both().fold(f64::INFINITY, f64::min).min(1.0);
    let high = both().fold(low + 1e-6, f64::max);
    let last = losses.last().map_or(1.0, |l| l.epoch);
    let point = |epoch: f64, loss: f64| {
        let x = MARGIN + (SIZE[0] - 2.0 * MARGIN) * epoch / last;
        let y = SIZE[1] - MARGIN - (SIZE[1] - 2.0 * MARGIN) * (loss - low) / (high - low);
        format!("{x:.1},{y:.1} ")
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n",
        SIZE[0], SIZE[1]
    );
    let curves = [("training", "#888"), ("held out", "#06c")];
    for (row, (name, color)) in curves.into_iter().enumerate() {
        let loss = |l: &Losses| [l.training, l.held_out][row];
        let points: String = losses.iter().map(|l| point(l.epoch, loss(l))).collect();
        let y = MARGIN + 16.0 * row as f64;
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\"/>\n\
             <text x=\"{}\" y=\"{y}\" fill=\"{color}\">{name}</text>",
            SIZE[0] - 2.0 * MARGIN
        );
    }
    let (bottom, floor) = (SIZE[1] - MARGIN, SIZE[1] - MARGIN / 2.0);
    let _ = writeln!(
        svg,
        "<text x=\"4\" y=\"{MARGIN}\">{high:.4}</text>\n<text x=\"4\" y=\"{bottom}\">{low:.4}</text>\n\
         <text x=\"{MARGIN}\" y=\"{floor}\">{last:.2} epochs</text>\n</svg>"
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_plot_hold_every_report() {
        let losses = [1.0, 2.0, 3.0].map(|epoch| Losses {
            epoch,
            training: 1.0 / epoch,
            held_out: 1.1 / epoch,
        });
        assert_eq!(table(&losses).lines().count(), 4);
        let svg = plot(&losses);
        let points = svg.lines().find(|line| line.contains("polyline")).unwrap();
        assert_eq!(points.matches(',').count(), 3);
        assert!(svg.trim_end().ends_with("</svg>"));
    }
}
