//! The runtime for a toolchain, from a [`RuntimeStore`], which it is built for if it is not there.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tracing::{debug, info, info_span};

use crate::instrument::access_flags::why_refused;
use crate::instrument::facade_build::{
    BuiltLibraries, Facade, FacadeError, build_libraries, fingerprint,
};
use crate::instrument::lock_stand_in;
use crate::instrument::runtime_sources::RuntimeSources;
use crate::instrument::runtime_store::LockMode::{Exclusive, Shared};
use crate::instrument::runtime_store::{RuntimeStore, STAMP};
use crate::workspace::cargo_build::{CargoMessage, Toolchain};
use crate::workspace::scratch_dir::WriteError;

/// What [`RuntimeStore::obtain`] reports while it works.
#[derive(Debug)]
pub enum StoreEvent {
    /// Another run builds the runtime; this one waits for it.
    Waiting,
    /// The runtime is being built.
    Building,
    /// A message of cargo.
    Cargo(CargoMessage),
}

/// A runtime that is kept as long as this lives.
#[derive(Debug)]
pub struct Runtime {
    /// Its libraries.
    pub facade: Facade,
    _in_use: Option<File>,
}

/// Contents of `built.json`.
#[derive(Serialize, Deserialize)]
struct Stamp {
    facade: String,
    driver: String,
    /// Length in bytes of each library, and of each source of drop-ins for lock libraries, by file name.
    files: BTreeMap<String, u64>,
    /// Hash of their contents.
    contents: u64,
    accesses_refused: Option<String>,
}

impl RuntimeStore {
    /// The runtime for a toolchain; built if it is not there, with the help of `tool`, which is this program. If
    /// another run builds it, this one waits.
    ///
    /// # Errors
    /// [`FacadeError::Write`] if the directory cannot be used: no space, no permission. Others if the runtime cannot be
    /// built.
    pub fn obtain(
        &self,
        toolchain: &Toolchain,
        sources: &RuntimeSources,
        tool: &Path,
        on_event: &mut dyn FnMut(StoreEvent),
    ) -> Result<Runtime, FacadeError> {
        let fingerprint = fingerprint(toolchain, sources);
        let _span = info_span!("facade build", fingerprint).entered();
        if let Some(runtime) = self.existing(&fingerprint, on_event)? {
            return Ok(runtime);
        }
        {
            let exclusive = self.lock(&fingerprint, Exclusive, &mut || {
                on_event(StoreEvent::Waiting)
            })?;
            // Another run may have built it in the meantime.
            if self.read(&fingerprint).is_none() {
                // Where there are no locks, another run may be building it now.
                if exclusive.try_lock().is_ok() {
                    self.remove_partial(&fingerprint);
                }
                on_event(StoreEvent::Building);
                self.build(toolchain, sources, &fingerprint, tool, on_event)?;
                self.prune(&fingerprint);
            }
        }
        self.existing(&fingerprint, on_event)?.ok_or_else(|| {
            let gone = io::Error::new(io::ErrorKind::NotFound, "what was built there is gone");
            WriteError::new(self.entry(&fingerprint), gone).into()
        })
    }

    fn existing(
        &self,
        fingerprint: &str,
        on_event: &mut dyn FnMut(StoreEvent),
    ) -> Result<Option<Runtime>, FacadeError> {
        let in_use = match self.lock(fingerprint, Shared, &mut || on_event(StoreEvent::Waiting)) {
            Ok(lock) => Some(lock),
            // A directory that only others may write: its entries can be used, and this run cannot remove any.
            Err(_) if self.read(fingerprint).is_some() => None,
            Err(error) => return Err(error.into()),
        };
        Ok(self.read(fingerprint).map(|facade| {
            debug!(entry = %self.entry(fingerprint).display(), "built before");
            self.note_use(fingerprint);
            Runtime {
                facade,
                _in_use: in_use,
            }
        }))
    }

    /// An entry, if it is whole.
    fn read(&self, fingerprint: &str) -> Option<Facade> {
        let entry = self.entry(fingerprint);
        let stamp: Stamp = serde_json::from_slice(&fs::read(entry.join(STAMP)).ok()?).ok()?;
        let mut files = stamp.files.iter();
        let whole = files.all(|(name, bytes)| {
            fs::metadata(entry.join(name)).is_ok_and(|file| file.len() == *bytes)
        });
        whole.then(|| Facade {
            facade_rlib: entry.join(&stamp.facade),
            driver_rlib: entry.join(&stamp.driver),
            lock_sources: entry.clone(),
            fingerprint: format!("{fingerprint}-{:08x}", stamp.contents as u32),
            accesses_refused: stamp.accesses_refused,
            dependency_directories: vec![entry],
        })
    }

