use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{mpsc, Arc};
use std::time::{Duration, Instant, SystemTime};

#[test]
fn sums_and_products() {
    let (sender, receiver) = mpsc::channel();
    (0..4).for_each(|n| sender.send(n).unwrap());
    drop(sender);
    assert_eq!(receiver.iter().sum::<u32>(), (0..4).sum());
    assert_eq!(24u64, (1..5).product());
    assert_eq!(0.5f64 + 1.5, [0.5, 1.5].iter().sum());
    let whole: u64 = 7;
    assert!(whole == [3, 4].iter().sum());
    let time: Duration = [Duration::from_secs(1); 2].iter().sum();
    assert_eq!(time, Duration::from_secs(2));
}

#[test]
fn parsed_text() {
    assert_eq!(5u32, "5".parse().unwrap());
    assert_eq!(-5i64, "-5".parse().unwrap());
    assert_eq!(true, "true".parse().unwrap());
    assert_eq!('x', "x".parse().unwrap());
    assert!(0.5f32 == "0.5".parse().unwrap());
    assert!(["b".to_owned()].contains(&"b".parse().unwrap()));
    let numbers: Result<Vec<u16>, _> = "1 2".split(' ').map(|it| it.parse()).collect();
    assert_eq!(numbers.unwrap(), [1, 2]);
}

#[test]
fn conversions() {
    let small = 5u8;
    let large: u64 = small.into();
    assert_eq!(large, 5u8.into());
    assert_eq!(300u32, 300u16.into());
    assert_eq!(7usize, 7i64.try_into().unwrap());
    assert_eq!('a', char::from(97));
    let text: String = 'a'.into();
    assert_eq!(text, Into::<String>::into("a"));
    let boxed: Box<dyn std::error::Error> = "why".into();
    assert_eq!(boxed.to_string(), "why");
    let shared: Arc<str> = "a".into();
    assert_eq!(&*shared, "a");
    let counted: Rc<[u8]> = vec![1, 2].into();
    assert_eq!(*counted, [1, 2]);
    let path: PathBuf = "a/b".into();
    assert_eq!(path, Path::new("a").join("b"));
    assert_eq!(Some(3u8).map(Into::into), Some(3u64));
    let now = SystemTime::now();
    let later: SystemTime = (now + Duration::from_secs(1)).into();
    assert!(later > now);
    let since: Instant = Instant::now().into();
    assert!(since.elapsed() < Duration::from_secs(600));
}

#[test]
fn defaults_and_empty_collections() {
    assert_eq!(0u32, Default::default());
    assert_eq!("", String::default());
    assert_eq!(Vec::<u8>::new(), []);
    assert_eq!(vec![1u8; 0], Vec::new());
    let given = vec![1u8, 2];
    let mut grown = Vec::new();
    grown.extend(given.iter().copied());
    assert_eq!(&given[..], &grown[..]);
    assert!(given != []);
    let mut pushed = Vec::new();
    assert!(pushed == given[..0]);
    pushed.push(given[0]);
    assert_eq!(pushed, &given[..1]);
    let mut queue: VecDeque<_> = Default::default();
    queue.extend(given.iter().copied());
    assert_eq!(queue, given);
    let none = None;
    assert_eq!(given.get(7), none);
    let fine = Ok(());
    assert_eq!(u8::try_from(3i32).map(|_| ()), fine);
}

#[test]
fn texts_beside_texts() {
    let text = String::from("a");
    assert!(text == "a" && "a" == text && &text == "a" && *"a" == text);
    assert!(text == 'a'.to_string());
    assert_eq!(text, Cow::Borrowed("a"));
    assert_eq!(Cow::from("a"), text);
    let texts = vec![text.clone()];
    assert_eq!(texts, ["a"]);
    assert_eq!(&texts[..], &["a".to_string()]);
    assert!(texts.contains(&"a".into()));
    assert_eq!(OsString::from("a"), *"a");
    assert_eq!(OsStr::new("a"), "a");
    assert_eq!(text.as_bytes(), b"a");
    assert_eq!(texts.concat(), texts.join(""));
}

