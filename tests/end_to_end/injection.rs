//! What a call leaves whose future is dropped while the code of its user works: a pool with a manager of connections.

use crate::support::Subject;

const MANIFEST: &str = r#"[package]
name = "connections"
version = "0.1.0"
edition = "2024"
publish = false
[dependencies]
async-trait = "0.1"
tokio = { version = "1", features = ["sync"] }
"#;

/// A call that does not come to its end gives back what it has by two guards.
const LIBRARY: &str = r#"
use std::sync::Mutex;
use tokio::sync::Semaphore;

#[async_trait::async_trait]
pub trait Manager: Send + Sync + 'static {
    async fn connect(&self) -> Result<u32, String>;
    async fn test(&self, connection: &mut u32) -> Result<(), String>;
}

/// Has one connection at most.
pub struct Pool<M> { manager: M, idle: Mutex<Vec<u32>>, permits: Semaphore }

impl<M: Manager> Pool<M> {
    pub fn new(manager: M) -> Self {
        Self { manager, idle: Mutex::default(), permits: Semaphore::new(1) }
    }
    pub async fn get(&self) -> Result<Connection<'_, M>, String> {
        self.permits.acquire().await.map_err(|it| it.to_string())?.forget();
        let unfinished = Unfinished(&self.permits);
        let mut connection = Connection { pool: self, inner: self.idle.lock().unwrap().pop() };
        match &mut connection.inner {
            Some(inner) => self.manager.test(inner).await?,
            none => *none = Some(self.manager.connect().await?),
        }
        std::mem::forget(unfinished);
        Ok(connection)
    }
    pub fn idle(&self) -> usize { self.idle.lock().unwrap().len() }
}

struct Unfinished<'a>(&'a Semaphore);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) { self.0.add_permits(1); }
}

pub struct Connection<'a, M> { pool: &'a Pool<M>, inner: Option<u32> }

impl<M> Drop for Connection<'_, M> {
    fn drop(&mut self) {
        self.pool.idle.lock().unwrap().extend(self.inner.take());
        self.pool.permits.add_permits(1);
    }
}
"#;

fn subject(name: &str, library: &str) -> Subject {
    Subject::with(name, &[("Cargo.toml", MANIFEST), ("src/lib.rs", library)])
}

#[test]
fn a_pool_that_hands_out_more_than_it_has_is_found() {
    let faulty = subject("connections", LIBRARY);
    // Found in the first second, unless other tests have the processors.
    let run = faulty.contest(&["--budget", "20s"]).status(1);
    let said = run.text();
    // The modes of a manager are constructors with one text.
    let again = faulty.contest(&["test", "--emitted"]).status(1).text();
    assert!(again.contains("test result: FAILED. 0 passed"), "{again}");
    // Two have a connection, in two threads or in one.
    assert!(
        said.contains("error[cancellation]: with a.get().await (cancelled), "),
        "{said}"
    );

    let mended = LIBRARY.replace(
        "fn drop(&mut self) { self.0.add_permits(1); }",
        "fn drop(&mut self) {}",
    );
    assert_ne!(mended, LIBRARY);
    let mended = subject("connections-mended", &mended);
    mended.contest(&["--budget", "6s"]).status(0);
}

#[test]
fn a_scenario_may_name_the_stand_ins_that_the_list_shows() {
    let subject = subject("connections-tried", LIBRARY);
    let listed = subject.contest(&["list"]).status(0).stdout;
    assert!(
        listed.contains("Pool::new(StandInManager::WAITS)"),
        "{listed}"
    );
    let tried = "let a = Pool::new(StandInManager::WAITS); a.get().await.is_ok() | a.idle()";
    let shown = subject.contest(&["try", tried]).status(0).text();
    assert!(shown.contains("a.get().await.is_ok() = true"), "{shown}");
}
