//! Findings that are not to be reported, or fail no run: a kind, everywhere or in one place.

use std::fmt;

use super::{FindingKind, Level};

/// A kind of finding that is not reported, or that fails no run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "String", into = "String")
)]
pub struct Allowed {
    /// The kind.
    pub kind: FindingKind,
    /// Only where one of the finding's locations is in this file, `src/ring.rs`, or at this line of it,
    /// `src/ring.rs:12`. Directories in front may be left out.
    pub place: Option<String>,
    /// But in none of these places.
    pub except: Vec<String>,
}

impl Allowed {
    /// What is allowed unless it is denied: hazards that most executors, and most callers, never run into.
    #[must_use]
    pub fn by_default() -> Vec<Self> {
        let kinds = [FindingKind::ReentrantWaker, FindingKind::Futurelock];
        kinds.map(Self::all).to_vec()
    }

    /// What fails no run unless it is denied.
    #[must_use]
    pub fn warned_of_by_default() -> Vec<Self> {
        let kinds = FindingKind::OF_CAMPAIGNS.iter().map(|(kind, _)| *kind);
        let warnings = kinds.filter(|kind| Level::by_default(*kind) == Level::Warning);
        warnings.map(Self::all).collect()
    }

    /// A kind, in all places.
    #[must_use]
    pub fn all(kind: FindingKind) -> Self {
        Self {
            kind,
            place: None,
            except: Vec::new(),
        }
    }

    /// True if all findings of this kind are allowed.
    #[must_use]
    pub fn everywhere(allowed: &[Self], kind: FindingKind) -> bool {
        allowed.contains(&Self::all(kind))
    }

    /// Reads `panic` or `data-race:src/ring.rs:12`.
    ///
    /// # Errors
    /// Lists the kinds, or says what a place looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, place) = match text.split_once(':') {
            Some((name, place)) => (name, Some(place)),
            None => (text, None),
        };
        let kind = FindingKind::OF_CAMPAIGNS
            .iter()
            .find(|(_, known)| *known == name);
        let Some((kind, _)) = kind else {
            let names: Vec<&str> = FindingKind::OF_CAMPAIGNS
                .iter()
                .map(|(_, name)| *name)
                .collect();
            return Err(format!(
                "no such kind of finding; there are {}",
                names.join(", ")
            ));
        };
        if place.is_some_and(|place| !is_place(place)) {
            return Err(format!(
                "a place is a file, `{name}:src/ring.rs`, or a line of one, `{name}:src/ring.rs:12`"
            ));
        }
        Ok(Self {
            kind: *kind,
            place: place.map(ToOwned::to_owned),
            except: Vec::new(),
        })
    }

    /// True for a finding of this kind with these locations (`src/ring.rs:12:5`).
    #[must_use]
    pub fn covers(&self, kind: FindingKind, locations: &[String]) -> bool {
        let is_in = |place: &String| locations.iter().any(|location| is_at(location, place));
        self.kind == kind && self.place.as_ref().is_none_or(is_in) && !self.except.iter().any(is_in)
    }
}

fn is_place(text: &str) -> bool {
    let file = match text.rsplit_once(':') {
        Some((file, line)) if line.parse::<u32>().is_ok() => file,
        Some(_) => return false,
        None => text,
    };
    file.ends_with(".rs")
}

fn is_at(location: &str, place: &str) -> bool {
    let mut parts = location.rsplitn(3, ':');
    let (_column, line, file) = (parts.next(), parts.next(), parts.next());
    let (Some(line), Some(file)) = (line, file) else {
        return false;
    };
    let ends = |whole: &str| {
        whole
            .strip_suffix(place)
            .is_some_and(|front| front.is_empty() || front.ends_with('/'))
    };
    ends(file) || ends(&format!("{file}:{line}"))
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        match &self.place {
            Some(place) => write!(f, ":{place}"),
            None => Ok(()),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<String> for Allowed {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

#[cfg(feature = "serde")]
impl From<Allowed> for String {
    fn from(allowed: Allowed) -> Self {
        allowed.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(allowed: &str, location: &str) -> bool {
        let allowed = Allowed::parse(allowed).unwrap();
        assert!(!allowed.covers(FindingKind::Panic, &[location.to_owned()]));
        allowed.covers(FindingKind::DataRace, &[location.to_owned()])
    }

    #[test]
    fn a_kind_is_allowed_everywhere_or_in_a_file_or_at_a_line() {
        assert!(covers("data-race", "src/ring.rs:12:5"));
        for place in ["src/ring.rs", "ring.rs", "src/ring.rs:12"] {
            assert!(covers(
                &format!("data-race:{place}"),
                "/home/u/q/src/ring.rs:12:5"
            ));
        }
        for place in ["ing.rs", "src/ring.rs:1", "src/ring.rs:2", "other/ring.rs"] {
            assert!(!covers(&format!("data-race:{place}"), "src/ring.rs:12:5"));
        }
    }

    #[test]
    fn what_is_no_kind_or_no_place_is_refused_with_what_there_is() {
        assert!(Allowed::parse("race").unwrap_err().contains("data-race"));
        for text in ["data-race:", "data-race:ring", "data-race:src/ring.rs:x"] {
            let why = Allowed::parse(text).unwrap_err();
            assert!(why.contains("src/ring.rs:12"), "{why}");
        }
    }

    #[test]
    fn what_is_excepted_is_not_allowed() {
        let all = Allowed {
            except: vec!["src/ring.rs".to_owned()],
            ..Allowed::all(FindingKind::Leak)
        };
        let covers =
            |it: &Allowed, location: &str| it.covers(FindingKind::Leak, &[location.to_owned()]);
        assert!(covers(&all, "src/slab.rs:1:1"));
        assert!(!covers(&all, "src/ring.rs:1:1"));
        let one = Allowed {
            except: vec!["src/ring.rs:3".to_owned()],
            ..Allowed::parse("leak:src/ring.rs").unwrap()
        };
        assert!(covers(&one, "src/ring.rs:1:1"));
        assert!(!covers(&one, "src/ring.rs:3:1"));
    }

    #[test]
    fn its_text_reads_as_itself() {
        for text in ["deadlock", "data-race:src/ring.rs:12"] {
            assert_eq!(Allowed::parse(text).unwrap().to_string(), text);
        }
    }
}
