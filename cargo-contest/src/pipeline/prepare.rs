//! From the command line to a driver: select, discover, build.

use std::path::{Path, PathBuf};

use super::arguments::{cargo_arguments, features, harness_options, selection};
use super::build_progress::progress;
use super::failure::Failure;
use crate::cli::args::CommonArgs;
use crate::cli::exit_code::ExitCode;
use crate::cli::settings;
use crate::emit::annotation::is_annotated;
use contest_build::workspace::cargo_metadata::{
    Workspace, select as select_package, select_at_manifest as select_package_at_manifest,
    select_for_tests, workspace as find_workspace,
};
use contest_build::workspace::package_copy::{copy_package, leave_out_missing, left_out_of};
use contest_build::workspace::plain_check::plain_check;
use contest_build::workspace::scratch_dir::{WriteError, make_directory};
use contest_build::workspace::selection::{Package, Selection};
use contest_build::workspace::toolchain_fault::toolchain_fault;
use contest_catalog::part::Part;
use contest_catalog::progress_event::ProgressEvent;
use contest_catalog::subject_catalog::{Given, SubjectCatalog, SubjectEntry};
use contest_discover::hints::Hints;
use contest_discover::{DiscoverOptions, discover, documentation};
use contest_drive::harness::{self, Driver, DriverOf, HarnessError, NativeProgram, SubjectPackage};
use contest_report::Reporter;
use contest_report::short_locations::ShortLocations;

/// A package with its driver.
pub(super) struct Prepared {
    package: Package,
    /// The driver's indexes refer to its catalog.
    pub(super) driver: Driver,
    /// Types that are not in it though they could be, as reports call them.
    pub(super) others: Vec<String>,
    /// Memory accesses are watched in every execution, not in a share of them.
    pub(super) watch_all: bool,
    /// Its packages are tested with others of the workspace: locations are relative to the root of that.
    pub(super) among_others: bool,
}

impl Prepared {
    /// `dashmap 6.1.0`.
    pub(super) fn name(&self) -> String {
        self.package.name_and_version()
    }

    pub(super) fn package(&self) -> &Package {
        &self.package
    }

    pub(super) fn package_directory(&self) -> PathBuf {
        package_directory(&self.package)
    }

    /// The package's name for contest-runtime, if this type is annotated.
    pub(super) fn runtime_of(&self, subject: &SubjectEntry) -> Option<&str> {
        let name = self.package.runtime.as_deref()?;
        is_annotated(&self.package_directory(), &subject.declared).then_some(name)
    }

    pub(super) fn emitted_directory(&self) -> PathBuf {
        emitted_directory(&self.package)
    }

    pub(super) fn short_locations(&self) -> ShortLocations {
        if self.among_others {
            return ShortLocations::new(&[&self.package.workspace_root]);
        }
        short_locations(&self.package)
    }

    /// The directory that locations of the package are relative to.
    pub(super) fn base(&self) -> PathBuf {
        if self.among_others {
            return self.package.workspace_root.clone();
        }
        self.package_directory()
    }

    /// From here on, locations lead the reporter to files.
    pub(super) fn locate(&self, reporter: &mut Reporter) {
        reporter.locate(&[&self.base(), &self.package.workspace_root]);
        reporter.describe(&self.package);
    }
}

/// The package selected by the arguments.
pub(super) fn select(common: &CommonArgs) -> Result<Package, Failure> {
    with_directory(select_package(&selection(common))?, common)
}

/// The package whose manifest the arguments name, also where that is the root of a workspace.
pub(super) fn select_at_manifest(common: &CommonArgs) -> Result<Package, Failure> {
    with_directory(select_package_at_manifest(&selection(common))?, common)
}

/// Its target directory, if it can be written.
pub(super) fn with_directory(
    mut package: Package,
    common: &CommonArgs,
) -> Result<Package, Failure> {
    if let Some(directory) = &common.target_dir {
        package.target_directory = std::path::absolute(directory).map_err(|error| {
            Failure::new(
                ExitCode::Usage,
                format!("--target-dir {}: {error}", directory.display()),
            )
        })?;
    }
    let contest = package.target_directory.join("contest");
    make_directory(&contest).map_err(WriteError::of_target)?;
    // An existing directory may be read-only, which cargo reports late and at length.
    tempfile::tempfile_in(&contest)
        .map_err(|error| WriteError::new(&contest, error).of_target())?;
    Ok(package)
}

