//! A crate in a directory of its own, and catalogs by hand.

use contest_data::subject::StandInMode;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use contest_build::workspace::selection::PackageSource;
use contest_catalog::expression::Expression;
use contest_catalog::subject_catalog::{
    ArgumentChoice, ArgumentRecipe, ConstructorEntry, Made, OperationEntry, Passed, Returned,
    SubjectCatalog, SubjectEntry, Taken,
};
use contest_data::protocol::{Reply, Request};
use contest_drive::harness::{
    BuildEvent, Driver, DriverEvent, DriverExit, DriverOf, HarnessError, HarnessOptions,
    SubjectPackage, Watchdog, prepare_with,
};

use crate::stand_in_runtime;

/// A crate that a user might have. Names differ from test to test: they share a target directory.
pub(crate) struct SubjectCrate {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) package: SubjectPackage,
}

impl SubjectCrate {
    pub(crate) fn new(name: &str, manifest: &str, source: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let package = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{manifest}"
        );
        write(&root, "Cargo.toml", &package);
        write(&root, "src/lib.rs", source);
        Self {
            package: SubjectPackage {
                name: name.to_owned(),
                version: "0.1.0".to_owned(),
                source: PackageSource::Path(root.clone()),
                features: Vec::new(),
                directory: root.clone(),
                workspace_root: root,
                lock_file: None,
                internal: None,
                driver_of: DriverOf::AllTypes,
                tokio: None,
                named: Vec::new(),
                others: Vec::new(),
                providers: Vec::new(),
                critical_section: None,
                target_directory: shared_target_directory(),
            },
            directory,
        }
    }

    pub(crate) fn write(&self, path: &str, contents: &str) {
        write(self.directory.path(), path, contents);
    }

    /// Every file of the user's with its contents.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut directories = vec![self.directory.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        files
    }

    /// Prepares a driver with the stand-in runtime; the events come along.
    pub(crate) fn prepare(
        &self,
        catalog: &SubjectCatalog,
    ) -> (Result<Driver, HarnessError>, Vec<BuildEvent>) {
        let mut events = Vec::new();
        let driver = prepare_with(
            &stand_in_runtime::sources(),
            &self.package,
            catalog,
            &options(&[]),
            &mut |event| events.push(event),
        );
        (driver, events)
    }
}

fn write(directory: &Path, path: &str, contents: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

/// Under the target directory of this workspace, so that the runtime is built once for all tests.
pub(crate) fn shared_target_directory() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("harness")
}

/// The program that cargo calls in place of the compiler.
pub(crate) fn tool() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_cargo-contest"))
}

pub(crate) fn options(cargo_arguments: &[&str]) -> HarnessOptions {
    HarnessOptions {
        debuggable: false,
        memory: false,
        profile: "dev".to_owned(),
        color: false,
        cache: Some(shared_target_directory().join("cache")),
        cargo_arguments: cargo_arguments.iter().map(Into::into).collect(),
        wrapper: tool().to_owned(),
        embedded: &[],
    }
}

/// What the stand-in runtime says of a driver.
pub(crate) fn say(driver: &Driver) -> String {
    let request = Request::Replay {
        token: "all".to_owned(),
    };
    let mut process = driver.start(&request, Watchdog::default()).unwrap();
    let mut said = String::new();
    loop {
        let wait = Watchdog::default().silence * 2;
        match process.next_event(wait).unwrap() {
            DriverEvent::Reply(reply) => match *reply {
                Reply::Refused(text) => said = text,
                other => panic!("{other:?}"),
            },
            DriverEvent::Quiet => panic!("neither a reply nor an end"),
            DriverEvent::Ended(DriverExit::Done) => return said,
            DriverEvent::Ended(exit) => panic!("{exit:?}"),
        }
    }
}

pub(crate) fn subject(
    path: &str,
    constructors: &[&str],
    operations: Vec<OperationEntry>,
) -> SubjectEntry {
    let constructor = |expression: &&str| ConstructorEntry {
        text: (*expression).into(),
        expression: (*expression).into(),
        made: Made::Plain,
        mode: StandInMode::Usual,
        arguments: Vec::new(),
    };
    SubjectEntry {
        path: path.to_owned(),
        type_expression: path.to_owned(),
        declared: "src/lib.rs:1".to_owned(),
        constructors: constructors.iter().map(constructor).collect(),
        operations,
        left_out: Vec::new(),
    }
}

pub(crate) fn catalog(subjects: Vec<SubjectEntry>) -> SubjectCatalog {
    SubjectCatalog {
        unsafe_impls: Vec::new(),
        idioms: Vec::new(),
        subjects,
        ..SubjectCatalog::default()
    }
}

pub(crate) fn operation(
    name: &str,
    taken: Taken,
    arguments: Vec<ArgumentRecipe>,
) -> OperationEntry {
    let text = Expression::Object.method(name, Expression::arguments(0, arguments.len()));
    OperationEntry {
        name: name.to_owned(),
        text: text.clone(),
        expression: text,
        taken,
        arguments,
        returned: Returned::Observe,
        weak: false,
        approximate: false,
        polled: false,
        not_cancel_safe: None,
        announced_panic: None,
        observer: false,
        may_observe: false,
        keeping: contest_data::subject::Keeping::No,
        user_code: contest_data::subject::UserCode::Plain,
        given_out: Vec::new(),
        from_trait: None,
        declared: "src/lib.rs:2".to_owned(),
    }
}

pub(crate) fn argument(passed: Passed, choices: &[&str]) -> ArgumentRecipe {
    let choice = |text: &&str| ArgumentChoice {
        text: (*text).to_owned(),
        expression: (*text).into(),
    };
    ArgumentRecipe {
        type_expression: None,
        passed,
        choices: choices.iter().map(choice).collect(),
        of_texts: false,
    }
}
