//! One manifest, edited in place: what is not touched stays as it was written.

use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

use super::file_edit::FileEdit;
use super::init_error::InitError;
use super::init_options::RUNTIME;

/// A manifest.
#[derive(Debug)]
pub struct Manifest {
    path: PathBuf,
    before: String,
    document: DocumentMut,
    changed: bool,
}

impl Manifest {
    /// Reads it.
    ///
    /// # Errors
    /// If it cannot be read or is not TOML.
    pub fn read(path: &Path) -> Result<Self, InitError> {
        let before = fs::read_to_string(path).map_err(|source| InitError::Read {
            path: path.to_path_buf(),
            source,
        })?;
        // toml_edit keeps neither a byte order mark nor CRLF; both are restored at the end.
        let plain = before.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let document = plain.parse().map_err(|error| InitError::Edit {
            path: path.to_path_buf(),
            why: format!("{error}"),
        })?;
        Ok(Self {
            path: path.to_path_buf(),
            before,
            document,
            changed: false,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What stands at a path of keys.
    #[must_use]
    pub fn get(&self, keys: &[&str]) -> Option<&Item> {
        keys.iter()
            .try_fold(self.document.as_item(), |item, key| item.get(key))
    }

    /// The string at a path of keys.
    #[must_use]
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        self.get(keys)?.as_str()
    }

    /// The edit, if anything changed.
    #[must_use]
    pub fn edit(self) -> Option<FileEdit> {
        if !self.changed {
            return None;
        }
        let mut after = self.document.to_string();
        // The more frequent line ending wins.
        if self.before.matches("\r\n").count() * 2 > self.before.matches('\n').count() {
            after = after.replace('\n', "\r\n");
        }
        if self.before.starts_with('\u{feff}') {
            after.insert(0, '\u{feff}');
        }
        Some(FileEdit {
            path: self.path,
            before: Some(self.before),
            after,
        })
    }

    /// Records that an item was changed through [`table`](Self::table).
    pub(super) fn touch(&mut self) {
        self.changed = true;
    }

    /// Sets a value in a table that is there.
    ///
    /// # Errors
    /// If it is not a table.
    pub fn set(&mut self, table: &str, key: &str, text: &str) -> Result<(), InitError> {
        self.changed = true;
        self.table(&[table])?.insert(key, value(text));
        Ok(())
    }

    /// Declares a test target that cargo does not discover.
    ///
    /// # Errors
    /// If `test` is not a list of tables.
    pub fn add_test_target(&mut self, name: &str, file: &str) -> Result<(), InitError> {
        let unexpected = || InitError::Edit {
            path: self.path.clone(),
            why: "`test` is not a list of tables".to_owned(),
        };
        let item = self
            .document
            .entry("test")
            .or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let tests = item.as_array_of_tables_mut().ok_or_else(unexpected)?;
        if tests
            .iter()
            .any(|test| test.get("name").and_then(Item::as_str) == Some(name))
        {
            return Ok(());
        }
        let mut test = Table::new();
        test.insert("name", value(name));
        test.insert("path", value(file));
        tests.push(test);
        self.changed = true;
        Ok(())
    }

    /// The table at a path of keys, made if there is none.
    pub(super) fn table(&mut self, keys: &[&str]) -> Result<&mut dyn TableLike, InitError> {
        let path = self.path.clone();
        let mut item = self.document.as_item_mut();
        for key in keys {
            let table = item.as_table_like_mut().ok_or_else(|| InitError::Edit {
                path: path.clone(),
                why: format!("`{}` is not a table", keys.join(".")),
            })?;
            if table.get(key).is_none() {
                table.insert(key, Item::Table(Table::new()));
            }
            item = table.get_mut(key).expect("it was just inserted");
        }
        item.as_table_like_mut().ok_or_else(|| InitError::Edit {
            path,
            why: format!("`{}` is not a table", keys.join(".")),
        })
    }

    /// Inserts in alphabetical order, if that is how the table is.
    pub(super) fn insert(&mut self, keys: &[&str], key: &str, item: Item) -> Result<(), InitError> {
        self.changed = true;
        let table = self.table(keys)?;
        let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
        let sorted = names.is_sorted();
        table.insert(key, item);
        if sorted {
            table.sort_values();
        }
        Ok(())
    }

    /// The key under which a table of dependencies has the runtime. `inherited` is the table that `workspace = true`
    /// refers to.
    pub(super) fn runtime_key(&self, keys: &[&str], inherited: Option<&str>) -> Option<String> {
        let table = self.get(keys)?.as_table_like()?;
        table.iter().find_map(|(key, item)| {
            let is_it = match item.get("package").and_then(Item::as_str) {
                Some(package) => package == RUNTIME,
                None if inherits(item) => inherited == Some(key),
                None => key == RUNTIME,
            };
            is_it.then(|| key.to_owned())
        })
    }
}

/// True for `workspace = true`.
pub(super) fn inherits(item: &Item) -> bool {
    item.get("workspace").and_then(Item::as_bool) == Some(true)
}
