//! Every misuse is a compile error at the right place that says what is allowed. To write the expected output anew: `TRYBUILD=overwrite`.

#[test]
fn every_misuse_is_an_error_that_says_what_is_allowed() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/misuse/*.rs");
}
