//! Types that are hard to read or behave badly on their own: in generated code, in an included file, under `cfg`, made by macros of
//! macros, behind trait objects, recursive, with 300 methods, always panicking, with constructors that block or panic, tossing coins.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{mpsc, Mutex};

include!(concat!(env!("OUT_DIR"), "/generated.rs"));

mod by_include {
    include!("included.rs");
}
pub use by_include::Included;

#[cfg(unix)]
pub mod on_unix {
    pub struct Chosen(std::sync::atomic::AtomicU32);
    impl Chosen {
        pub fn new() -> Self {
            Self(0.into())
        }
        #[cfg(unix)]
        pub fn add(&self) -> u32 {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst)
        }
        #[cfg(windows)]
        pub fn never(&self) -> u32 {
            0
        }
    }
}
#[cfg(windows)]
pub mod on_windows {
    pub struct NotChosen(std::sync::atomic::AtomicU32);
}

macro_rules! each { ($name:ident, $($method:ident => $body:expr),* $(,)?) => {
    impl $name { pub fn new() -> Self { Self(AtomicU32::new(0)) } $( pub fn $method(&self) -> u32 { ($body)(&self.0) } )* }
} }
macro_rules! counters { ($($name:ident),*) => { $( pub struct $name(AtomicU32);
    each!($name, add => |it: &AtomicU32| it.fetch_add(1, SeqCst), get => |it: &AtomicU32| it.load(SeqCst)); )* } }
counters!(First, Second);

pub trait Shape: Send + Sync {
    fn add(&self) -> u32;
}
struct Square(Mutex<u32>);
impl Shape for Square {
    fn add(&self) -> u32 {
        let mut it = self.0.lock().unwrap();
        *it += 1;
        *it
    }
}
pub struct Board {
    shapes: Vec<Box<dyn Shape>>,
}
impl Board {
    pub fn new() -> Self {
        Self {
            shapes: vec![Box::new(Square(Mutex::new(0)))],
        }
    }
    pub fn add_all(&self) -> u32 {
        self.shapes.iter().map(|it| it.add()).sum()
    }
    pub fn take(&self, shape: &dyn Shape) -> u32 {
        shape.add()
    }
}

pub struct Deep(Mutex<u32>);
impl Deep {
    pub fn new() -> Self {
        Self(Mutex::new(0))
    }
    pub fn even(&self, n: u8) -> bool {
        *self.0.lock().unwrap() += 1;
        n == 0 || self.odd(n - 1)
    }
    pub fn odd(&self, n: u8) -> bool {
        *self.0.lock().unwrap() += 1;
        n != 0 && self.even(n - 1)
    }
}

pub struct Touchy(AtomicU32);
impl Touchy {
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }
    pub fn one(&self) -> u32 {
        panic!("not with me")
    }
    pub fn two(&self) -> u32 {
        self.0.load(SeqCst);
        panic!("nor with me")
    }
}

pub struct Waiting(AtomicU32);
impl Waiting {
    pub fn new() -> Self {
        let (_sender, receiver) = mpsc::channel::<u32>();
        Self(
            receiver
                .recv()
                .unwrap_or_else(|_| loop {
                    std::thread::park()
                })
                .into(),
        )
    }
    pub fn add(&self) -> u32 {
        self.0.fetch_add(1, SeqCst)
    }
}

pub struct Failing(AtomicU32);
impl Failing {
    pub fn new() -> Self {
        panic!("no objects of this")
    }
    pub fn add(&self) -> u32 {
        self.0.fetch_add(1, SeqCst)
    }
}

pub struct Fickle(AtomicU32);
impl Fickle {
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }
    pub fn draw(&self) -> u64 {
        let mut word = [0_u8; 8];
        let mut file = std::fs::File::open("/proc/sys/kernel/random/uuid").unwrap();
        std::io::Read::read_exact(&mut file, &mut word).unwrap();
        if word[0] % 2 == 0 {
            self.0.fetch_add(1, SeqCst);
        } else {
            self.0.load(SeqCst);
            self.0.load(SeqCst);
        }
        u64::from_ne_bytes(word)
    }
    pub fn add(&self) -> u32 {
        self.0.fetch_add(1, SeqCst)
    }
}
