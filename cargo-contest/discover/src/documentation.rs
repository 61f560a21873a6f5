//! What rustdoc writes as JSON, read item by item where it cannot be read as a whole.
//!
//! All formats are read into the types of one: those that are known differ in fields that discovery does not use. What
//! a later format has in another form costs the items that have it.

use std::collections::HashMap;

use rustdoc_types::{Attribute, Crate, ExternalCrate, Id, Item, ItemSummary, Target};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use contest_catalog::skipped::Skipped;

/// The formats that have been compared, and tried with a compiler that writes them: fixtures of the test say how each
/// differs.
pub const FORMATS: std::ops::RangeInclusive<u32> = rustdoc_types::FORMAT_VERSION..=61;

/// Most items that are named among what was left out of one crate.
const MOST_NAMED: usize = 20;

/// Documentation of a crate.
#[derive(Debug)]
pub struct Documentation {
    /// What was read.
    pub(super) content: Crate,
    /// Items that are described in a form that is not known.
    pub(super) left_out: Vec<Skipped>,
}

/// Why documentation cannot be read at all.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// Its format is not known, and what every crate has is not there. The reason is serde's.
    Format(u32, String),
    /// Not JSON of rustdoc.
    Json(serde_json::Error),
}

impl Documentation {
    /// Reads the text of a file of rustdoc.
    pub(super) fn of(text: &[u8]) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
        }
        // The version first: no other field is stable.
        let version: Version = serde_json::from_slice(text).map_err(Unreadable::Json)?;
        if let Ok(content) = serde_json::from_slice(text) {
            return Ok(Self {
                content,
                left_out: Vec::new(),
            });
        }
        let whole = serde_json::from_slice(text).map_err(Unreadable::Json)?;
        item_by_item(whole, version.format_version)
            .map_err(|why| Unreadable::Format(version.format_version, why))
    }

    /// Name of the crate.
    pub(super) fn root_name(&self) -> Option<String> {
        self.content.index.get(&self.content.root)?.name.clone()
    }

    /// Its format, if that is not a known one.
    pub(super) fn other_format(&self) -> Option<u32> {
        let format = self.content.format_version;
        (read_as(format) != format).then_some(format)
    }
}

/// The known format as which another one is read.
#[must_use]
pub fn read_as(format: u32) -> u32 {
    format.clamp(*FORMATS.start(), *FORMATS.end())
}

fn item_by_item(mut whole: Map<String, Value>, format: u32) -> Result<Documentation, String> {
    let mut take = |name: &str| whole.remove(name).unwrap_or(Value::Null);
    let root: Id = parse(take("root")).map_err(|why| format!("root: {why}"))?;
    let mut index = HashMap::new();
    let mut refused = Vec::new();
    for (id, value) in entries(take("index")) {
        let (name, span) = (name_of(&value), value["span"].clone());
        match item(value) {
            Ok(item) => {
                index.insert(id, item);
            }
            Err(why) => refused.push((id, name, span, why)),
        }
    }
    if let Some((_, _, _, why)) = refused.iter().find(|(id, ..)| *id == root) {
        return Err(format!("the root of the crate: {why}"));
    }
    let paths: HashMap<Id, ItemSummary> = readable(take("paths"));
    if !index.contains_key(&root) || !paths.contains_key(&root) {
        return Err("the root of the crate is not described".to_owned());
    }
    let external_crates: HashMap<Id, ExternalCrate> = readable(take("external_crates"));
    let target = parse(take("target")).unwrap_or(Target {
        triple: String::new(),
        target_features: Vec::new(),
    });
    refused.sort_by_key(|(id, ..)| id.0);
    let left_out = refused.into_iter().map(|(id, name, span, why)| {
        let path = paths.get(&id).map(|it| it.path.join("::"));
        let place = || Some(format!("{} at {}", name.1, place_of(&span)?));
        let shown = path.or(name.0).or_else(place).unwrap_or(name.1.clone());
        let why =
            format!("rustdoc describes it in a form of format {format} that is not known: {why}");
        Skipped::new(shown, why)
    });
    Ok(Documentation {
        left_out: bounded(left_out.collect(), format),
        content: Crate {
            root,
            crate_version: parse(take("crate_version")).unwrap_or_default(),
            includes_private: true,
            index,
            paths,
            external_crates: external_crates
                .into_iter()
                .map(|(id, it)| (id.0, it))
                .collect(),
            target,
            format_version: format,
        },
    })
}

/// An item, without what discovery does not use.
fn item(mut value: Value) -> Result<Item, String> {
    if let Some(fields) = value.as_object_mut() {
        for (unused, nothing) in [("links", json!({})), ("deprecation", Value::Null)] {
            fields.insert(unused.to_owned(), nothing);
        }
        if let Some(Value::Array(attributes)) = fields.get_mut("attrs") {
            for attribute in attributes {
                if Attribute::deserialize(&*attribute).is_err() {
                    *attribute = json!({"other": attribute.to_string()});
                }
            }
        }
    }
    parse(value)
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// What can be read of a map by numbers. What cannot is not found when something refers to it.
fn readable<T: DeserializeOwned>(map: Value) -> HashMap<Id, T> {
    let entries = entries(map).into_iter();
    entries
        .filter_map(|(id, value)| Some((id, parse(value).ok()?)))
        .collect()
}

fn entries(map: Value) -> Vec<(Id, Value)> {
    let Value::Object(map) = map else {
        return Vec::new();
    };
    map.into_iter()
        .filter_map(|(id, value)| Some((Id(id.parse().ok()?), value)))
        .collect()
}

/// Its name, if it has one, and its kind.
fn name_of(item: &Value) -> (Option<String>, String) {
    let kind = item["inner"].as_object().and_then(|it| it.keys().next());
    let kind = kind.map_or("an item".to_owned(), |it| format!("`{it}`"));
    (item["name"].as_str().map(str::to_owned), kind)
}

fn place_of(span: &Value) -> Option<String> {
    let (file, line) = (span["filename"].as_str()?, span["begin"][0].as_u64()?);
    Some(format!("{file}:{line}"))
}

/// The first of them by name, the others by number.
fn bounded(mut left_out: Vec<Skipped>, format: u32) -> Vec<Skipped> {
    let more = left_out.len().saturating_sub(MOST_NAMED);
    left_out.truncate(MOST_NAMED);
    if more > 0 {
        left_out.push(Skipped::new(
            format!("{more} further items"),
            format!("rustdoc describes them in forms of format {format} that are not known"),
        ));
    }
    left_out
}
