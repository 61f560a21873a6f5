//! Generates two types, one of them with 300 methods.

use std::fmt::Write;

fn main() {
    let mut text = String::new();
    for (name, methods) in [("Generated", 2), ("Wide", 300)] {
        let _ = writeln!(
            text,
            "pub struct {name}(AtomicU32);\nimpl {name} {{\n    pub fn new() -> Self {{ Self(AtomicU32::new(0)) }}"
        );
        for number in 0..methods {
            let _ = writeln!(
                text,
                "    pub fn method_{number}(&self) -> u32 {{ self.0.fetch_add({number}, SeqCst) }}"
            );
        }
        text.push_str("}\n");
    }
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(std::path::Path::new(&out).join("generated.rs"), text).unwrap();
    println!("cargo::rerun-if-changed=build.rs");
}
