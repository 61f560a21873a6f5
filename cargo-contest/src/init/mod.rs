//! The user's manifests in, edited ones and a first example out: the dependency, the feature that only tests turn on,
//! and one annotated type with a test. Nothing is written before [`Plan::apply`]; existing parts are kept, so a second
//! run changes nothing.

use std::fs;
use std::path::Path;

pub mod dependency_spec;
pub mod example;
pub mod file_edit;
pub mod init_error;
pub mod init_options;
pub mod manifest;
pub mod manifest_edit;
pub mod resolver;
pub mod target_package;

pub use self::file_edit::FileEdit;
pub use self::init_error::InitError;
pub use self::init_options::{InitOptions, RUNTIME};
use self::manifest::Manifest;
use self::target_package::TargetPackage;

/// The planned changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Name of the package.
    pub package: String,
    /// Files that change; empty if all is there already.
    pub edits: Vec<FileEdit>,
    /// What the user should know: where the dependency comes from, what was found and left alone.
    pub notes: Vec<String>,
    /// How to run the example.
    pub next: String,
}

/// Works out the edits for one package.
///
/// # Errors
/// If there is no such package, a manifest cannot be read, or the edit would not do what it should; see [`InitError`].
pub fn plan(options: &InitOptions) -> Result<Plan, InitError> {
    let target = target_package::find(options)?;
    let mut root = Manifest::read(&target.root_manifest)?;
    let mut notes = Vec::new();
    resolver::at_least_two(&mut root, &mut notes)?;
    // The root package's own manifest is the root manifest.
    let same = target.manifest == target.root_manifest;
    let mut own = if same {
        None
    } else {
        Some(Manifest::read(&target.manifest)?)
    };
    let spec = dependency_spec::wanted(options, &mut notes)?;
    let name = match &mut own {
        Some(own) => manifest_edit::add_runtime(own, Some(&mut root), &target, &spec, &mut notes)?,
        None => manifest_edit::add_runtime(&mut root, None, &target, &spec, &mut notes)?,
    };
    let mut edits = Vec::new();
    let example = add_example(
        &target,
        own.as_mut().unwrap_or(&mut root),
        &name,
        &mut notes,
    )?;
    for manifest in [own, Some(root)].into_iter().flatten() {
        edits.extend(manifest.edit());
    }
    edits.extend(example);
    if let Some(theirs) = target.rust_version.as_deref().filter(|it| older(it)) {
        notes.push(format!(
            "{RUNTIME} needs Rust {}; rust-version of `{}` is {theirs}",
            env!("CARGO_PKG_RUST_VERSION"),
            target.name
        ));
    }
    Ok(Plan {
        next: format!(
            "cargo test{} --test {}",
            if target.in_larger_workspace {
                format!(" -p {}", target.name)
            } else {
                String::new()
            },
            example::NAME
        ),
        package: target.name,
        edits,
        notes,
    })
}

impl Plan {
    /// Writes the files. If one cannot be written, or cargo does not accept the manifests, all are put back.
    ///
    /// # Errors
    /// If a file cannot be written, or cargo does not accept the manifests.
    pub fn apply(&self, options: &InitOptions) -> Result<(), InitError> {
        for (n, edit) in self.edits.iter().enumerate() {
            if let Err(source) = write(&edit.path, &edit.after) {
                self.put_back(n);
                return Err(InitError::Write {
                    path: edit.path.clone(),
                    source,
                });
            }
        }
        if let Err(error) = target_package::find(options) {
            self.put_back(self.edits.len());
            return Err(InitError::Refused(error.to_string()));
        }
        Ok(())
    }

    /// Best effort: what cannot be restored is in the diff that was shown.
    fn put_back(&self, written: usize) {
        for edit in &self.edits[..written] {
            let _ = match &edit.before {
                Some(before) => fs::write(&edit.path, before),
                None => fs::remove_file(&edit.path),
            };
        }
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, text)
}

/// The example, unless a file of this name exists, which belongs to the user.
fn add_example(
    target: &TargetPackage,
    manifest: &mut Manifest,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<Option<FileEdit>, InitError> {
    let path = target.directory().join(example::FILE);
    if !target.finds_tests {
        manifest.add_test_target(example::NAME, example::FILE)?;
    }
    if path.exists() {
        notes.push(format!(
            "{} is there already and stays as it is",
            example::FILE
        ));
        return Ok(None);
    }
    Ok(Some(FileEdit {
        path,
        before: None,
        after: example::source(name),
    }))
}

/// True if a `rust-version` is older than the runtime's.
fn older(theirs: &str) -> bool {
    let parts = |text: &str| -> Vec<u32> {
        text.split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    parts(theirs) < parts(env!("CARGO_PKG_RUST_VERSION"))
}
