//! Levels of findings: which are not reported, and which fail no run.
//!
//! Each rule is about a kind, everywhere or in one place. The command line is stronger than the package, that than its
//! workspace, and all are stronger than the defaults; in one of these, a place is stronger than everywhere, and the
//! stricter level is stronger than the other.

use clap::Args;
use contest_data::finding::{Allowed, FindingKind};

use super::settings::LevelTable;

/// Word that stands for all findings that are warnings, in `--deny`.
const WARNINGS: &str = "warnings";

/// What `--deny` names: a kind, or all warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denied {
    /// `warnings`.
    Warnings,
    /// A kind, everywhere or in one place.
    Kind(Allowed),
}

impl Denied {
    /// Reads `warnings`, `panic` or `data-race:src/ring.rs:12`.
    ///
    /// # Errors
    /// Lists the kinds, or says what a place looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            WARNINGS => Ok(Self::Warnings),
            _ => Allowed::parse(text)
                .map(Self::Kind)
                .map_err(|why| format!("{why}; or `{WARNINGS}`, for all that are warnings")),
        }
    }
}

impl From<FindingKind> for Denied {
    fn from(kind: FindingKind) -> Self {
        Self::Kind(Allowed::all(kind))
    }
}

/// Rules of one place where they may be given: the options of all commands that find something, or a table of settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Rules {
    /// Do not report this kind of finding, everywhere or in one place: `data-race`, `data-race:src/ring.rs`,
    /// `data-race:src/ring.rs:12`
    #[arg(long, value_name = "KIND[:PLACE]", value_parser = Allowed::parse, help_heading = "Findings")]
    pub allow: Vec<Allowed>,
    /// Report this kind of finding as a warning, everywhere or in one place: warnings fail no run and no test
    #[arg(long, value_name = "KIND[:PLACE]", value_parser = Allowed::parse, help_heading = "Findings")]
    pub warn: Vec<Allowed>,
    /// Fail on this kind of finding, everywhere or in one place, although it is allowed or a warning: by the settings,
    /// or by default as `reentrant-waker`, `futurelock` and `torn-read` are. `warnings`: on all warnings
    #[arg(long, value_name = "KIND[:PLACE]|warnings", value_parser = Denied::parse, help_heading = "Findings")]
    pub deny: Vec<Denied>,
}

/// What becomes of findings. What neither list covers fails the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// Not reported.
    pub allow: Vec<Allowed>,
    /// Reported as warnings.
    pub warn: Vec<Allowed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Allow,
    Warn,
    Deny,
}

impl Levels {
    /// Those of the command line together with the manifest's.
    ///
    /// # Errors
    /// Names the setting that is none, and says what it looks like.
    pub fn new(arguments: Rules, manifest: &[LevelTable]) -> Result<Self, (&'static str, String)> {
        let mut sources = vec![arguments];
        for table in manifest {
            sources.push(Rules::of(table)?);
        }
        sources.push(Rules {
            allow: Allowed::by_default(),
            warn: Allowed::warned_of_by_default(),
            deny: Vec::new(),
        });
        Ok(Self::of(&sources))
    }

    /// The strongest of the sources comes first.
    fn of(sources: &[Rules]) -> Self {
        let all = sources.iter().flat_map(|source| &source.deny);
        let denies_warnings = all.into_iter().any(|it| *it == Denied::Warnings);
        let ranked: Vec<(Level, &Allowed)> = sources.iter().flat_map(Rules::ranked).collect();
        let mut levels = Self::default();
        for (number, (level, rule)) in ranked.iter().enumerate() {
            let others = ranked[..number].iter();
            let others: Vec<&Allowed> = others
                .filter(|(other, it)| it.kind == rule.kind && other != level)
                .map(|(_, it)| *it)
                .collect();
            if others.iter().any(|it| it.place.is_none()) {
                continue;
            }
            let rule = Allowed {
                except: others.iter().filter_map(|it| it.place.clone()).collect(),
                ..(*rule).clone()
            };
            let list = match level {
                Level::Allow => &mut levels.allow,
                Level::Warn if !denies_warnings => &mut levels.warn,
                _ => continue,
            };
            if !list.contains(&rule) {
                list.push(rule);
            }
        }
        levels
    }
}

