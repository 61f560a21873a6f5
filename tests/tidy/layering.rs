//! The code map of ARCHITECTURE.md is the truth: rooms on disk, imports between them, and dependencies of packages are
//! held against it.

use std::collections::BTreeSet;

use super::imports::{imports_of, sources_of};
use super::root;

/// A package as the code map has it.
#[derive(Debug)]
struct Package {
    name: String,
    directory: String,
    /// Every dependency.
    uses: BTreeSet<String>,
    /// From the lowest to the highest: a room imports only rooms before it.
    rooms: Vec<String>,
}

/// Files that only say what there is.
const ROOTS: [&str; 2] = ["lib", "main"];

fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

/// Reads the code map: a heading ``### name — `directory` ``, a line `Uses: ...`, and a table with a room in each first
/// cell.
fn code_map(text: &str) -> Vec<Package> {
    let section = text.split("\n## ").find(|it| it.starts_with("Code map"));
    let mut packages: Vec<Package> = Vec::new();
    for line in section.unwrap_or_default().lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            let (name, directory) = heading.split_once(" — ").expect(line);
            packages.push(Package {
                name: name.to_owned(),
                directory: quoted(directory).expect(line).to_owned(),
                uses: BTreeSet::new(),
                rooms: Vec::new(),
            });
        }
        let Some(package) = packages.last_mut() else {
            continue;
        };
        if let Some(uses) = line.strip_prefix("Uses: ") {
            let names = uses.trim_end_matches('.').split(", ");
            package.uses = names
                .filter(|it| *it != "nothing")
                .map(str::to_owned)
                .collect();
        }
        if line.starts_with("| `") {
            package.rooms.push(quoted(line).expect(line).to_owned());
        }
    }
    packages
}

fn packages() -> Vec<Package> {
    let packages = code_map(&std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    assert!(packages.len() > 8, "{packages:?}");
    packages
}

fn manifest(directory: &str) -> toml::Table {
    let path = root().join(directory).join("Cargo.toml");
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap()
}

fn names(table: Option<&toml::Value>) -> impl Iterator<Item = String> {
    let table = table.and_then(toml::Value::as_table);
    table.into_iter().flat_map(|it| it.keys().cloned())
}

#[test]
fn the_code_map_has_every_package_that_is_no_example() {
    let workspace = manifest("");
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let members = members.iter().map(|it| it.as_str().unwrap().to_owned());
    let products = members.filter(|it| !it.starts_with("examples/") && !it.contains("/tests/"));
    let mapped = packages().into_iter().map(|it| it.directory);
    assert_eq!(
        mapped.collect::<BTreeSet<_>>(),
        products.collect::<BTreeSet<_>>()
    );
}

#[test]
fn packages_have_the_dependencies_of_the_code_map_and_no_others() {
    for package in packages() {
        let manifest = manifest(&package.directory);
        let name = manifest["package"]["name"].as_str().unwrap();
        assert_eq!(name, package.name, "{}", package.directory);
        let mut uses: BTreeSet<String> = names(manifest.get("dependencies")).collect();
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        for (_, target) in targets.into_iter().flatten() {
            uses.extend(names(target.get("dependencies")));
        }
        assert_eq!(uses, package.uses, "dependencies of {name}");
    }
}

#[test]
fn rooms_on_disk_are_those_of_the_code_map() {
    for package in packages() {
        let source = root().join(&package.directory).join("src");
        let rooms: BTreeSet<String> = sources_of(&source)
            .into_iter()
            .map(|(module, _)| module[0].clone())
            .filter(|room| !ROOTS.contains(&room.as_str()))
            .collect();
        let mapped: BTreeSet<String> = package.rooms.iter().cloned().collect();
        assert_eq!(rooms, mapped, "rooms of {}", package.name);
    }
}

#[test]
fn a_room_imports_only_rooms_above_it_in_the_code_map() {
    for package in packages() {
        let source = root().join(&package.directory).join("src");
        let place = |room: &str| package.rooms.iter().position(|it| it == room);
        for (module, imported) in imports_of(&sources_of(&source)) {
            for other in imported {
                let (from, to) = (module[0].as_str(), other[0].as_str());
                let allowed = from == to || ROOTS.contains(&from) || place(to) < place(from);
                assert!(
                    allowed && !(ROOTS.contains(&to) && from != to && to != "lib"),
                    "{}: {} imports {}, which is not above it",
                    package.name,
                    module.join("::"),
                    other.join("::")
                );
            }
        }
    }
}

#[test]
fn the_code_map_is_read_as_it_is_written() {
    let text = "# A\n## Code map\n### x — `a/x`\nUses: y, z.\n\n| room | what |\n|---|---|\n| `low` | first |\n| `high` | `b` |\n## Next\n| `no` |";
    let [package] = &code_map(text)[..] else {
        panic!("one package");
    };
    assert_eq!((&*package.name, &*package.directory), ("x", "a/x"));
    assert_eq!(package.uses, ["y", "z"].map(str::to_owned).into());
    assert_eq!(package.rooms, ["low", "high"]);
}
