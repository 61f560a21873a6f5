//! Cargo's configuration files, as far as the tool has to know what is in them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// False if no configuration that cargo reads in `directory` has the setting of this name, whatever its table.
pub fn may_set(directory: &Path, name: &str) -> bool {
    files(directory).any(|file| may_have(&file, name))
}

fn may_have(file: &Path, name: &str) -> bool {
    match fs::read_to_string(file) {
        // Further files may be included.
        Ok(text) => text.contains(name) || text.contains("include"),
        // Cargo will say what is wrong with it.
        Err(_) => file.exists(),
    }
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
    fn a_setting_is_seen_from_directories_below_it() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("member/src");
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir(directory.path().join(".cargo")).unwrap();
        // Not those of the developer.
        let own = || files(&inner).filter(|it| it.starts_with(directory.path()));
        let is_set = || own().any(|it| may_have(&it, "rustc-workspace-wrapper"));
        assert!(!is_set());
        let config = directory.path().join(".cargo/config.toml");
        fs::write(&config, "[build]\nrustflags = []\n").unwrap();
        assert!(!is_set());
        fs::write(&config, "build.rustc-workspace-wrapper = \"x\"\n").unwrap();
        assert!(is_set());
        fs::write(&config, "include = \"other.toml\"\n").unwrap();
        assert!(is_set());
        assert!(may_set(&inner, "rustc-workspace-wrapper"));
    }
}
