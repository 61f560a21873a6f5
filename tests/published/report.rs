
/// What a check found, as a line for the table.
fn report<T: contest::annotated::Operations>(check: contest::annotated::Check<T>) {
    let report = check.budget(std::time::Duration::from_secs(5)).report();
    let totals = &report.totals;
    println!(
        "CHECKED {} | {} | {} | {}",
        totals.name, totals.operations, totals.tests, totals.executions
    );
    for finding in &report.findings {
        println!("FOUND {}: {} ({:?})", finding.kind, finding.message, finding.threads);
        for row in &finding.interleaving {
            println!("  {} {} {} {}", row.thread, row.event, row.location, row.result.as_deref().unwrap_or(""));
        }
    }
    for alone in &report.alone {
        println!("ALONE {}: {} ({})", alone.what, alone.calls.join("; "), alone.detail);
    }
    for (why, count) in &totals.skipped {
        println!("LEFT OUT {} times: {}", count, why);
    }
}
