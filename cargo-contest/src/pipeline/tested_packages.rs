//! Whose tests a command runs, and how cargo selects and builds them: as a plain `cargo test` with the same options at
//! the same place.

use super::arguments::{self, features, harness_options};
use super::build_progress::progress;
use super::failure::Failure;
use super::prepare::{copy_for_tests, of_toolchain, with_directory};
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::cli::options::UsageError;
use contest_build::workspace::cargo_selection::CargoSelection;
use contest_build::workspace::members::{Scope, select_tested};
use contest_build::workspace::selection::Package;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::skipped::Skipped;
use contest_drive::harness::{self, BuiltTests, TestTargets};
use contest_report::Reporter;

/// A package whose tests are run.
pub(super) struct TestedPackage {
    /// As the user has it.
    pub(super) package: Package,
    /// The arguments that mean it alone.
    pub(super) common: CommonArgs,
}

/// The packages, with what cargo is told to select them.
pub(super) struct TestedPackages {
    /// At least one.
    pub(super) packages: Vec<TestedPackage>,
    /// Where the tests of each are built: the package itself, or a copy that is a member of a workspace.
    pub(super) built: Vec<Package>,
    /// Members whose tests are not run, with the reason.
    pub(super) left_out: Vec<Skipped>,
    /// The options that select members, for messages.
    pub(super) options: String,
    selection: CargoSelection,
}

impl TestedPackages {
    /// Those that the arguments mean.
    pub(super) fn select(common: &CommonArgs, reporter: &mut Reporter) -> Result<Self, Failure> {
        let scope = &common.members;
        arguments::check(scope)?;
        if scope.workspace && common.package.is_some() {
            return Err(UsageError::WorkspaceAndPackage.into());
        }
        let found = select_tested(
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
        let directory = std::env::current_dir().map_err(|error| {
            let text = format!("cannot find the working directory: {error}");
            Failure::new(ExitCode::ToolFailed, text)
        })?;
        let mut selection = CargoSelection {
            directory,
            manifest_path: common.manifest_path.clone(),
            package: None,
            workspace: scope.workspace,
            exclude: scope.exclude.clone(),
            features: features(common),
        };
        let several = found.selected.len() > 1 || scope.workspace;
        let (mut packages, mut built) = (Vec::new(), Vec::new());
        for (package, features) in found.selected {
            let package = with_directory(package, common)?;
            let common = if several {
                CommonArgs {
                    manifest_path: Some(package.manifest_path.clone()),
                    features,
                    ..common.clone()
                }
            } else {
                common.clone()
            };
            if common.package.is_some() {
                selection.package = Some(package.id.clone());
            }
            built.push(if package.is_member {
                package.clone()
            } else {
                let copy = copy_for_tests(&package, &common, reporter)?;
                selection.manifest_path = Some(copy.manifest_path.clone());
                selection.package = None;
                copy
            });
            packages.push(TestedPackage { package, common });
        }
        Ok(Self {
            packages,
            built,
            left_out: if several { found.left_out } else { Vec::new() },
            options: arguments::options_of(scope),
            selection,
        })
    }

    /// Those that the arguments mean, or the package of this name if it is not among them.
    pub(super) fn with(
        name: &str,
        common: &CommonArgs,
        reporter: &mut Reporter,
    ) -> Result<Self, Failure> {
        let meant = Self::select(common, reporter);
        let has = |it: &Self| it.built.iter().any(|it| it.name == name);
        if common.package.is_some() || meant.as_ref().is_ok_and(has) {
            return meant;
        }
        let named = CommonArgs {
            package: Some(name.to_owned()),
            ..common.clone()
        };
        // Else the error is about what is selected.
        Self::select(&named, reporter).or(meant)
    }

    /// True if there are several, or if there could have been.
    pub(super) fn are_members(&self) -> bool {
        self.packages.len() > 1 || !self.options.is_empty()
    }

    /// Refuses tests that are not those that a plain build lists.
    pub(super) fn compare_lists(
        &self,
        built: &BuiltTests,
        targets: &TestTargets,
        common: &CommonArgs,
        reporter: &mut Reporter,
    ) -> Result<(), Failure> {
        let options = harness_options(&self.built[0], common)?;
        let compared = harness::compare_lists(
            &self.selection,
            &self.built,
            &built.packages,
            targets,
            &options,
            &mut |event| {
                if let Some(event) = progress(&self.name(), event) {
                    reporter.event(&event);
                }
            },
        );
        Ok(compared?)
    }

    /// What is built, for messages.
    fn name(&self) -> String {
        match self.built.as_slice() {
            [only] => only.name_and_version(),
            several => format!("{} packages", several.len()),
        }
    }

    /// Builds these tests of all packages; they come in the same order.
    pub(super) fn build(
        &self,
        targets: &TestTargets,
        common: &CommonArgs,
        reporter: &mut Reporter,
    ) -> Result<BuiltTests, Failure> {
        let options = harness_options(&self.built[0], common)?;
        let built = harness::prepare_own_tests(
            &self.selection,
            &self.built,
            targets,
            &options,
            &mut |event| {
                if let Some(event) = progress(&self.name(), event) {
                    reporter.event(&event);
                }
            },
        )
        .map_err(|error| of_toolchain(error.into(), &self.built[0]))?;
        if let Some(why) = &built.not_compared {
            reporter.event(&ProgressEvent::Warning(format!(
                "whether a plain `cargo test` has the same tests and features is not known: this cargo does not say what it would build ({why})"
            )));
        }
        Ok(built)
    }
}
