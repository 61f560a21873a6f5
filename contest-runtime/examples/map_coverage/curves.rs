//! Figure 6: MAP-coverage over executions, a small chart for each subject. The whole is what all strategies together
//! covered.

use std::collections::BTreeSet;
use std::fmt::Write;

use contest_search::coverage::MapCoverage;

use crate::runs::coverage;
use crate::subjects::SUBJECTS;

const EXECUTIONS: u64 = 100;
const SEEDS: u64 = 3;
const SHOWN: [(&str, &str); 4] = [
    ("pcr", "#c0392b"),
    ("maptest", "#2980b9"),
    ("random", "#7f8c8d"),
    ("surw", "#27ae60"),
];
const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 120.0;

/// Patterns by their places in the source, which mean the same under all strategies.
fn patterns(coverage: &MapCoverage) -> BTreeSet<(u8, Vec<String>)> {
    coverage
        .patterns()
        .map(|key| {
            let sites = key.sites();
            let places = sites
                .iter()
                .map(|&site| coverage.sites().get(site).to_string());
            (key.pattern().number(), places.collect())
        })
        .collect()
}

/// The picture; prints the numbers at the end of the curves.
pub fn svg() -> String {
    println!(
        "\nMAP-coverage after {EXECUTIONS} executions, % of what all of these covered together (patterns; upper bound of all), mean of {SEEDS} seeds"
    );
    print!("{:24}{:>22}", "", "");
    SHOWN.iter().for_each(|(name, _)| print!("{name:>10}"));
    println!();
    let rows = SUBJECTS.len().div_ceil(4);
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" font-family="sans-serif" font-size="10">"#,
        4.0 * (WIDTH + 30.0) + 20.0,
        rows as f64 * (HEIGHT + 40.0) + 40.0
    );
    for (index, (name, colour)) in SHOWN.iter().enumerate() {
        let _ = writeln!(
            svg,
            r#"<text x="{}" y="15" fill="{colour}">{name}</text>"#,
            20 + 80 * index
        );
    }
    for (index, subject) in SUBJECTS.iter().enumerate() {
        let (x, y) = (
            (index % 4) as f64 * (WIDTH + 30.0) + 20.0,
            (index / 4) as f64 * (HEIGHT + 40.0) + 40.0,
        );
        let _ = writeln!(
            svg,
            r##"<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#bbb"/>"##
        );
        let _ = writeln!(
            svg,
            r#"<text x="{x}" y="{}">{}</text>"#,
            y - 4.0,
            subject.name
        );
        let mut union = BTreeSet::new();
        let mut bound = 0;
        let mut all: Vec<Vec<f64>> = Vec::new();
        for (name, _) in SHOWN {
            let mut sum = vec![0.0; EXECUTIONS as usize];
            for seed in 1..=SEEDS {
                let (coverage, curve) = coverage(subject, name, seed, EXECUTIONS);
                union.extend(patterns(&coverage));
                bound = bound.max(coverage.counts().bound);
                for (place, value) in sum.iter_mut().enumerate() {
                    // A strategy that has ended stays where it was.
                    let covered = curve.get(place).or(curve.last()).copied().unwrap_or(0);
                    *value += covered as f64 / SEEDS as f64;
                }
            }
            all.push(sum);
        }
        let whole = union.len().max(1) as f64;
        print!(
            "{:24}{:>22}",
            subject.name,
            format!("{} of {bound}", union.len())
        );
        for (curve, (_, colour)) in all.iter().zip(SHOWN) {
            let points: Vec<String> = curve
                .iter()
                .enumerate()
                .map(|(place, value)| {
                    let right = x + WIDTH * (place + 1) as f64 / EXECUTIONS as f64;
                    format!("{right:.1},{:.1}", y + HEIGHT * (1.0 - value / whole))
                })
                .collect();
            let _ = writeln!(
                svg,
                r#"<polyline fill="none" stroke="{colour}" points="{}"/>"#,
                points.join(" ")
            );
            print!(
                "{:>10.1}",
                100.0 * curve.last().copied().unwrap_or(0.0) / whole
            );
        }
        println!();
    }
    svg.push_str("</svg>\n");
    svg
}
