//! Parsers of option values. Each error says how the value is written.

use std::time::Duration;

use contest_data::finding::FindingKind;

use contest_catalog::run_budget::{LONGEST, RunBudget};

/// A time as [`parse_budget`] reads it, or steps such as `5Msteps`, `200ksteps` or `80000steps`.
///
/// # Errors
/// Says how it is written.
pub fn parse_run_budget(text: &str) -> Result<RunBudget, String> {
    let Some(number) = text.trim().strip_suffix("steps") else {
        return parse_budget(text).map(RunBudget::Time).map_err(|error| {
            format!("{error}; or work, which is the same on every machine: `5Msteps`")
        });
    };
    let number = number.trim_end();
    let units = [("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let with_unit = |&(unit, factor)| Some((number.strip_suffix(unit)?, factor));
    let (digits, factor) = units.iter().find_map(with_unit).unwrap_or((number, 1));
    let digits: Option<u64> = digits.trim_end().parse().ok();
    let steps = digits.and_then(|it| it.checked_mul(factor));
    match steps {
        Some(0) => Err("a budget of nothing explores nothing; give at least `1ksteps`".to_owned()),
        Some(steps) => Ok(RunBudget::Steps(steps)),
        None => {
            Err("write a whole number of steps: `5Msteps`, `200ksteps` or `80000steps`".to_owned())
        }
    }
}

/// A length of time such as `500ms`, `60s`, `2m` or `1h 30m`.
///
/// # Errors
/// Says how it is written.
pub fn parse_budget(text: &str) -> Result<Duration, String> {
    let budget = humantime::parse_duration(text).map_err(|error| {
        format!("{error}; write a number and a unit: `500ms`, `60s`, `2m` or `1h 30m`")
    })?;
    if budget < Duration::from_millis(1) {
        Err("a budget of nothing explores nothing; give at least `1ms`".to_string())
    } else if budget > LONGEST {
        Err("more than 1000h; give a shorter time".to_string())
    } else {
        Ok(budget)
    }
}

pub(super) fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

/// Fields of one atomic set, as `Type.field`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldGroup(pub Vec<String>);

/// Fields, separated by commas.
///
/// # Errors
/// Says how they are written.
pub fn parse_fields(text: &str) -> Result<FieldGroup, String> {
    let names: Vec<String> = text.split(',').map(|it| it.trim().to_string()).collect();
    check_fields(&names)?;
    Ok(FieldGroup(names))
}

/// Checks that names have the form of fields.
///
/// # Errors
/// Says how they are written.
pub fn check_fields(names: &[String]) -> Result<(), String> {
    let is_field = |name: &String| {
        let parts = name.rsplit_once('.');
        parts.is_some_and(|(ty, field)| !ty.is_empty() && !field.is_empty())
    };
    match names.iter().find(|name| !is_field(name)) {
        Some(name) => Err(format!("`{name}` is not written as `Type.field`")),
        None if names.is_empty() => Err("a group without fields".to_string()),
        None => Ok(()),
    }
}

pub(super) fn parse_shard(text: &str) -> Result<(u32, u32), String> {
    let how = || "write K/N with K from 1 to N, e.g. `1/4`".to_string();
    let (part, parts) = text.split_once('/').ok_or_else(how)?;
    let (part, parts): (u32, u32) = (
        part.parse().map_err(|_| how())?,
        parts.parse().map_err(|_| how())?,
    );
    if (1..=parts).contains(&part) {
        Ok((part, parts))
    } else {
        Err(how())
    }
}

/// The kind of this name.
///
/// # Errors
/// Lists the names.
pub fn parse_kind(text: &str) -> Result<FindingKind, String> {
    FindingKind::OF_CAMPAIGNS
        .iter()
        .find(|(_, name)| *name == text)
        .map(|(kind, _)| *kind)
        .ok_or_else(|| {
            let names: Vec<&str> = FindingKind::OF_CAMPAIGNS
                .iter()
                .map(|(_, name)| *name)
                .collect();
            format!("no such kind of finding; there are {}", names.join(", "))
        })
}
