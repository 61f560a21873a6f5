//! `cargo contest list`: what discovery found and what it left out. Nothing is compiled for a driver, so items that
//! only the compiler would refuse are listed.

use super::catalog_filter;
use super::failure::Failure;
use super::prepare;
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::discover::reasons::reasons;
use crate::report::Reporter;

pub(super) fn list(
    common: &CommonArgs,
    types: &[String],
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let package = prepare::select(common)?;
    let catalog = prepare::discover(&package, common, reporter)?;
    let subjects: Vec<_> = catalog_filter::selected(&catalog, types)
        .into_iter()
        .filter_map(|number| catalog.subjects.get(usize::from(number)))
        .collect();
    // With a filter, other types that are left out are of no interest.
    let skipped = if types.is_empty() {
        catalog.skipped.as_slice()
    } else {
        &[]
    };
    reporter.catalog(&subjects, skipped);
    if types.is_empty() {
        reporter.reasons(&reasons(&catalog));
    }
    catalog_filter::check(&catalog, types)?;
    Ok(ExitCode::Clean)
}
