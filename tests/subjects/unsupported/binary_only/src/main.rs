fn main() {
    println!("nothing to test");
}
