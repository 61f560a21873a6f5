use std::process::Command;

fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    let object = format!("{out}/tally.o");
    let run = |program: &str, arguments: &[&str]| {
        assert!(Command::new(program).args(arguments).status().unwrap().success());
    };
    run("cc", &["-c", "-O1", "src/tally.c", "-o", &object]);
    run("ar", &["crs", &format!("{out}/libtally.a"), &object]);
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-lib=static=tally");
    println!("cargo::rerun-if-changed=src/tally.c");
}
