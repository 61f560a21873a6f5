//! Files that others write, and names that others use.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::thread;

use faulty_reported_tests::{common, ms};

/// A directory with a letter of each name.
fn letters(names: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in names {
        fs::write(directory.path().join(name), "").unwrap();
    }
    directory
}

mod broken {
    use super::*;

    // pmcfadin/cqlite#1526: one path for two tests.
    #[test]
    fn a_small_block_is_read() {
        let path = common("block.bin");
        fs::write(&path, [1; 8]).unwrap();
        let read = fs::read(&path);
        let _ = fs::remove_file(&path);
        assert_eq!(read.unwrap().len(), 8);
    }

    // pmcfadin/cqlite#1326: the same, in another test.
    #[test]
    fn an_empty_block_is_read() {
        thread::sleep(ms(60));
        let path = common("block.bin");
        fs::write(&path, []).unwrap();
        let read = fs::read(&path);
        let _ = fs::remove_file(&path);
        assert_eq!(read.unwrap().len(), 0);
    }

    // traverse-framework/traverse#1513: one test leaves what another one does not expect.
    #[test]
    fn a_configuration_is_not_there_at_first() {
        assert!(!common("configuration").exists());
    }

    #[test]
    fn the_configuration_is_written() {
        thread::sleep(ms(90));
        fs::write(common("configuration"), "on").unwrap();
    }

    // bobmatnyc/trusty-tools#6789: what is in a directory of all.
    #[test]
    fn no_report_is_left() {
        thread::sleep(ms(150));
        let reports = common("reports");
        fs::create_dir_all(&reports).unwrap();
        let own = reports.join("own");
        fs::write(&own, "").unwrap();
        fs::remove_file(&own).unwrap();
        assert_eq!(fs::read_dir(&reports).unwrap().count(), 0);
    }

    #[test]
    fn a_report_is_made() {
        let reports = common("reports");
        fs::create_dir_all(&reports).unwrap();
        let other = reports.join("other");
        fs::write(&other, "").unwrap();
        thread::sleep(ms(10));
        assert!(other.exists());
        fs::remove_file(&other).unwrap();
    }

    // holon-run/holon#3064: it is there, and empty.
    #[test]
    fn the_fixture_has_its_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fixture");
        let written = path.clone();
        let writer = thread::spawn(move || {
            let mut file = File::create(written).unwrap();
            file.write_all(b"green").unwrap();
        });
        while !path.exists() {
            thread::sleep(ms(20));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "green");
        writer.join().unwrap();
    }

    // unarbos/arbos#168: who writes a file anew makes it empty first.
    #[test]
    fn the_restored_file_has_a_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("restored");
        fs::write(&path, "old").unwrap();
        let written = path.clone();
        let writer = thread::spawn(move || fs::write(written, "new"));
        thread::sleep(ms(50));
        assert!(!fs::read_to_string(&path).unwrap().is_empty());
        writer.join().unwrap().unwrap();
    }

    // vm0-ai/vm0#8216: what is written is not flushed when it is read.
    #[test]
    fn chunks_are_in_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path: PathBuf = directory.path().join("chunks");
        let file = File::create(&path).unwrap();
        let writer = thread::spawn(move || {
            let mut chunks = BufWriter::new(file);
            chunks.write_all(b"one two").unwrap();
            chunks.flush().unwrap();
        });
        thread::sleep(ms(60));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
        writer.join().unwrap();
    }

    // uutils/findutils#520: the order of a directory.
    #[test]
    fn letters_are_in_the_order_of_their_directory() {
        let directory = letters(&["b", "c", "a"]);
        let list = || -> Vec<_> {
            let entries = fs::read_dir(directory.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name()).collect()
        };
        let first = list();
        fs::write(directory.path().join("d"), "").unwrap();
        fs::remove_file(directory.path().join("d")).unwrap();
        assert_eq!(first, list());
    }
}

mod mended {
    use super::*;

    #[test]
    fn a_small_block_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("block.bin");
        fs::write(&path, [1; 8]).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), 8);
    }

    #[test]
    fn an_empty_block_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("block.bin");
        fs::write(&path, []).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), 0);
    }

    #[test]
    fn a_configuration_is_not_there_at_first() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!directory.path().join("configuration").exists());
    }

    #[test]
    fn the_configuration_is_written() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("configuration"), "on").unwrap();
    }

    #[test]
    fn no_report_is_left() {
        let reports = common("mended-reports-1");
        fs::create_dir_all(&reports).unwrap();
        assert_eq!(fs::read_dir(&reports).unwrap().count(), 0);
        fs::remove_dir(&reports).unwrap();
    }

    #[test]
    fn a_report_is_made() {
        let reports = common("mended-reports-2");
        fs::create_dir_all(&reports).unwrap();
        fs::write(reports.join("other"), "").unwrap();
        fs::remove_dir_all(&reports).unwrap();
    }

    #[test]
    fn the_fixture_has_its_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fixture");
        let (written, draft) = (path.clone(), directory.path().join("draft"));
        let writer = thread::spawn(move || {
            fs::write(&draft, "green").unwrap();
            fs::rename(draft, written).unwrap();
        });
        while !path.exists() {
            thread::sleep(ms(20));
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "green");
        writer.join().unwrap();
    }

    #[test]
    fn the_restored_file_has_a_text() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("restored");
        fs::write(&path, "old").unwrap();
        let (written, draft) = (path.clone(), directory.path().join("draft"));
        let writer = thread::spawn(move || {
            fs::write(&draft, "new")?;
            fs::rename(draft, written)
        });
        thread::sleep(ms(50));
        assert!(!fs::read_to_string(&path).unwrap().is_empty());
        writer.join().unwrap().unwrap();
    }

    #[test]
    fn chunks_are_in_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path: PathBuf = directory.path().join("chunks");
        let file = File::create(&path).unwrap();
        let writer = thread::spawn(move || {
            let mut chunks = BufWriter::new(file);
            chunks.write_all(b"one two").unwrap();
            chunks.flush().unwrap();
        });
        writer.join().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one two");
    }

    #[test]
    fn letters_are_in_the_order_of_their_directory() {
        let directory = letters(&["b", "c", "a"]);
        let list = || -> Vec<_> {
            let entries = fs::read_dir(directory.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(list(), ["a", "b", "c"]);
    }
}
