//! The async runtime of a package: the tokio of its own graph, if its code asks for one that runs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, Node, NodeDep, PackageId};
use proc_macro2::{TokenStream, TokenTree};

use super::selection::{PackageSource, Tokio};

/// Modules and functions of tokio that need a runtime. Those that need one of its drivers for sockets or signals fail
/// with its own message.
const NEED_RUNTIME: [&str; 9] = [
    "fs", "net", "process", "runtime", "signal", "spawn", "task", "time",
    // `use tokio::*;`
    "*",
];

/// The tokio in the graph of `package` that its code spawns tasks or sets timers with: the one that it names itself,
/// else the newest. `None` if no code of the package, or of what it depends on, asks for a runtime.
pub(super) fn tokio_of(metadata: &Metadata, package: &PackageId) -> Option<Tokio> {
    let nodes = metadata.resolve.iter().flat_map(|it| &it.nodes);
    let nodes: HashMap<&PackageId, &Node> = nodes.map(|it| (&it.id, it)).collect();
    let packages: HashMap<&PackageId, &cargo_metadata::Package> =
        metadata.packages.iter().map(|it| (&it.id, it)).collect();
    let below = below(&nodes, package);
    let is_tokio = |id: &PackageId| packages.get(id).is_some_and(|it| *it.name == "tokio");
    let named = |id: &PackageId| -> Vec<&NodeDep> {
        let all = nodes.get(id).map_or(&[][..], |it| &it.deps);
        all.iter()
            .filter(|it| is_tokio(&it.pkg) && is_normal(it))
            .collect()
    };
    let direct = named(package).first().map(|it| &it.pkg);
    let newest = || {
        let all = below.iter().copied().filter(|it| is_tokio(it));
        all.max_by_key(|it| packages[it].version.clone())
    };
    let tokio = if is_tokio(package) {
        package
    } else {
        direct.or_else(newest)?
    };
    let features = &nodes.get(tokio)?.features;
    let has = |feature: &str| features.iter().any(|it| **it == *feature);
    let asks = || {
        below.iter().any(|id| {
            let names = named(id).into_iter().filter(|it| it.pkg == *tokio);
            names.into_iter().any(|it| asks(packages.get(id), &it.name))
        })
    };
    if !has("rt") || !(is_tokio(package) || asks()) {
        return None;
    }
    let described = packages.get(tokio)?;
    let source = described.source.as_ref().map(|it| it.repr.as_str());
    // Of a dependency that has another name in tests, the tests see both.
    let deps = nodes.get(package).map_or(&[][..], |it| &it.deps);
    let seen = deps.iter().find(|it| it.pkg == *tokio);
    Some(Tokio {
        version: described.version.to_string(),
        source: PackageSource::of(source, described.manifest_path.as_std_path()),
        time: has("time"),
        workers: has("rt-multi-thread"),
        library: seen
            .map(|it| it.name.clone())
            .or_else(|| is_tokio(package).then(|| "tokio".to_owned())),
    })
}

fn is_normal(dependency: &NodeDep) -> bool {
    let mut kinds = dependency.dep_kinds.iter();
    kinds.any(|it| it.kind == DependencyKind::Normal)
}

/// The package and what its library is built with.
fn below<'a>(
    nodes: &HashMap<&'a PackageId, &'a Node>,
    package: &'a PackageId,
) -> Vec<&'a PackageId> {
    let mut seen = HashSet::from([package]);
    let mut all = vec![package];
    let mut queue = VecDeque::from([package]);
    while let Some(id) = queue.pop_front() {
        let dependencies = nodes.get(id).into_iter().flat_map(|it| &it.deps);
        for dependency in dependencies.filter(|it| is_normal(it)) {
            if seen.insert(&dependency.pkg) {
                all.push(&dependency.pkg);
                queue.push_back(&dependency.pkg);
            }
        }
    }
    all
}

/// True if the package's library names something of tokio, which it calls `name`, that needs a runtime.
fn asks(package: Option<&&cargo_metadata::Package>, name: &str) -> bool {
    let Some(manifest) = package.map(|it| it.manifest_path.as_std_path()) else {
        return false;
    };
    let sources = manifest.parent().map(|it| it.join("src"));
    sources.is_some_and(|it| directory_asks(&it, name))
}

fn directory_asks(directory: &Path, name: &str) -> bool {
    let Ok(entries) = fs::read_dir(directory) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return directory_asks(&path, name);
        }
        path.extension().is_some_and(|it| it == "rs")
            && fs::read_to_string(&path).is_ok_and(|text| {
                text.contains(name) && text.parse().is_ok_and(|tokens| names_runtime(tokens, name))
            })
    })
}

/// True if a path `tokio::…` in the tokens, or one of `use tokio::{…}`, leads to something that needs a runtime.
fn names_runtime(tokens: TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon =
        |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == ':');
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Group(group) => names_runtime(group.stream(), name),
        TokenTree::Ident(ident) if *ident == name && is_colon(at + 1) && is_colon(at + 2) => {
            match tokens.get(at + 3) {
                Some(TokenTree::Group(group)) => {
                    group.stream().into_iter().any(|it| needs_runtime(&it))
                }
                Some(next) => needs_runtime(next),
                None => false,
            }
        }
        _ => false,
    })
}

fn needs_runtime(token: &TokenTree) -> bool {
    let text = match token {
        TokenTree::Ident(it) => it.to_string(),
        TokenTree::Punct(it) => it.as_char().to_string(),
        _ => return false,
    };
    NEED_RUNTIME.contains(&text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(text: &str) -> bool {
        names_runtime(text.parse().unwrap(), "tokio")
    }

    #[test]
    fn spawning_and_timers_need_a_runtime_and_locks_do_not() {
        assert!(needed("fn f() { tokio::spawn(async {}); }"));
        assert!(needed("use tokio::{sync::mpsc, time::{sleep, Duration}};"));
        assert!(needed("fn f() { ::tokio::time::interval(PERIOD); }"));
        assert!(!needed("use tokio::sync::{Mutex, Notify};"));
        assert!(!needed("use tokio::io::{AsyncRead, AsyncWrite};"));
        assert!(!needed(
            "/// As `tokio::spawn`.\nfn f() { tokio::select! {} }"
        ));
        assert!(!needed("use other::tokio_task::spawn;"));
    }
}
