//! The relations where they go beyond the paper: writes against writes, modes, identities, three locks.

use contest_catalog::dependency_graph::{Dependency, DependencyGraph, Relation};

use crate::support::{graph, source};

#[track_caller]
fn of(text: &str) -> DependencyGraph {
    let text = format!("use std::sync::*; use std::sync::atomic::*; use Ordering::SeqCst;\n{text}");
    let graph = graph(&source(&text), "S");
    assert!(!graph.methods.is_empty());
    graph
}

#[track_caller]
fn pair(graph: &DependencyGraph, a: &str, b: &str) -> Dependency {
    let number = |name: &str| {
        u16::try_from(
            graph
                .methods
                .iter()
                .position(|it| it.operation == name)
                .unwrap(),
        )
        .unwrap()
    };
    *graph.pair(number(a), number(b)).unwrap()
}

#[test]
fn two_writers_under_read_locks_conflict_and_are_kept() {
    let graph = of("pub struct S { l: RwLock<()>, x: AtomicU32, y: AtomicU32 }
        impl S {
            pub fn one(&self) { let _r = self.l.read().unwrap(); self.x.store(1, SeqCst); self.y.store(1, SeqCst); }
            pub fn two(&self) { let _r = self.l.read().unwrap(); self.x.store(2, SeqCst); self.y.store(2, SeqCst); }
            pub fn check(&self) { let _w = self.l.write().unwrap(); assert_eq!(self.x.load(SeqCst), self.y.load(SeqCst)); }
        }");
    let it = pair(&graph, "one", "two");
    assert!(
        it.parallel && it.conflict == Relation::Yes && it.exact && !it.can_be_pruned(),
        "{it:?}"
    );
    let it = pair(&graph, "one", "check");
    assert!(!it.parallel && it.can_be_pruned(), "{it:?}");
}

#[test]
fn a_lock_of_another_element_or_of_another_time_excludes_nothing() {
    let graph = of("pub struct S { v: Vec<Mutex<u32>>, cur: RwLock<Arc<Mutex<u32>>>, m: Mutex<u32> }
        impl S {
            pub fn element(&self, n: usize) { *self.v[n].lock().unwrap() += 1; }
            pub fn current(&self) { let c = self.cur.read().unwrap().clone(); *c.lock().unwrap() += 1; }
            pub fn whole(&self) { *self.m.lock().unwrap() += 1; }
        }");
    assert!(pair(&graph, "element", "element").parallel);
    assert!(pair(&graph, "current", "current").parallel);
    assert!(!pair(&graph, "whole", "whole").parallel);
}

#[test]
fn the_same_lock_taken_twice_in_one_call_does_not_protect_the_gap() {
    let graph = of("pub struct S { m: Mutex<u32> }
        impl S {
            pub fn gap(&self) { let n = *self.m.lock().unwrap(); *self.m.lock().unwrap() = n + 1; }
            pub fn whole(&self) { let mut g = self.m.lock().unwrap(); let n = *g; *g = n + 1; }
            pub fn in_rounds(&self) { for _ in 0..2 { *self.m.lock().unwrap() += 1; } }
        }");
    assert!(pair(&graph, "gap", "gap").parallel);
    assert!(pair(&graph, "gap", "whole").parallel);
    assert!(pair(&graph, "in_rounds", "whole").parallel);
    assert!(!pair(&graph, "whole", "whole").parallel);
}

#[test]
fn a_reader_that_reads_again_depends_on_every_writer() {
    let graph = of("pub struct S { l: RwLock<u32> }
        impl S {
            pub fn again(&self) -> u32 { let a = self.l.read().unwrap(); let b = self.l.read().unwrap(); *a + *b }
            pub fn write(&self) { *self.l.write().unwrap() += 1; }
            pub fn read(&self) -> u32 { *self.l.read().unwrap() }
        }");
    assert_eq!(pair(&graph, "again", "write").double_lock, Relation::Yes);
    assert_eq!(pair(&graph, "again", "read").double_lock, Relation::No);
    assert_eq!(pair(&graph, "again", "again").double_lock, Relation::No);
}

#[test]
fn readers_in_opposite_orders_do_not_block_each_other() {
    let graph = of("pub struct S { a: RwLock<u32>, b: RwLock<u32> }
        impl S {
            pub fn ab(&self) { let _a = self.a.read().unwrap(); let _b = self.b.read().unwrap(); }
            pub fn ba(&self) { let _b = self.b.read().unwrap(); let _a = self.a.read().unwrap(); }
            pub fn ba_write(&self) { let _b = self.b.write().unwrap(); let _a = self.a.write().unwrap(); }
        }");
    assert_eq!(pair(&graph, "ab", "ba").double_lock, Relation::No);
    assert_eq!(pair(&graph, "ab", "ba_write").double_lock, Relation::Yes);
}

#[test]
fn a_cycle_of_three_locks_is_found_though_no_two_methods_make_one() {
    let graph = of(
        "pub struct S { a: Mutex<u32>, b: Mutex<u32>, c: Mutex<u32> }
        impl S {
            pub fn ab(&self) { let _x = self.a.lock().unwrap(); *self.b.lock().unwrap() += 1; }
            pub fn bc(&self) { let _x = self.b.lock().unwrap(); *self.c.lock().unwrap() += 1; }
            pub fn ca(&self) { let _x = self.c.lock().unwrap(); *self.a.lock().unwrap() += 1; }
        }",
    );
    assert!(
        graph.pairs.iter().all(|it| it.double_lock == Relation::No),
        "{:?}",
        graph.pairs
    );
    assert_eq!(graph.cycles.len(), 1, "{:?}", graph.cycles);
    let mut methods = graph.cycles[0].methods;
    methods.sort_unstable();
    assert_eq!(methods, [0, 1, 2]);
}

#[test]
fn statics_are_the_same_for_all_objects_and_two_statics_are_two() {
    let graph = of(
        "static A: Mutex<u32> = Mutex::new(0); static B: Mutex<u32> = Mutex::new(0);
        pub struct S;
        impl S {
            pub fn ab(&self) { let _x = A.lock().unwrap(); *B.lock().unwrap() += 1; }
            pub fn ba(&self) { let _x = B.lock().unwrap(); *A.lock().unwrap() += 1; }
            pub fn a(&self) { *A.lock().unwrap() += 1; }
        }",
    );
    assert_eq!(pair(&graph, "ab", "ba").double_lock, Relation::Yes);
    assert_eq!(pair(&graph, "ab", "ab").double_lock, Relation::No);
    assert!(!pair(&graph, "a", "a").parallel && pair(&graph, "a", "a").conflict == Relation::Yes);
}

#[test]
fn nothing_is_pruned_by_an_inexact_summary() {
    let graph = of(
        "pub struct S { m: Mutex<u32>, f: Box<dyn Fn() + Send + Sync> }
        impl S {
            pub fn stored(&self) { let _g = self.m.lock().unwrap(); (self.f)(); }
            pub fn plain(&self) -> u32 { *self.m.lock().unwrap() }
            pub fn nothing(&self) {}
        }",
    );
    let it = pair(&graph, "stored", "plain");
    assert!(!it.exact && !it.can_be_pruned() && it.rank() > 0, "{it:?}");
    assert!(pair(&graph, "nothing", "nothing").can_be_pruned());
    assert_eq!(pair(&graph, "nothing", "nothing").rank(), 0);
}
