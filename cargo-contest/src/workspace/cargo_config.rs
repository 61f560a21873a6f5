//! Cargo's configuration files, as far as the tool has to know what is in them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// False if no configuration that cargo reads in `directory` says which wrapper members of the workspace are compiled
/// with.
pub(super) fn may_set_workspace_wrapper(directory: &Path) -> bool {
    // Further files may be included.
    let words = ["rustc-workspace-wrapper", "include"];
    files(directory).any(|file| match fs::read_to_string(&file) {
        Ok(text) => words.iter().any(|word| text.contains(word)),
        // Cargo will say what is wrong with it.
        Err(_) => file.exists(),
    })
}

/// Files that are read if they are there: of the directory, those above it, and the user.
fn files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let absolute = std::path::absolute(directory);
    let directory = absolute.unwrap_or_else(|_| directory.to_owned());
    let above = directory.ancestors().map(|it| it.join(".cargo"));
    let of_user = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".cargo")));
    let places: Vec<PathBuf> = above.chain(of_user).collect();
    let files = |place: PathBuf| [place.join("config.toml"), place.join("config")];
    places.into_iter().flat_map(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_of_the_workspace_is_seen_from_directories_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("member/src");
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir(directory.path().join(".cargo")).unwrap();
        let before = may_set_workspace_wrapper(&inner);
        let config = directory.path().join(".cargo/config.toml");
        fs::write(&config, "[build]\nrustflags = []\n").unwrap();
        assert_eq!(may_set_workspace_wrapper(&inner), before);
        fs::write(&config, "build.rustc-workspace-wrapper = \"x\"\n").unwrap();
        assert!(may_set_workspace_wrapper(&inner));
        fs::write(&config, "include = \"other.toml\"\n").unwrap();
        assert!(may_set_workspace_wrapper(&inner));
    }
}
