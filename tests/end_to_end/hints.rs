//! What a manifest says of how to test a package, and what a list says of the rest.

use crate::support::Subject;

const SOURCE: &str = "use std::sync::Mutex;
pub trait Dial: Send + Sync + 'static { fn dial<T: From<u32>>(&self) -> T; }
pub struct Local;
impl Dial for Local { fn dial<T: From<u32>>(&self) -> T { T::from(1) } }
pub struct Address(());
pub fn local() -> Address { Address(()) }
pub struct Pool(Mutex<u32>);
pub struct Secret { _private: () }
impl Pool {
    pub fn open(address: Address, secret: Secret) -> Self { drop((address, secret)); Pool(Mutex::new(0)) }
    #[doc(hidden)] pub fn closed() -> Self { Pool(Mutex::new(0)) }
    pub fn get(&self, limit: u32) -> u32 { let mut it = self.0.lock().unwrap(); *it += limit; *it }
    pub fn close(&self) { *self.0.lock().unwrap() = 0 }
}
";

fn subject(settings: &str) -> Subject {
    let copy = Subject::empty();
    copy.write("src/lib.rs", SOURCE);
    copy.write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"pool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[package.metadata.contest]\n{settings}\n"
        ),
    );
    copy
}

#[test]
fn a_list_ends_with_what_was_left_out_by_reason_and_the_manifest_can_help() {
    let list = subject("").contest(&["list"]);
    let by_reason = list.stdout.split("left out by reason").nth(1).unwrap();
    assert!(
        by_reason.contains("no way to make one (pool::Pool)"),
        "{}",
        list.stdout
    );
    assert!(by_reason.contains("make = {"), "{}", list.stdout);

    let helped = subject(
        "make = { Pool = \"Pool::closed()\" }\nvalues = { \"Pool::get.limit\" = [\"7\", \"u32::MAX / 4\"] }\nleave-out = [\"Pool::close\"]",
    );
    let list = helped
        .contest(&["list", "--message-format", "json"])
        .status(0);
    let subjects = list.with_reason("subject");
    assert_eq!(subjects.len(), 1, "{}", list.stdout);
    assert_eq!(subjects[0]["constructors"][0], "Pool::closed()");
    assert_eq!(subjects[0]["calls"][0], "a.get(7)");
    assert_eq!(subjects[0]["operations"], 1);
    let reasons = list.with_reason("left-out-reason");
    let manifest = reasons
        .iter()
        .find(|it| it["why"] == "`leave-out` in the manifest");
    assert_eq!(manifest.unwrap()["items"][0], "pool::Pool::close");
    helped.contest(&["--budget", "500ms"]).status(0);
}

#[test]
fn settings_that_do_not_compile_or_name_nothing_are_named() {
    let broken = subject("seed = 1\nmake = { Pool = \"Pool::shut()\" }");
    let run = broken.contest(&["--budget", "500ms"]).status(3);
    for part in [
        "Cargo.toml:8: `make` of `Pool`",
        "`Pool::shut()`",
        "no function or associated item named",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let malformed = subject("make = { Pool = \"Pool::closed(\" }");
    let run = malformed.contest(&["list"]);
    assert!(
        run.stderr.contains("`make` of `Pool` is no expression"),
        "{}",
        run.stderr
    );
    let unknown = subject("make = { Pol = \"Pool::closed()\" }\nleave-out = [\"Pool::cloze\"]");
    let run = unknown.contest(&["list"]);
    assert_ne!(run.status, 0);
    for part in ["`make` names `Pol`", "`leave-out` names `Pool::cloze`"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}
