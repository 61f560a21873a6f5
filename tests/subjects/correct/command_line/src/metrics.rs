#[derive(Default)]
pub(crate) struct Histogram(std::sync::Mutex<Vec<u32>>);