impl Rules {
    /// Those of a table of the manifest.
    fn of(table: &LevelTable) -> Result<Self, (&'static str, String)> {
        fn read<T>(
            key: &'static str,
            texts: &[String],
            parse: impl Fn(&str) -> Result<T, String>,
        ) -> Result<Vec<T>, (&'static str, String)> {
            let read = |text: &String| parse(text).map_err(|why| (key, format!("`{text}`: {why}")));
            texts.iter().map(read).collect()
        }
        Ok(Self {
            allow: read("allow", &table.allow, Allowed::parse)?,
            warn: read("warn", &table.warn, Allowed::parse)?,
            deny: read("deny", &table.deny, Denied::parse)?,
        })
    }

    /// The strongest first.
    fn ranked(&self) -> Vec<(Level, &Allowed)> {
        let denied = self.deny.iter().filter_map(|it| match it {
            Denied::Warnings => None,
            Denied::Kind(kind) => Some((Level::Deny, kind)),
        });
        let warned = self.warn.iter().map(|it| (Level::Warn, it));
        let allowed = self.allow.iter().map(|it| (Level::Allow, it));
        let mut ranked: Vec<(Level, &Allowed)> = denied.chain(warned).chain(allowed).collect();
        let narrow = |it: &Allowed| {
            let place = it.place.as_deref();
            place.map_or(0, |place| 1 + usize::from(!place.ends_with(".rs")))
        };
        ranked.sort_by_key(|(level, it)| std::cmp::Reverse((narrow(it), *level)));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], warn: &[&str], deny: &[&str]) -> Rules {
        let read = |texts: &[&str]| texts.iter().map(|it| Allowed::parse(it).unwrap()).collect();
        Rules {
            allow: read(allow),
            warn: read(warn),
            deny: deny.iter().map(|it| Denied::parse(it).unwrap()).collect(),
        }
    }

    fn level(sources: &[Rules], kind: FindingKind, place: &str) -> &'static str {
        let levels = Levels::of(sources);
        let covers = |list: &[Allowed]| list.iter().any(|it| it.covers(kind, &[place.to_owned()]));
        match (covers(&levels.allow), covers(&levels.warn)) {
            (true, _) => "allow",
            (_, true) => "warn",
            _ => "deny",
        }
    }

    #[test]
    fn every_kind_has_every_level_everywhere_and_in_one_place() {
        for (kind, name) in FindingKind::OF_CAMPAIGNS {
            let place = format!("{name}:src/a.rs");
            let defaults = || Rules {
                allow: Allowed::by_default(),
                warn: Allowed::warned_of_by_default(),
                deny: Vec::new(),
            };
            for (given, expected) in [
                (rules(&[name], &[], &[]), "allow"),
                (rules(&[], &[name], &[]), "warn"),
                (rules(&[], &[], &[name]), "deny"),
            ] {
                assert_eq!(
                    level(&[given, defaults()], kind, "src/b.rs:1:1"),
                    expected,
                    "{name}"
                );
            }
            let usual = level(&[defaults()], kind, "src/b.rs:1:1");
            for (given, expected) in [
                (rules(&[&place], &[], &[]), "allow"),
                (rules(&[], &[&place], &[]), "warn"),
                (rules(&[], &[], &[&place]), "deny"),
            ] {
                let sources = [given, defaults()];
                assert_eq!(level(&sources, kind, "src/a.rs:1:1"), expected, "{name}");
                assert_eq!(level(&sources, kind, "src/b.rs:1:1"), usual, "{name}");
            }
        }
    }

    #[test]
    fn the_narrower_rule_is_stronger_and_so_is_the_command_line() {
        let kind = FindingKind::Leak;
        let both = rules(&["leak"], &["leak:src/a.rs"], &["leak:src/a.rs:7"]);
        for (place, expected) in [
            ("src/a.rs:7:1", "deny"),
            ("src/a.rs:8:1", "warn"),
            ("src/b.rs:7:1", "allow"),
        ] {
            assert_eq!(level(std::slice::from_ref(&both), kind, place), expected);
        }
        let stronger = [rules(&[], &[], &["leak"]), both];
        for place in ["src/a.rs:8:1", "src/b.rs:1:1"] {
            assert_eq!(level(&stronger, kind, place), "deny");
        }
    }

    #[test]
    fn warnings_may_be_denied_all_together() {
        let given = [
            rules(&[], &[], &["warnings"]),
            rules(&["panic"], &["leak"], &[]),
        ];
        assert_eq!(level(&given, FindingKind::Leak, "src/a.rs:1:1"), "deny");
        assert_eq!(level(&given, FindingKind::Panic, "src/a.rs:1:1"), "allow");
        let why = Denied::parse("warning").unwrap_err();
        assert!(
            why.contains("`warnings`") && why.contains("torn-read"),
            "{why}"
        );
    }
}
