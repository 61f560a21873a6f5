//! Which packages a command tests: one, or several members of the workspace in one run.

use super::failure::Failure;
use super::{arguments, catalog_filter, prepare, resolved_features, tested_code};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::UsageError;
use crate::cli::type_filter;
use contest_build::workspace::cargo_metadata::select_only;
use contest_build::workspace::members::{Scope, select_members};
use contest_build::workspace::selection::{Package, SelectionError};
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::skipped::Skipped;
use contest_catalog::subject_catalog::SubjectCatalog;
use contest_report::Reporter;

/// The packages to test.
pub(super) struct Packages {
    /// Each with the arguments that mean it; at least one.
    pub(super) selected: Vec<(CommonArgs, Package)>,
    /// Members that are not tested, with the reason.
    pub(super) left_out: Vec<Skipped>,
    /// The options that select them, for messages; nothing without such options.
    pub(super) options: String,
}

impl Packages {
    /// True if there are several, or if there could have been.
    pub(super) fn are_members(&self) -> bool {
        self.selected.len() > 1 || !self.options.is_empty()
    }
}

/// The packages that the arguments mean: what cargo would test with the same ones.
pub(super) fn packages(common: &CommonArgs, reporter: &mut Reporter) -> Result<Packages, Failure> {
    let scope = &common.members;
    arguments::check(scope)?;
    if scope.workspace && common.package.is_some() {
        return Err(UsageError::WorkspaceAndPackage.into());
    }
    if !scope.workspace
        && let Some(package) = only_package(common)?
    {
        return Ok(Packages {
            selected: vec![resolved_features::as_typed(common, common, package)],
            left_out: Vec::new(),
            options: String::new(),
        });
    }
    let found = select_members(
        &arguments::selection(common),
        &Scope {
            workspace: scope.workspace,
            exclude: scope.exclude.clone(),
        },
    )?;
    for name in &found.unknown {
        let text = format!("--exclude {name}: no member of the workspace has this name");
        reporter.event(&ProgressEvent::Warning(text));
    }
    let mut selected = Vec::new();
    for member in found.selected {
        let alone = CommonArgs {
            manifest_path: Some(member.manifest_path),
            features: member.features,
            ..common.clone()
        };
        let mut package = prepare::select_at_manifest(&alone)?;
        // Named in the summary.
        package.other_members.clear();
        selected.push(resolved_features::as_typed(common, &alone, package));
    }
    Ok(Packages {
        selected,
        left_out: found.left_out,
        options: arguments::options_of(scope),
    })
}

/// The public interface of a package, and the filters of types that concern it.
pub(super) struct Interface {
    pub(super) common: CommonArgs,
    pub(super) package: Package,
    pub(super) catalog: SubjectCatalog,
    pub(super) types: Vec<String>,
}

impl Interface {
    /// `alpha 0.1.0`.
    pub(super) fn name(&self) -> String {
        self.package.name_and_version()
    }
}

/// Reads the interfaces of the packages; also the members without a type to test. Each filter has to select a type of
/// one of them.
pub(super) fn interfaces(
    packages: Packages,
    types: &[String],
    reporter: &mut Reporter,
) -> Result<(Vec<Interface>, Vec<Skipped>), Failure> {
    let several = packages.are_members();
    let mut all = Vec::new();
    for (common, package) in packages.selected {
        reporter.begin_package(&package.name_and_version());
        let (package, catalog) = tested_code::discover(package, &common, reporter)?;
        all.push(Interface {
            common,
            package,
            catalog,
            types: types.to_vec(),
        });
    }
    if !several {
        for it in &all {
            catalog_filter::check(&it.catalog, types)?;
        }
        return Ok((all, packages.left_out));
    }
    let (kept, mut left_out) = with_types(all, types, |it| &it.catalog, Interface::name)?;
    left_out.extend(packages.left_out);
    let kept = kept
        .into_iter()
        .map(|(it, types)| Interface { types, ..it });
    Ok((kept.collect(), left_out))
}

/// A member with the filters of types that concern it.
pub(super) type Named<T> = (T, Vec<String>);

/// Those of several members that have types to test, each with the filters that concern it; the others with the reason.
pub(super) fn with_types<T>(
    all: Vec<T>,
    types: &[String],
    catalog: impl Fn(&T) -> &SubjectCatalog,
    name: impl Fn(&T) -> String,
) -> Result<(Vec<Named<T>>, Vec<Skipped>), Failure> {
    let paths = |it: &T| -> Vec<String> {
        let subjects = &catalog(it).subjects;
        subjects.iter().map(|it| it.path.clone()).collect()
    };
    named_in_one(types, &all.iter().flat_map(paths).collect::<Vec<_>>())?;
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for member in all {
        let paths = paths(&member);
        let matches = |filter: &&String| {
            let one = std::slice::from_ref(*filter);
            paths.iter().any(|path| type_filter::selects(one, path))
        };
        let concerned: Vec<String> = types.iter().filter(matches).cloned().collect();
        let why = if types.is_empty() || !concerned.is_empty() {
            match catalog_filter::check(catalog(&member), &concerned) {
                Ok(()) => {
                    kept.push((member, concerned));
                    continue;
                }
                Err(failure) => failure.message,
            }
        } else {
            "none of the named types".to_owned()
        };
        left_out.push(Skipped::new(name(&member), why));
    }
    if kept.is_empty() {
        let list = left_out
            .iter()
            .map(|it| format!("\n  {}: {}", it.item, it.why));
        return Err(Failure::new(
            ExitCode::NothingToTest,
            format!("nothing to test in any member{}", list.collect::<String>()),
        ));
    }
    Ok((kept, left_out))
}

/// Refuses filters of types that select none of these paths, which are those of several members.
pub(super) fn named_in_one(types: &[String], paths: &[String]) -> Result<(), Failure> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    match type_filter::without_match(types, &paths).as_slice() {
        [] => Ok(()),
        [first, ..] => Err(Failure::new(
            ExitCode::Usage,
            format!("no type to test of any member has a path that ends with `{first}`"),
        )),
    }
}

/// Says which members were left out, each as about itself.
pub(super) fn show_left_out(left_out: &[Skipped], reporter: &mut Reporter) {
    for member in left_out {
        reporter.begin_package(&member.item);
        reporter.left_out(member);
    }
}

/// Refuses options that select members.
pub(super) fn refuse(common: &CommonArgs, command: &'static str) -> Result<(), Failure> {
    arguments::check(&common.members)?;
    if common.members.workspace {
        return Err(UsageError::OnePackage(command).into());
    }
    Ok(())
}

/// The package that is meant; none if no package is named and the workspace has several default members that can be
/// tested.
fn only_package(common: &CommonArgs) -> Result<Option<Package>, Failure> {
    match select_only(&arguments::selection(common)) {
        Err(SelectionError::Choose(_)) if common.package.is_none() => Ok(None),
        selected => prepare::with_directory(selected?, common).map(Some),
    }
}
