//! Tests with one subject have one directory, one after another; none sees what another one has changed.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::support::Subject;

const FILES: [(&str, &str); 2] = [("same.txt", "1"), ("below/edited.txt", "2")];

fn modified(subject: &Subject, file: &str) -> SystemTime {
    let data = std::fs::metadata(subject.directory.join(file)).unwrap();
    data.modified().unwrap()
}

#[test]
fn a_subject_has_its_files_again_and_what_is_the_same_keeps_its_age() {
    let subject = Subject::with("places", &FILES);
    subject.write("below/edited.txt", "3");
    subject.write("new/below/new.txt", "4");
    let old = SystemTime::UNIX_EPOCH + Duration::from_hours(24);
    for (file, _) in FILES {
        let file = File::options()
            .append(true)
            .open(subject.directory.join(file));
        file.unwrap().set_modified(old).unwrap();
    }
    let directory = subject.directory.clone();
    drop(subject);

    let again = Subject::with("places", &FILES);
    assert_eq!(again.directory, directory);
    let files = FILES.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
    assert_eq!(again.tree(), files.into());
    assert!(!again.directory.join("new").exists());
    assert_eq!(modified(&again, "same.txt"), old);
    assert!(modified(&again, "below/edited.txt") > old);

    let other = Subject::with("places", &FILES);
    assert_ne!(other.directory, again.directory);
}
