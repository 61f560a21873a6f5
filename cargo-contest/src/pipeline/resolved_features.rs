//! The features of a package of several: those that cargo resolves for the plain command with the same options at the
//! same place, where other members may turn on more of them.

use tracing::debug;

use super::arguments::{cargo_arguments, features};
use crate::cli::args::CommonArgs;
use contest_build::workspace::cargo_metadata::cargo;
use contest_build::workspace::cargo_selection::CargoSelection;
use contest_build::workspace::selection::Package;
use contest_build::workspace::unit_graph::{NoUnitGraph, UnitGraph, unit_graph};

/// The package with its features, and arguments that give it just these; `typed` is what the user typed. Nothing
/// changes for a package that is alone in its workspace, or is not built by the plain command; what is wrong with a
/// command that cargo refuses is said where it is used.
pub(super) fn as_typed(
    typed: &CommonArgs,
    common: &CommonArgs,
    package: Package,
) -> (CommonArgs, Package) {
    if !package.is_member || !package.has_siblings {
        return (common.clone(), package);
    }
    let resolved = match graph(typed, &package) {
        Ok(graph) => features_of(&graph, &package),
        Err(NoUnitGraph::Unknown(why) | NoUnitGraph::Refused(why)) => {
            debug!(
                "features of {} are those of the package alone: {why}",
                package.name
            );
            None
        }
    };
    match resolved {
        Some(features) => (
            CommonArgs {
                features: features.clone(),
                all_features: false,
                no_default_features: true,
                ..common.clone()
            },
            Package {
                features,
                ..package
            },
        ),
        None => (common.clone(), package),
    }
}

fn graph(typed: &CommonArgs, package: &Package) -> Result<UnitGraph, NoUnitGraph> {
    let selection = CargoSelection {
        manifest_path: typed.manifest_path.clone(),
        package: typed.package.clone(),
        workspace: typed.members.workspace,
        exclude: typed.members.exclude.clone(),
        features: features(typed),
        ..CargoSelection::default()
    };
    let mut command = cargo();
    command
        .arg("test")
        .args(selection.arguments())
        .arg("--target-dir")
        .arg(package.target_directory.join("contest/plain"))
        .args(cargo_arguments(typed));
    unit_graph(&mut command)
}

/// Of its library, or of what it has in its place.
fn features_of(graph: &UnitGraph, package: &Package) -> Option<Vec<String>> {
    let own = || {
        graph
            .units
            .iter()
            .filter(|it| it.package == package.id && it.is_compiled())
    };
    let library = own().find(|it| it.name() == "lib");
    let unit = library.or_else(|| own().find(|it| it.name().starts_with("bin ")))?;
    Some(unit.features.clone())
}
