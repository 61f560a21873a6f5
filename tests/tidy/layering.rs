//! The code map of ARCHITECTURE.md and the description of each package are the truth: rooms on disk, imports between
//! them, and dependencies of packages are held against them.

use std::collections::BTreeSet;

use super::circles::CIRCLE_FREE;
use super::imports::{imports_of, sources_of};
use super::root;

/// A package as the code map has it.
#[derive(Debug)]
struct Package {
    name: String,
    directory: String,
    /// Every dependency.
    uses: BTreeSet<String>,
    /// From the lowest to the highest: a room imports only rooms before it. None in a package that is one room, whose
    /// files import each other in no circles (`circles.rs`).
    rooms: Vec<String>,
}

/// Files that only say what there is.
const ROOTS: [&str; 2] = ["lib", "main"];

fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1)
}

/// The package with this name in this directory, as its description has it: a line `Uses: ...`, and before the first
/// section a table with a room in each first cell.
fn described(name: &str, directory: &str, description: &str) -> Package {
    let top = description.split("\n## ").next().unwrap_or_default();
    let uses = top.lines().find_map(|it| it.strip_prefix("Uses: "));
    let uses = uses.unwrap_or_default().trim_end_matches('.').split(", ");
    let rooms = top.lines().filter(|it| it.starts_with("| `"));
    Package {
        name: name.to_owned(),
        directory: directory.to_owned(),
        uses: uses
            .filter(|it| *it != "nothing")
            .map(str::to_owned)
            .collect(),
        rooms: rooms.map(|it| quoted(it).expect(it).to_owned()).collect(),
    }
}

/// Name and directory of each package in the code map: rows ``| [name](directory/DESIGN.md) | ... |``.
fn code_map(text: &str) -> Vec<(String, String)> {
    let section = text.split("\n## ").find(|it| it.starts_with("Code map"));
    let rows = section.unwrap_or_default().lines();
    rows.filter_map(|line| {
        let (name, rest) = line.strip_prefix("| [")?.split_once("](")?;
        let (directory, _) = rest.split_once("/DESIGN.md)")?;
        (!name.contains('/')).then(|| (name.to_owned(), directory.to_owned()))
    })
    .collect()
}

fn packages() -> Vec<Package> {
    let map = code_map(&std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    assert!(map.len() > 8, "{map:?}");
    map.iter()
        .map(|(name, directory)| {
            let path = root().join(directory).join("DESIGN.md");
            let text = std::fs::read_to_string(&path);
            let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            described(name, directory, &text)
        })
        .collect()
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
        if mapped.is_empty() && CIRCLE_FREE.contains(&package.directory.as_str()) {
            continue;
        }
        assert_eq!(rooms, mapped, "rooms of {}", package.name);
    }
}

#[test]
fn a_room_imports_only_rooms_above_it_in_the_code_map() {
    for package in packages().into_iter().filter(|it| !it.rooms.is_empty()) {
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
    let text = "# A\n## Code map\n| package | what |\n|---|---|\n| [x](a/x/DESIGN.md) | X |\n\n| [a/x/src/y](a/x/src/y/DESIGN.md) | y |\n\
                ## Next\n| [no](no/DESIGN.md) | no |";
    assert_eq!(code_map(text), [("x".to_owned(), "a/x".to_owned())]);
    let text = "# x\n\nUses: y, z.\n\n| room | what |\n|---|---|\n| `low` | first |\n| `high` | `b` |\n\n## Next\n\n| `no` |";
    let package = described("x", "a/x", text);
    assert_eq!((&*package.name, &*package.directory), ("x", "a/x"));
    assert_eq!(package.uses, ["y", "z"].map(str::to_owned).into());
    assert_eq!(package.rooms, ["low", "high"]);
}

/// Descriptions that a Markdown file links to, from its directory.
fn descriptions(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1);
    let links = links.filter_map(|it| it.split_once(')').map(|(link, _)| link));
    links.filter(|it| it.ends_with("DESIGN.md"))
}

#[test]
fn every_description_is_there_and_the_map_names_it() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut named: BTreeSet<String> = descriptions(&map).map(str::to_owned).collect();
    for of in named.clone() {
        let text = std::fs::read_to_string(root().join(&of)).unwrap();
        let directory = of.strip_suffix("/DESIGN.md").unwrap();
        for inner in descriptions(&text) {
            let path = format!("{directory}/{inner}");
            assert!(
                named.contains(&path),
                "ARCHITECTURE.md does not name {path}"
            );
        }
    }
    let listed = std::process::Command::new("git")
        .args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "*DESIGN.md",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    for path in String::from_utf8(listed.stdout).unwrap().lines() {
        assert!(named.remove(path), "ARCHITECTURE.md does not name {path}");
    }
    // Without git there is nothing to compare with.
    assert!(named.is_empty() || !listed.status.success(), "{named:?}");
}
