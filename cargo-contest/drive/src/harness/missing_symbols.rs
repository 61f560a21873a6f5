//! What a linker did not find, in its own words and in one line.

use std::collections::BTreeMap;

/// `` `_lock` of crate a, `_unlock` of crates a and b ``; `None` if these are other words of a linker.
#[must_use]
pub fn missing_symbols(linker: &str) -> Option<String> {
    let found = with_crates(linker);
    let named = found.iter().map(|(symbol, crates)| match &crates[..] {
        [] => format!("`{symbol}`"),
        all => format!("`{symbol}` of crate {}", all.join(" and ")),
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// What is missing.
pub(super) fn symbols(linker: &str) -> Vec<&str> {
    with_crates(linker).into_keys().collect()
}

/// What is missing, with the crates that refer to it.
fn with_crates(linker: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut last = None;
    for line in linker.lines() {
        let symbol = line
            .split_once("undefined symbol: ")
            .or_else(|| line.split_once("undefined reference to "))
            .map(|(_, it)| it.trim_matches(|it: char| !it.is_alphanumeric() && it != '_'));
        if let Some(symbol) = symbol {
            found.entry(symbol).or_default();
            last = Some(symbol);
        }
        // GNU's names the library on the same line, LLVM's on the next ones.
        if let (Some(symbol), Some(krate)) = (last, crate_in(line)) {
            let crates = found.entry(symbol).or_default();
            if !crates.contains(&krate) {
                crates.push(krate);
            }
        }
    }
    found
}

/// The crate whose library a line names: `…/libcritical_section-8d3f.rlib(…)`.
fn crate_in(line: &str) -> Option<&str> {
    let (front, _) = line.split_once(".rlib")?;
    let file = front.rsplit(['/', '\\']).next()?.strip_prefix("lib")?;
    file.split('-').next()
}

#[cfg(test)]
mod tests {
    use super::missing_symbols;

    #[test]
    fn symbols_are_named_with_their_crates() {
        let lld = "rust-lld: error: undefined symbol: _critical_section_1_0_acquire\n\
                   >>> referenced by lib.rs:191 (src/lib.rs:191)\n\
                   >>>   a.o:(fill) in archive /t/deps/libcritical_section-5a1b.rlib\n";
        assert_eq!(
            missing_symbols(lld).as_deref(),
            Some("`_critical_section_1_0_acquire` of crate critical_section")
        );
        let gnu = "/usr/bin/ld: /t/libone-12ab.rlib(x.o): in function `f':\n\
                   x.rs:1: undefined reference to `_lock'\n";
        assert_eq!(missing_symbols(gnu).as_deref(), Some("`_lock`"));
        assert_eq!(missing_symbols("cannot find -lno_such_library"), None);
    }
}
