//! Which targets of packages have the tests that are run: as cargo chooses them by the same options.

/// The tests that are run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestTargets {
    /// What cargo tests if no target is named, but for documentation.
    pub default: bool,
    /// Targets that are named.
    pub named: Vec<NamedTargets>,
    /// Examples in the documentation.
    pub documentation: Documentation,
}

/// One option of cargo that names targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedTargets {
    /// `--lib`.
    Library,
    /// `--bins`.
    Programs,
    /// `--bin NAME`.
    Program(String),
    /// `--tests`.
    Tests,
    /// `--test NAME`.
    Test(String),
    /// `--examples`.
    Examples,
    /// `--example NAME`.
    Example(String),
    /// `--benches`.
    Benches,
    /// `--all-targets`.
    All,
}

/// Whose documentation is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Documentation {
    /// That of no package.
    #[default]
    None,
    /// That of packages whose manifest does not switch it off.
    AsCargo,
    /// That of all packages.
    All,
}

impl TestTargets {
    /// What cargo tests if no target is named.
    #[must_use]
    pub fn as_cargo() -> Self {
        Self {
            default: true,
            named: Vec::new(),
            documentation: Documentation::AsCargo,
        }
    }

    /// Those of both.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.named.extend(other.named);
        Self {
            default: self.default || other.default,
            named: self.named,
            documentation: self.documentation.max(other.documentation),
        }
    }

    /// True if cargo builds executables of tests for them.
    #[must_use]
    pub fn are_built(&self) -> bool {
        self.default || !self.named.is_empty()
    }

    /// Those of one executable, by its name. An example is built like the others, and a test may start it.
    #[must_use]
    pub fn of_executable(name: &str) -> Self {
        let (kind, target) = name.split_once(' ').unwrap_or((name, ""));
        match kind {
            "doc" => Self {
                documentation: Documentation::All,
                ..Self::default()
            },
            "example" => Self {
                named: vec![NamedTargets::Example(target.to_owned())],
                ..Self::default()
            },
            _ => Self {
                default: true,
                ..Self::default()
            },
        }
    }

    /// As options of `cargo test`.
    pub(super) fn options(&self) -> Vec<String> {
        if self.default {
            // What else is named is a part of it, but for examples.
            let options = self.options_of_examples();
            return if options.is_empty() {
                options
            } else {
                [vec!["--tests".to_owned()], options].concat()
            };
        }
        self.named.iter().flat_map(NamedTargets::option).collect()
    }

    /// As options of the plain command that is compared with.
    pub(super) fn planned_options(&self) -> Vec<String> {
        if self.are_built() {
            self.options()
        } else {
            vec!["--doc".to_owned()]
        }
    }

    /// Options of `cargo build`, which goes on after an error with `--keep-going`. Empty if it can build none of these
    /// targets.
    pub(super) fn options_of_build(&self) -> Vec<String> {
        if self.default {
            return ["--tests", "--examples"].map(str::to_owned).to_vec();
        }
        // `--lib` and the like would build what is not a test; who asks for the tests of one has those of all, and
        // takes the ones that are meant.
        let option = |it: &NamedTargets| match it {
            NamedTargets::Test(_) | NamedTargets::All | NamedTargets::Benches => it.option(),
            _ => vec!["--tests".to_owned()],
        };
        let others = self.named.iter().filter(|it| !it.are_examples());
        let all: Vec<Vec<String>> = others.map(option).collect();
        // Cargo takes each once.
        let is_first = |at: &usize| !all[..*at].contains(&all[*at]);
        let once = (0..all.len()).filter(is_first);
        once.flat_map(|at| all[at].clone()).collect()
    }

    /// Options of `cargo test` for the examples: `cargo build` does not build their tests.
    pub(super) fn options_of_examples(&self) -> Vec<String> {
        let examples = self.named.iter().filter(|it| it.are_examples());
        examples.flat_map(NamedTargets::option).collect()
    }
}

impl NamedTargets {
    fn option(&self) -> Vec<String> {
        let (option, name) = match self {
            Self::Library => ("--lib", None),
            Self::Programs => ("--bins", None),
            Self::Program(name) => ("--bin", Some(name)),
            Self::Tests => ("--tests", None),
            Self::Test(name) => ("--test", Some(name)),
            Self::Examples => ("--examples", None),
            Self::Example(name) => ("--example", Some(name)),
            Self::Benches => ("--benches", None),
            Self::All => ("--all-targets", None),
        };
        std::iter::once(option.to_owned())
            .chain(name.cloned())
            .collect()
    }

    fn are_examples(&self) -> bool {
        matches!(self, Self::Examples | Self::Example(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_takes_each_option_of_a_build_once() {
        use NamedTargets::{Examples, Library, Programs, Test, Tests};
        let one = Test("queue".to_owned());
        let targets = TestTargets {
            named: vec![Library, Programs, one, Tests, Examples],
            ..TestTargets::default()
        };
        assert_eq!(targets.options_of_build(), ["--tests", "--test", "queue"]);
    }

    #[test]
    fn a_token_of_an_example_of_documentation_needs_no_executable_of_cargo() {
        let doc = TestTargets::of_executable("doc edition2018");
        assert!(!doc.are_built());
        let both = doc.or(TestTargets::of_executable("test queue"));
        assert!(both.are_built() && both.documentation == Documentation::All);
        assert!(both.options().is_empty());
        let example = both.or(TestTargets::of_executable("example first"));
        assert_eq!(example.options(), ["--tests", "--example", "first"]);
        assert_eq!(example.options_of_build(), ["--tests", "--examples"]);
        assert_eq!(example.options_of_examples(), ["--example", "first"]);
    }
}
