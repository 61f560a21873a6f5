pub struct Included(std::sync::Mutex<u32>);
impl Included {
    pub fn new() -> Self {
        Self(std::sync::Mutex::new(0))
    }
    pub fn add(&self) -> u32 {
        let mut it = self.0.lock().unwrap();
        *it += 1;
        *it
    }
    pub fn get(&self) -> u32 {
        *self.0.lock().unwrap()
    }
}
