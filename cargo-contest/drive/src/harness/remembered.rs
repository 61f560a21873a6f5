//! What did not compile in drivers that were built before, so that it is not tried again.
//!
//! It holds as long as no crate is built anew: all drivers of a build directory forget it then.

use std::fs;
use std::path::{Path, PathBuf};

use super::left_out::LeftOut;
use contest_build::workspace::scratch_dir::{WriteError, write_if_changed};

/// Most drivers of a build directory: of packages, and of selections of their types.
const MOST: usize = 64;

/// What was left out of drivers, by the hash of their whole source.
#[derive(Debug)]
pub(super) struct Remembered {
    path: PathBuf,
    /// The newest last.
    all: Vec<(u64, LeftOut)>,
}

impl Remembered {
    /// As it was kept in a build directory. What cannot be read is forgotten.
    pub(super) fn read(directory: &Path) -> Self {
        let path = directory.join("left-out.json");
        let text = fs::read_to_string(&path).ok();
        let all = text.and_then(|it| serde_json::from_str(&it).ok());
        Self {
            path,
            all: all.unwrap_or_default(),
        }
    }

    pub(super) fn of(&self, driver: u64) -> Option<LeftOut> {
        let known = self.all.iter().find(|(it, _)| *it == driver);
        known.map(|(_, left_out)| left_out.clone())
    }

    /// A crate was built anew: what did not compile may compile now.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn forget(&mut self) -> Result<(), WriteError> {
        if self.all.is_empty() {
            return Ok(());
        }
        self.all.clear();
        self.write()
    }

    /// # Errors
    /// If the file cannot be written.
    pub(super) fn keep(&mut self, driver: u64, left_out: LeftOut) -> Result<(), WriteError> {
        if self.of(driver).as_ref() == Some(&left_out) {
            return Ok(());
        }
        self.all.retain(|(it, _)| *it != driver);
        self.all.push((driver, left_out));
        let too_many = self.all.len().saturating_sub(MOST);
        self.all.drain(..too_many);
        self.write()
    }

    fn write(&self) -> Result<(), WriteError> {
        let text = serde_json::to_string(&self.all).unwrap_or_default();
        write_if_changed(&self.path, &text).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(operation: usize) -> LeftOut {
        let item = serde_json::json!({"Operation": [0, operation]});
        let items = serde_json::json!([[item, "does not compile"]]);
        serde_json::from_value(serde_json::json!({"items": items, "plain": []})).unwrap()
    }

    #[test]
    fn each_selection_is_remembered_until_a_crate_is_built_anew() {
        let directory = tempfile::tempdir().unwrap();
        let mut all = Remembered::read(directory.path());
        assert_eq!(all.of(1), None);
        all.keep(1, without(1)).unwrap();
        all.keep(2, without(2)).unwrap();
        let mut all = Remembered::read(directory.path());
        assert_eq!(all.of(1), Some(without(1)));
        assert_eq!(all.of(2), Some(without(2)));
        all.forget().unwrap();
        assert_eq!(Remembered::read(directory.path()).of(1), None);
    }

    #[test]
    fn the_oldest_is_forgotten_where_there_are_too_many() {
        let directory = tempfile::tempdir().unwrap();
        let mut all = Remembered::read(directory.path());
        for driver in 0..=MOST {
            all.keep(driver as u64, without(driver)).unwrap();
        }
        assert_eq!(all.of(0), None);
        assert_eq!(all.of(1), Some(without(1)));
    }
}