#[test]
fn casts_to_what_is_beside() {
    let count = 3usize;
    let small = 3u8;
    assert!(count == small as _);
    assert!(count == 3 as _ && 2u64 + 1 == small as _);
    assert!((count as f64 - 3.0).abs() < small as _);
    let sum = count + small as usize;
    assert_eq!(sum & 1, 0);
    assert_eq!(1u64 << small, 8);
    let shift = 1 << "3".parse::<u32>().unwrap();
    assert_eq!(shift, 8);
}

#[test]
fn references_to_parts() {
    let text = String::from("a/b");
    let bytes: &[u8] = text.as_ref();
    assert_eq!(bytes.len(), 3);
    let path: &Path = text.as_ref();
    assert_eq!(path.file_name().unwrap(), "b");
    let slice: &str = text.borrow();
    assert_eq!(slice, text);
    let boxed = Box::new(5);
    let five: &i32 = boxed.as_ref();
    assert_eq!(five, &5);
    let one = Some(String::from("a"));
    assert_eq!(one.as_ref().map(|it| it.as_ref()), Some("a"));
    assert_eq!(one.as_deref(), Some("a"));
}

#[test]
fn keys_and_what_is_collected() {
    let map: HashMap<_, _> = [("a", 1), ("b", 2)].into_iter().collect();
    assert_eq!(map["a"], 1);
    assert_eq!(map.get("b"), Some(&2));
    let owned: BTreeMap<String, u32> = map.iter().map(|(k, v)| (k.to_string(), *v)).collect();
    assert_eq!(owned.get("a"), Some(&1));
    assert_eq!(owned.values().sum::<u32>(), owned.values().copied().fold(0, |a, b| a + b));
    let set: HashSet<_> = owned.keys().map(String::as_str).collect();
    assert!(set.contains("a"));
    let text: String = ["a", "b"].iter().map(|it| it.chars().rev().collect::<String>()).collect();
    assert_eq!(text, "ab");
    let all = (0..3).map(|n| n.to_string()).collect::<Vec<_>>();
    assert_eq!(all, vec!["0", "1", "2"]);
    let (even, odd): (Vec<_>, Vec<_>) = (0..4).partition(|n| n % 2 == 0);
    assert_eq!((even, odd), (vec![0, 2], vec![1, 3]));
    let whole: Option<Vec<_>> = [Some(1), Some(2)].into_iter().collect();
    assert_eq!(whole, Some(vec![1, 2]));
}

#[test]
fn orders_and_closures() {
    let mut numbers = vec![3, 1, 2];
    numbers.sort_by(|a, b| b.partial_cmp(a).unwrap());
    assert_eq!(numbers, [3, 2, 1]);
    let most = numbers.iter().max().copied().unwrap_or_default();
    assert!(most > "2".parse().unwrap());
    assert_eq!(numbers.iter().map(|n| n * 2).min(), Some(2));
    let add = |a, b| a + b;
    assert_eq!(add(1, 2u8), 3);
    let twice = |f: fn(_) -> u32| f(2) + f(3);
    assert_eq!(twice(|n: u32| n + 1), 7);
    let value = std::thread::spawn(|| "4".parse().unwrap()).join().unwrap();
    assert_eq!(4u8, value);
    assert_eq!(0u8.max("4".parse().unwrap()), 4);
}

#[test]
fn shared_values() {
    let sum = Arc::new(std::sync::Mutex::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| *sum.lock().unwrap() += 1u64);
        scope.spawn(|| *sum.lock().unwrap() += 2);
    });
    assert_eq!(*sum.lock().unwrap(), [1, 2].iter().sum());
    assert_eq!(Arc::try_unwrap(sum).unwrap().into_inner().unwrap(), 3);
    let lock: std::sync::RwLock<Vec<u8>> = vec![].into();
    assert_eq!(*lock.read().unwrap(), []);
    let cell: std::sync::OnceLock<_> = "a".to_string().into();
    assert_eq!(cell.get().unwrap(), "a");
}
