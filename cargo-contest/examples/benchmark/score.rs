//! The tool by itself: which bugs it finds, and whether it says anything of the mended versions.

use std::collections::BTreeMap;

use crate::package::Place;
use crate::record::{Record, Side};
use crate::run::{Outcome, Verdict, run};

/// Runs by package and arguments: the tests of one package are run at once.
type Runs = BTreeMap<(String, String), Result<Outcome, String>>;

/// Prints a row for each of these records, and the score of each category. The budgets are that of a run and that of a
/// test.
pub(crate) fn score(place: &Place, records: &[&Record], budgets: [&str; 2]) {
    println!("| bug | with it | without |");
    println!("|---|---|---|");
    let mut runs = Runs::new();
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for record in records {
        let sides = [("bug", &record.buggy), ("fix", &record.fixed)];
        let [buggy, fixed] = sides.map(|(suffix, side)| {
            eprintln!("{} ({suffix}) …", record.id);
            verdict(place, &mut runs, record, suffix, side, budgets)
        });
        println!("| {} | {} | {} |", record.id, buggy.text(), fixed.text());
        let count = counts.entry(record.category()).or_default();
        count[0] += 1;
        count[1] += usize::from(matches!(buggy, Verdict::Shown(_)));
        count[2] += usize::from(matches!(fixed, Verdict::Clean));
    }
    println!();
    for (category, [all, found, clean]) in counts {
        println!("{category}: {found} of {all} found, {clean} of {all} clean without the bug");
    }
}

fn verdict(
    place: &Place,
    runs: &mut Runs,
    record: &Record,
    suffix: &str,
    side: &Side,
    budgets: [&str; 2],
) -> Verdict {
    let arguments = side.arguments();
    // Tests of a package are in one run; its two sides too, where they are tests of one package.
    let label = match (&side.test, &side.path) {
        (Some(_), Some(path)) => path.rsplit('/').next().unwrap_or_default().to_owned(),
        _ => format!("{}-{suffix}", record.id),
    };
    let outcome = runs.entry((label.clone(), arguments.join(" ")));
    let outcome = outcome.or_insert_with(|| {
        let folder = place.package(&label, side, None, "");
        let folder = folder.map_err(|error| error.to_string())?;
        let mut arguments = arguments.clone();
        let [budget, of_test] = budgets;
        match side.test {
            Some(_) => arguments.extend(["--test-budget", of_test]),
            None => arguments.extend(["--budget", budget, "--no-emit"]),
        }
        run(place, &folder, &arguments)
    });
    match outcome {
        Ok(outcome) => outcome.verdict(record, side),
        Err(why) => Verdict::Undecided(why.clone()),
    }
}
