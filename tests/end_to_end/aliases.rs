//! Types that the API names by an alias of another crate, such as `anyhow::Result`.

use crate::support::Subject;

const MANIFEST: &str = r#"[package]
name = "settings"
version = "0.1.0"
edition = "2024"
publish = false
[dependencies]
anyhow = "1"
async-trait = "0.1"
bytes = "1"
"#;

/// A reader of settings is only known by a trait whose methods return the alias, once in a future.
const LIBRARY: &str = r#"
use bytes::Bytes;
use std::sync::Mutex;

pub trait Source: Send + Sync { fn read(&self) -> anyhow::Result<u32>; }

pub struct Settings<S> { source: S, version: Mutex<u32> }

impl<S: Source> Settings<S> {
    pub fn open(source: S) -> anyhow::Result<Self> {
        source.read()?;
        Ok(Self { source, version: Mutex::new(0) })
    }
    pub fn reload(&self) -> anyhow::Result<u32> {
        let was = *self.version.lock().unwrap();
        self.source.read()?;
        *self.version.lock().unwrap() = was + 1;
        Ok(was + 1)
    }
}

#[async_trait::async_trait]
pub trait Fetcher: Send + Sync + 'static {
    async fn fetch(&self, name: &str) -> anyhow::Result<Bytes>;
}

pub struct Fetched { fetcher: Box<dyn Fetcher>, count: Mutex<u32> }

impl Fetched {
    pub fn new(fetcher: impl Fetcher) -> Self {
        Self { fetcher: Box::new(fetcher), count: Mutex::new(0) }
    }
    pub async fn fetch(&self, name: &str) -> anyhow::Result<Bytes> {
        let was = *self.count.lock().unwrap();
        let fetched = self.fetcher.fetch(name).await?;
        *self.count.lock().unwrap() = was + 1;
        Ok(fetched)
    }
    pub fn fetched(&self) -> u32 { *self.count.lock().unwrap() }
}
"#;

#[test]
fn an_alias_of_another_crate_is_the_type_for_which_it_stands() {
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", LIBRARY)];
    let subject = Subject::with("settings", &files);
    let run = subject
        .contest(&["--budget", "4s", "--message-format", "json"])
        .status(1);
    let found = run.types_and_kinds();
    let wrong = |ty: &str| (format!("settings::{ty}"), "non-linearizable".to_owned());
    let both = [wrong("Settings<StandInSource>"), wrong("Fetched")];
    assert_eq!(found, both.into(), "{}", run.stderr);
}
