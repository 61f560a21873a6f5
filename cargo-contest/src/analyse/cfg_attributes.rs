//! Which items `cfg` leaves in: decided by the package's features and the machine this tool runs on, which is what drivers are built for.

use syn::Meta;
use syn::punctuated::Punctuated;

/// What is known when `cfg` attributes are decided.
#[derive(Clone, Debug)]
pub(crate) struct CfgSet {
    /// Features the package is built with.
    pub(crate) features: Vec<String>,
    /// A build script may set flags; then one that is not known may be set or not.
    pub(crate) build_script: bool,
}

/// Flags that are set for tests, documentation or checkers, never for a driver.
const NEVER: &[&str] = &[
    "test",
    "doc",
    "doctest",
    "docsrs",
    "miri",
    "loom",
    "shuttle",
    "kani",
    "fuzzing",
    "tarpaulin",
    "coverage",
    "coverage_nightly",
    "crossbeam_loom",
    "crossbeam_sanitize",
    "tokio_unstable",
    "tokio_taskdump",
    "windows",
    "bootstrap",
    "clippy",
    "rustfmt",
    "tokio_no_parking_lot",
];

impl CfgSet {
    /// True if the attributes leave the item in, or may leave it in.
    pub(crate) fn keeps(&self, attributes: &[syn::Attribute]) -> bool {
        attributes.iter().all(|attribute| {
            !attribute.path().is_ident("cfg")
                || attribute
                    .parse_args::<Meta>()
                    .map_or(true, |meta| self.holds(&meta) != Some(false))
        })
    }

    /// True if the attributes depend on something that is not known.
    pub(crate) fn unsure(&self, attributes: &[syn::Attribute]) -> bool {
        attributes.iter().any(|attribute| {
            attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<Meta>()
                    .map_or(true, |meta| self.holds(&meta).is_none())
        })
    }

    /// The value of a predicate; `None` if it is not known.
    pub(crate) fn holds(&self, meta: &Meta) -> Option<bool> {
        match meta {
            Meta::Path(path) => {
                let name = path.get_ident()?.to_string();
                match name.as_str() {
                    "unix" => Some(cfg!(unix)),
                    "debug_assertions" | "panic" | "overflow_checks" | "true" => Some(true),
                    "false" => Some(false),
                    name if NEVER.contains(&name) => Some(false),
                    _ => self.flag(),
                }
            }
            Meta::NameValue(pair) => {
                let name = pair.path.get_ident()?.to_string();
                let syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(value),
                    ..
                }) = &pair.value
                else {
                    return None;
                };
                self.value(&name, &value.value())
            }
            Meta::List(list) => {
                let inner = list
                    .parse_args_with(Punctuated::<Meta, syn::Token![,]>::parse_terminated)
                    .ok()?;
                let mut values = inner.iter().map(|meta| self.holds(meta));
                match list.path.get_ident()?.to_string().as_str() {
                    "not" => values.next().flatten().map(|value| !value),
                    "all" => {
                        let values: Vec<_> = values.collect();
                        if values.contains(&Some(false)) {
                            Some(false)
                        } else if values.contains(&None) {
                            None
                        } else {
                            Some(true)
                        }
                    }
                    "any" => {
                        let values: Vec<_> = values.collect();
                        if values.contains(&Some(true)) {
                            Some(true)
                        } else if values.contains(&None) {
                            None
                        } else {
                            Some(false)
                        }
                    }
                    _ => self.flag(),
                }
            }
        }
    }

    /// A flag nobody here knows: only a build script or the user's own flags set it.
    fn flag(&self) -> Option<bool> {
        if self.build_script { None } else { Some(false) }
    }

    fn value(&self, name: &str, value: &str) -> Option<bool> {
        Some(match name {
            "feature" => self.features.iter().any(|feature| feature == value),
            "target_os" => value == std::env::consts::OS,
            "target_arch" => value == std::env::consts::ARCH,
            "target_family" => value == std::env::consts::FAMILY,
            "target_pointer_width" => value == usize::BITS.to_string(),
            "target_endian" => (value == "little") == cfg!(target_endian = "little"),
            "target_env" => (value == "gnu") == cfg!(target_env = "gnu"),
            "target_vendor" => value == "unknown",
            "target_has_atomic" => matches!(value, "8" | "16" | "32" | "64" | "ptr"),
            "panic" => value == "unwind",
            "target_feature" => value == "sse2",
            "sanitize" => false,
            _ => return self.flag(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(cfg: &CfgSet, attribute: &str) -> (bool, bool) {
        let item: syn::Item = syn::parse_str(&format!("{attribute} struct S;")).unwrap();
        let syn::Item::Struct(item) = item else {
            unreachable!()
        };
        (cfg.keeps(&item.attrs), cfg.unsure(&item.attrs))
    }

    #[test]
    fn features_and_the_target_decide_and_flags_of_build_scripts_are_open() {
        let mut cfg = CfgSet {
            features: vec!["rt".to_string()],
            build_script: false,
        };
        assert_eq!(keeps(&cfg, "#[cfg(feature = \"rt\")]"), (true, false));
        assert_eq!(keeps(&cfg, "#[cfg(not(feature = \"rt\"))]"), (false, false));
        assert_eq!(
            keeps(&cfg, "#[cfg(all(unix, not(test)))]"),
            (cfg!(unix), false)
        );
        assert_eq!(
            keeps(&cfg, "#[cfg(any(loom, feature = \"net\"))]"),
            (false, false)
        );
        assert_eq!(keeps(&cfg, "#[cfg(has_asm)]"), (false, false));
        cfg.build_script = true;
        assert_eq!(keeps(&cfg, "#[cfg(has_asm)]"), (true, true));
        assert_eq!(keeps(&cfg, "#[cfg(all(test, has_asm))]"), (false, false));
    }
}
