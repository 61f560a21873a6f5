//! How the tests of a package are optimised.

use std::env;
use std::path::Path;
use std::process::Command;

use toml::Table;

use super::driver_manifest::{OPT_LEVEL, read_root_manifest};
use contest_build::workspace::cargo_config;

/// Profiles of which tests have their settings.
const PROFILES: [&str; 2] = ["test", "dev"];

/// Has the tests of the workspace in `root` compiled as drivers are, if its manifest, cargo's configuration and the
/// environment do not say how.
pub(super) fn optimise(command: &mut Command, root: &Path) {
    let in_environment = PROFILES.iter().any(|profile| {
        let name = format!("CARGO_PROFILE_{}_OPT_LEVEL", profile.to_uppercase());
        env::var_os(name).is_some()
    });
    let is_chosen = in_environment
        || names_level(&read_root_manifest(root))
        || cargo_config::may_set(root, "opt-level");
    if !is_chosen {
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", OPT_LEVEL.to_string());
    }
}

/// True if one of the profiles has a level in this manifest.
fn names_level(manifest: &str) -> bool {
    let manifest: Table = manifest.parse().unwrap_or_default();
    let profiles = manifest.get("profile");
    PROFILES.iter().any(|name| {
        let profile = profiles.and_then(|it| it.get(name));
        profile.is_some_and(|it| it.get("opt-level").is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(manifest: &str) -> Option<String> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("Cargo.toml"), manifest).unwrap();
        let mut command = Command::new("cargo");
        optimise(&mut command, directory.path());
        let mut variables = command.get_envs();
        let (_, value) = variables.find(|(name, _)| *name == "CARGO_PROFILE_DEV_OPT_LEVEL")?;
        Some(value?.to_str()?.to_owned())
    }

    #[test]
    fn tests_are_optimised_as_drivers_are() {
        assert_eq!(level("").as_deref(), Some("1"));
        assert_eq!(
            level("[profile.release]\nopt-level = 3").as_deref(),
            Some("1")
        );
    }

    #[test]
    fn the_level_of_the_user_stays() {
        assert_eq!(level("[profile.dev]\nopt-level = 0"), None);
        assert_eq!(level("[profile.test]\nopt-level = 2"), None);
    }
}
