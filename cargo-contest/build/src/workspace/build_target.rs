//! The target for which the user's cargo builds. What is tested runs here, so it is built for the host.

use std::path::Path;

use serde_json::Value;

use super::cargo_build::Toolchain;
use super::cargo_config::may_set;
use super::logged_command::logged_output;

/// Targets other than the host for which `cargo test` in `directory` would build; empty if it would build for the host,
/// or if this cargo does not say.
#[must_use]
pub fn other_targets(toolchain: &Toolchain, directory: &Path) -> Vec<String> {
    let by_variable = std::env::var_os("CARGO_BUILD_TARGET").is_some();
    if !by_variable && !may_set(directory, "target") {
        return Vec::new();
    }
    let mut command = toolchain.cargo(directory);
    command
        .args(["-Z", "unstable-options", "config", "get", "build.target"])
        .args(["--format", "json-value"])
        .env("RUSTC_BOOTSTRAP", "1");
    let Ok(output) = logged_output(&mut command) else {
        return Vec::new();
    };
    others(&output.stdout, &toolchain.host)
}

/// Those in the value of `build.target`: a string or a list.
fn others(value: &[u8], host: &str) -> Vec<String> {
    let targets = match serde_json::from_slice(value) {
        Ok(Value::String(target)) => vec![target],
        Ok(Value::Array(targets)) => {
            let text = |it: &Value| it.as_str().map(str::to_owned);
            targets.iter().filter_map(text).collect()
        }
        _ => Vec::new(),
    };
    let is_host = |it: &String| it == host || it == "host-tuple";
    match targets.iter().any(is_host) {
        true => Vec::new(),
        false => targets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_among_the_targets_is_no_other_one() {
        let of = |value: &str| others(value.as_bytes(), "x86_64-unknown-linux-gnu");
        assert_eq!(of("\"wasm32-wasip1\""), ["wasm32-wasip1"]);
        assert_eq!(of("[\"a\", \"b\"]"), ["a", "b"]);
        for own in [
            "\"x86_64-unknown-linux-gnu\"",
            "\"host-tuple\"",
            "[\"a\", \"host-tuple\"]",
            "",
        ] {
            assert!(of(own).is_empty(), "{own}");
        }
    }

    #[test]
    fn a_target_of_the_configuration_is_seen_from_below_it() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("member");
        std::fs::create_dir_all(directory.path().join(".cargo")).unwrap();
        std::fs::create_dir(&inner).unwrap();
        let toolchain = Toolchain::find(Path::new(".")).unwrap();
        let config = "[build]\ntarget = \"thumbv7em-none-eabi\"\n";
        std::fs::write(directory.path().join(".cargo/config.toml"), config).unwrap();
        assert_eq!(other_targets(&toolchain, &inner), ["thumbv7em-none-eabi"]);
    }
}
