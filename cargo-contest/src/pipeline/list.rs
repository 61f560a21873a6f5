//! `cargo contest list`: what discovery found and what it left out. Nothing is compiled for a driver, so items that
//! only the compiler would refuse are listed.

use super::failure::Failure;
use super::members::{named_in_one, packages};
use super::{catalog_filter, members, tested_code};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use contest_catalog::reasons::reasons;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_report::Reporter;

pub(super) fn list(
    common: &CommonArgs,
    types: &[String],
    reporter: &mut Reporter,
) -> Result<ExitCode, Failure> {
    let packages = packages(common, reporter)?;
    let several = packages.are_members();
    let mut found = Vec::new();
    for (common, package) in packages.selected {
        let name = package.name_and_version();
        if several {
            reporter.begin_member(&name, &packages.options);
        } else {
            reporter.begin_package(&name);
        }
        let (package, catalog) = tested_code::discover(package, &common, reporter)?;
        show(&catalog, types, reporter);
        if !catalog.subjects.is_empty() {
            tested_code::show_off_features(&package, reporter);
        }
        if several {
            found.extend(catalog.subjects.into_iter().map(|it| it.path));
        } else {
            catalog_filter::check(&catalog, types)?;
        }
    }
    members::show_left_out(&packages.left_out, reporter);
    if !several {
        return Ok(ExitCode::Clean);
    }
    named_in_one(types, &found)?;
    if found.is_empty() {
        let why = "nothing to test: no type of any member can be tested";
        return Err(Failure::new(ExitCode::NothingToTest, why));
    }
    Ok(ExitCode::Clean)
}

fn show(catalog: &SubjectCatalog, types: &[String], reporter: &mut Reporter) {
    let subjects: Vec<_> = catalog_filter::selected(catalog, types)
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
        reporter.idioms(&catalog.idioms);
        reporter.reasons(&reasons(catalog));
    }
}
