use faulty_every_kind::Visits;

#[test]
fn two_visitors_have_two_numbers() {
    let visits = Visits::new();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| visits.visit());
        assert_ne!(visits.visit(), other.join().unwrap());
    });
}