/// The catalog of what can be tested in these sources.
pub(super) fn read_interface(
    package: &Package,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<SubjectCatalog, Failure> {
    reporter.event(&ProgressEvent::Step(format!(
        "reading the interface of {} {}",
        package.name, package.version
    )));
    let unchanged = package.internal.iter().flat_map(|it| &it.unchanged);
    for file in unchanged {
        reporter.event(&ProgressEvent::Warning(format!(
            "types that are not public are not tested in this file: {file}"
        )));
    }
    let settings = settings::read(&package.metadata, &package.workspace_metadata)?;
    let options = DiscoverOptions {
        features: features(common),
        cargo_arguments: cargo_arguments(common),
        hints: Hints {
            make: settings.make,
            values: settings.values,
            leave_out: settings.leave_out,
            weak: settings.weak,
            exact: settings.exact,
        },
        behind_lock: common.behind_lock,
        idioms: true,
        tool: None,
    };
    let catalog = discover(package, &options).map_err(|error| {
        let mut failure = of_toolchain(error.into(), package);
        if common.internal {
            failure.message.push_str(
                "\n--internal compiles a copy with internal types public, in which names may collide; without it the package may build",
            );
        }
        failure
    })?;
    if let Some(format) = catalog.other_format {
        reporter.event(&ProgressEvent::Warning(format!(
            "this toolchain's rustdoc writes JSON of format {format}, which is read as format {}: what is new in it \
             is not seen",
            documentation::read_as(format)
        )));
    }
    Ok(catalog)
}

/// Of a package for which no driver will be compiled: the last chance to see that it does not compile.
pub(super) fn compiles(package: &Package, common: &CommonArgs) -> Result<(), Failure> {
    plain_check(package, &features(common), &cargo_arguments(common)).map_err(|text| {
        Failure::new(
            ExitCode::BuildFailed,
            format!("`{}` does not build\n{text}", package.name),
        )
    })
}

/// A driver that can run it.
pub(super) fn build(
    package: Package,
    part: Part,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<Prepared, Failure> {
    let options = harness_options(&package, common)?;
    let name = package.name_and_version();
    let driver = harness::prepare(
        &subject_package(&package, &part),
        &part.catalog,
        &options,
        &mut |event| {
            if let Some(event) = progress(&name, event) {
                reporter.event(&event);
            }
        },
    )
    .map_err(|error| match error {
        HarnessError::Setting { given, why } => setting_failed(&package, &given, &why),
        other => of_toolchain(other.into(), &package),
    })?;
    Ok(Prepared {
        package,
        driver,
        others: part.others,
        watch_all: common.memory,
        among_others: false,
    })
}

/// What is wrong with the toolchain, if that is why a build failed.
pub(super) fn of_toolchain(failure: Failure, package: &Package) -> Failure {
    if !matches!(failure.code, ExitCode::BuildFailed | ExitCode::ToolFailed) {
        return failure;
    }
    match toolchain_fault(&package.workspace_root, &failure.message) {
        Some(fault) => Failure::new(ExitCode::BuildFailed, fault),
        None => failure,
    }
}

/// An expression of the manifest does not compile.
fn setting_failed(package: &Package, given: &Given, why: &str) -> Failure {
    let manifest = std::fs::read_to_string(&package.manifest_path).unwrap_or_default();
    let line = manifest.lines().position(|it| {
        // As written, where quotes are escaped.
        it.contains(&given.expression) || it.contains(&given.expression.replace('"', "\\\""))
    });
    let place = line.map_or_else(String::new, |it| format!(":{}", it + 1));
    Failure::new(
        ExitCode::BuildFailed,
        format!(
            "{}{place}: {} in [package.metadata.contest] does not compile: `{}`\n{why}",
            package.manifest_path.display(),
            given.setting,
            given.expression
        ),
    )
}

/// A copy of a package that is no member of the workspace, which is the root of one: there its tests can be built.
pub(super) fn copy_for_tests(
    package: &Package,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<Package, Failure> {
    reporter.event(&ProgressEvent::Step(format!(
        "copying {} {} to build its tests",
        package.name, package.version
    )));
    if package.source.is_local() {
        return Err(Failure::new(
            ExitCode::Usage,
            format!(
                "`{}` is not a member of this workspace: name its Cargo.toml with --manifest-path to run its tests",
                package.name
            ),
        ));
    }
    let manifest = copy_package(package)?;
    let selection = |offline: bool| {
        let mut cargo_arguments = cargo_arguments(common);
        // The lock file of the copy has to take the development dependencies in.
        cargo_arguments.retain(|it| it != "--locked");
        if offline {
            cargo_arguments.push("--offline".to_owned());
        }
        Selection {
            manifest_path: Some(manifest.clone()),
            package: None,
            features: features(common),
            cargo_arguments,
        }
    };
    let name = package.name_and_version();
    let copy = loop {
        let error = match select_for_tests(&selection(false)) {
            Ok(copy) => break copy,
            Err(error) => error,
        };
        if let Ok(copy) = select_for_tests(&selection(true)) {
            break copy;
        }
        if !leave_out_missing(&manifest, &error.to_string())? {
            let text =
                format!("the tests of {name} cannot be built from its published package: {error}");
            return Err(Failure::new(ExitCode::BuildFailed, text));
        }
    };
    for dependency in left_out_of(&manifest) {
        reporter.event(&ProgressEvent::Warning(format!(
            "the development dependency `{dependency}` of {name} cannot be had: what needs it does not build"
        )));
    }
    Ok(Package {
        target_directory: package.target_directory.clone(),
        // Not that of its user: the copy is only where it is built.
        source: package.source.clone(),
        ..copy
    })
}

/// The workspace that cargo finds for the arguments; it need not have a library.
pub(super) fn workspace(common: &CommonArgs) -> Result<Workspace, Failure> {
    let mut workspace = find_workspace(&selection(common))?;
    if let Some(directory) = &common.target_dir {
        workspace.target_directory = std::path::absolute(directory)
            .map_err(|error| Failure::new(ExitCode::Usage, format!("--target-dir: {error}")))?;
    }
    Ok(workspace)
}

/// Locations as they are shown of this package.
pub(super) fn short_locations(package: &Package) -> ShortLocations {
    ShortLocations::new(&[&package_directory(package), &package.workspace_root])
}

pub(super) fn package_directory(package: &Package) -> PathBuf {
    let manifest = &package.manifest_path;
    manifest.parent().unwrap_or(Path::new("/")).to_path_buf()
}

/// Directory of emitted tests without `--emit`.
pub(super) fn emitted_directory(package: &Package) -> PathBuf {
    package
        .target_directory
        .join("contest/emitted")
        .join(&package.name)
}

/// Builds a program that depends on the package as it is.
pub(super) fn build_native(
    prepared: &Prepared,
    source: &str,
    common: &CommonArgs,
    reporter: &mut Reporter,
) -> Result<NativeProgram, Failure> {
    let package = prepared.package();
    let options = harness_options(package, common)?;
    let part = Part::whole(prepared.driver.catalog.clone());
    let of = SubjectPackage {
        driver_of: DriverOf::Native,
        ..subject_package(package, &part)
    };
    let name = package.name_and_version();
    let built = harness::build_native(&of, source, &options, &mut |event| {
        if let Some(event) = progress(&name, event) {
            reporter.event(&event);
        }
    });
    built.map_err(Failure::from)
}

fn subject_package(package: &Package, part: &Part) -> SubjectPackage {
    SubjectPackage {
        name: package.name.clone(),
        version: package.version.clone(),
        source: package.source.clone(),
        directory: package_directory(package),
        features: package.features.clone(),
        workspace_root: package.workspace_root.clone(),
        lock_file: package
            .lock_file
            .is_file()
            .then(|| package.lock_file.clone()),
        critical_section: package
            .dependencies
            .iter()
            .find(|it| it.library == "critical_section" && it.version.starts_with("1."))
            .map(|it| it.version.clone()),
        tokio: package.tokio.clone(),
        named: package.named.clone(),
        others: package.others.clone(),
        providers: Vec::new(),
        internal: package.internal.clone(),
        driver_of: match part {
            _ if part.is_typed => DriverOf::Scenario,
            _ if part.others.is_empty() => DriverOf::AllTypes,
            _ => DriverOf::SomeTypes,
        },
        target_directory: package.target_directory.clone(),
    }
}
