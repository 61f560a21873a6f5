//! Fields whose types cannot be instrumented.

struct Home;

mod foreign {
    pub struct Mutex<T>(pub T);
}

#[contest::shared]
struct Fields {
    home: Home,
    lock: foreign::Mutex<u32>,
    inside: Vec<Option<Home>>,
    allowed: std::sync::Mutex<Vec<String>>,
}

fn main() {}
