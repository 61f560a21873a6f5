//! Where built runtimes are kept: the option or the environment, else the setting, else the user's cache directory.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::args::CommonArgs;
use super::options::default_cache_directory;
use super::settings::DirectorySetting;

/// The directory, absolute; `None` if runtimes are kept in the target directory. A setting is relative to
/// `workspace_root`.
///
/// # Errors
/// If there is no working directory, to which the option is relative.
pub fn cache_directory(
    common: &CommonArgs,
    setting: Option<DirectorySetting>,
    workspace_root: &Path,
) -> io::Result<Option<PathBuf>> {
    if common.no_cache {
        return Ok(None);
    }
    match (common.cache_dir.as_deref(), setting) {
        (Some(directory), _) if directory == OsStr::new("") => Ok(None),
        (Some(directory), _) => std::path::absolute(directory).map(Some),
        (None, Some(DirectorySetting::Directory(directory))) => {
            Ok(Some(workspace_root.join(directory)))
        }
        (None, Some(DirectorySetting::Switch(false))) => Ok(None),
        (None, Some(DirectorySetting::Switch(true)) | None) => Ok(default_cache_directory()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(common: &CommonArgs, setting: Option<DirectorySetting>) -> Option<PathBuf> {
        cache_directory(common, setting, Path::new("/project")).unwrap()
    }

    #[test]
    fn the_option_wins_over_the_setting_and_the_setting_over_the_default() {
        let named = CommonArgs {
            cache_dir: Some("/a".into()),
            ..CommonArgs::default()
        };
        let setting = || Some(DirectorySetting::Directory("b".into()));
        assert_eq!(found(&named, setting()), Some("/a".into()));
        let none = CommonArgs::default();
        assert_eq!(found(&none, setting()), Some("/project/b".into()));
        assert_eq!(found(&none, None), default_cache_directory());
    }

    #[test]
    fn each_of_the_three_can_switch_it_off() {
        let off = |no_cache, cache_dir: Option<&str>| CommonArgs {
            no_cache,
            cache_dir: cache_dir.map(Into::into),
            ..CommonArgs::default()
        };
        let setting = || Some(DirectorySetting::Directory("b".into()));
        assert_eq!(found(&off(true, Some("/a")), setting()), None);
        assert_eq!(found(&off(false, Some("")), setting()), None);
        let switch = Some(DirectorySetting::Switch(false));
        assert_eq!(found(&off(false, None), switch), None);
    }
}
