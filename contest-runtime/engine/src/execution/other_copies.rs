//! Two versions of this crate in one program: locks of the one are unknown to the other's scheduler.
//!
//! The compiler rejects types of the other version where the attributes meet them. What the attributes do not see, a
//! lock in a function of a dependency say, would only be noticed when it blocks for real. So the versions are read from
//! the lock file beside or above the package of a test.

use std::path::Path;

/// The package that users depend on; the engine comes with it.
const PACKAGE: &str = "contest-runtime";

/// The versions of this crate in the program's graph, if there are several.
pub fn several() -> Option<String> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let locks = Path::new(&package)
        .ancestors()
        .map(|it| it.join("Cargo.lock"));
    let lock = locks.into_iter().find(|it| it.is_file())?;
    let versions = versions(&std::fs::read_to_string(lock).ok()?);
    (versions.len() > 1).then(|| {
        format!(
            "there are {} copies of contest-runtime in Cargo.lock ({}): locks of a crate that uses another copy than this test are not seen by \
             the scheduler. `cargo tree -i contest-runtime@{}` shows who does; all must use the same",
            versions.len(),
            versions.join(", "),
            versions[0],
        )
    })
}

/// Of the packages of this name in a lock file.
fn versions(lock: &str) -> Vec<String> {
    let packages = lock.split("[[package]]");
    packages
        .filter_map(|package| {
            let value = |key: &str| {
                let line = package.lines().find_map(|line| line.strip_prefix(key))?;
                Some(line.trim_start_matches([' ', '=']).trim_matches('"'))
            };
            (value("name")? == PACKAGE).then(|| value("version").unwrap_or("?").to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::versions;

    #[test]
    fn copies_are_counted_and_other_packages_are_not() {
        let lock = "version = 4\n\n[[package]]\nname = \"contest-macros\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"contest-runtime\"\nversion = \
                    \"0.1.0\"\ndependencies = [\n \"contest-macros\",\n]\n\n[[package]]\nname = \"contest-runtime\"\nversion = \"0.2.0\"\n";
        assert_eq!(versions(lock), ["0.1.0", "0.2.0"]);
        assert!(versions("").is_empty());
    }
}