    fn build(
        &self,
        toolchain: &Toolchain,
        sources: &RuntimeSources,
        fingerprint: &str,
        tool: &Path,
        on_event: &mut dyn FnMut(StoreEvent),
    ) -> Result<(), FacadeError> {
        let building = self.directory().join(format!("building-{fingerprint}"));
        info!(directory = %building.display(), "building");
        let built = build_libraries(toolchain, sources, &building, tool, &mut |message| {
            on_event(StoreEvent::Cargo(message));
        });
        let collected = built.and_then(|built| {
            self.collect(fingerprint, &built, why_refused(toolchain))
                .map_err(|source| self.failed(fingerprint, source))
        });
        if matches!(collected, Ok(_) | Err(FacadeError::Write(_))) {
            // Before the entry appears: once it is there, no run builds again and removes what is left of this one.
            // What cannot be removed is used by the next build.
            let _ = fs::remove_dir_all(&building);
        }
        self.publish(fingerprint, collected?)
            .map_err(|source| self.failed(fingerprint, source))
    }

    fn failed(&self, fingerprint: &str, source: io::Error) -> FacadeError {
        WriteError::new(self.entry(fingerprint), source).into()
    }

    /// All files of an entry, in a directory beside it.
    fn collect(
        &self,
        fingerprint: &str,
        built: &BuiltLibraries,
        accesses_refused: Option<String>,
    ) -> io::Result<TempDir> {
        let partial = tempfile::Builder::new()
            .prefix(&format!("partial-{fingerprint}-"))
            .tempdir_in(self.directory())?;
        let mut files = BTreeMap::new();
        let mut names = BTreeMap::new();
        let mut contents = DefaultHasher::new();
        for file in &built.files {
            let name = name_among(&files, file)?;
            names.insert(file, name.clone());
            let copy = partial.path().join(&name);
            fs::hard_link(file, &copy).or_else(|_| fs::copy(file, &copy).map(drop))?;
            let bytes = fs::read(&copy)?;
            bytes.hash(&mut contents);
            files.insert(name, bytes.len() as u64);
        }
        let libraries = lock_stand_in::DROP_INS.iter().map(|it| it.directory);
        let sources = built.lock_sources.as_deref();
        for (library, sources) in libraries.filter_map(|it| Some((it, sources?.join(it)))) {
            fs::create_dir(partial.path().join(library))?;
            for source in fs::read_dir(sources)? {
                let source = source?;
                let name = Path::new(library).join(source.file_name());
                let length = fs::copy(source.path(), partial.path().join(&name))?;
                files.insert(name.to_string_lossy().into_owned(), length);
            }
        }
        let stamp = Stamp {
            facade: name_given(&names, &built.facade_rlib)?,
            driver: name_given(&names, &built.driver_rlib)?,
            files,
            contents: contents.finish(),
            accesses_refused,
        };
        fs::write(partial.path().join(STAMP), serde_json::to_string(&stamp)?)?;
        // Others may use the entry, although they cannot write here.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(partial.path(), fs::Permissions::from_mode(0o755))?;
        }
        Ok(partial)
    }

    /// Makes the entry: it appears at once, and whole.
    fn publish(&self, fingerprint: &str, partial: TempDir) -> io::Result<()> {
        let entry = self.entry(fingerprint);
        if entry.exists() {
            // It is not whole, else it would not have been built again.
            fs::remove_dir_all(&entry)?;
        }
        fs::rename(partial.path(), &entry)?;
        // Nothing is left to be removed.
        let _ = partial.keep();
        Ok(())
    }
}

/// Name of a library in the entry, where all lie side by side. Two of one name are two versions of a crate; the
/// compiler reads all whose names begin with that of the crate.
fn name_among(others: &BTreeMap<String, u64>, file: &Path) -> io::Result<String> {
    let part = |part: Option<&OsStr>| Some(part?.to_str()?.to_owned());
    let (stem, extension) = (part(file.file_stem()), part(file.extension()));
    let (Some(stem), Some(extension)) = (stem, extension) else {
        return Err(io::Error::other("a library without a name"));
    };
    let first = format!("{stem}.{extension}");
    let further = (1..).map(|number| format!("{stem}-{number}.{extension}"));
    let mut free = std::iter::once(first).chain(further);
    let name = free.find(|it| !others.contains_key(it));
    Ok(name.unwrap_or_default())
}

fn name_given(names: &BTreeMap<&PathBuf, String>, file: &PathBuf) -> io::Result<String> {
    let name = names.get(file).cloned();
    name.ok_or_else(|| io::Error::other("a library that was not built"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_libraries_of_one_name_have_two_files() {
        let mut libraries = BTreeMap::new();
        for (file, name) in [
            ("/t/libc/0f/out/liblibc.rlib", "liblibc.rlib"),
            ("/t/libc/1a/out/liblibc.rlib", "liblibc-1.rlib"),
            ("/t/libc/2b/out/liblibc.rlib", "liblibc-2.rlib"),
            ("/t/all/libserde-3c.rlib", "libserde-3c.rlib"),
        ] {
            assert_eq!(name_among(&libraries, Path::new(file)).unwrap(), name);
            libraries.insert(name.to_owned(), 0);
        }
    }
}
