//! The target of a package whose code is tested: its library, or a binary if it has none.

use cargo_metadata::{Package, Target, TargetKind};

use super::selection::{BinaryRoot, SelectionError};

/// See the module.
pub(super) struct TestedRoot<'a> {
    pub(super) target: &'a Target,
    /// Set if the target is a binary.
    pub(super) binary: Option<BinaryRoot>,
}

/// The library of a package.
///
/// # Errors
/// If it has none that code can call.
pub(super) fn library_of(package: &Package) -> Result<&Target, SelectionError> {
    let is =
        |target: &Target, kinds: &[TargetKind]| target.kind.iter().any(|it| kinds.contains(it));
    let libraries = [
        TargetKind::Lib,
        TargetKind::RLib,
        TargetKind::DyLib,
        TargetKind::CDyLib,
        TargetKind::StaticLib,
    ];
    if package
        .targets
        .iter()
        .any(|it| is(it, &[TargetKind::ProcMacro]))
    {
        return Err(SelectionError::ProcMacro(package.name.to_string()));
    }
    let library = package.targets.iter().find(|it| is(it, &libraries));
    library.ok_or_else(|| SelectionError::NoLibrary(package.name.to_string()))
}

/// True if there is a library or a binary.
pub(super) fn has_code(package: &Package) -> bool {
    match library_of(package) {
        Ok(_) => true,
        Err(SelectionError::NoLibrary(_)) => package.targets.iter().any(Target::is_bin),
        Err(_) => false,
    }
}

/// The root of a package that is built with these features. Of several binaries: the one that `cargo run` runs, else
/// that with the name of the package, else the first.
///
/// # Errors
/// If there is none.
pub(super) fn tested_root<'a>(
    package: &'a Package,
    features: &[String],
) -> Result<TestedRoot<'a>, SelectionError> {
    let none = match library_of(package) {
        Ok(target) => {
            return Ok(TestedRoot {
                target,
                binary: None,
            });
        }
        Err(none @ SelectionError::NoLibrary(_)) => none,
        Err(error) => return Err(error),
    };
    let is_on = |it: &&Target| it.required_features.iter().all(|it| features.contains(it));
    let binaries = package.targets.iter().filter(|it| it.is_bin());
    let binaries: Vec<&Target> = binaries.filter(is_on).collect();
    let named = |name: &str| binaries.iter().find(|it| it.name == name);
    let by_default = package.default_run.as_deref().and_then(named);
    let target = by_default
        .or_else(|| named(&package.name))
        .or(binaries.first())
        .copied()
        .ok_or(none)?;
    let others = package.targets.iter().filter(|it| it.is_bin());
    let others = others.filter(|it| it.name != target.name);
    Ok(TestedRoot {
        target,
        binary: Some(BinaryRoot {
            name: target.name.clone(),
            others: others.map(|it| it.name.clone()).collect(),
        }),
    })
}
