//! The objects of a test as expanded code reaches them. The driver that `cargo contest` writes has the same in its own
//! source.

use std::cell::{Ref, RefCell, RefMut};
use std::sync::Arc;

use contest_data::subject::{Call, Object, Response};

type Slot<T> = RefCell<Arc<T>>;

/// A new object of a test.
#[must_use]
pub fn shared<T: 'static>(made: Arc<T>) -> Object {
    Object(Box::new(Slot::new(made)))
}

/// The object with this number.
///
/// # Panics
/// If it is of another type: the tables are wrong.
#[must_use]
pub fn object<'a, T: 'static>(call: &'a Call<'_>, index: usize) -> Ref<'a, Arc<T>> {
    slot(call, index).borrow()
}

/// The object with this number, whole.
///
/// # Panics
/// As [`object`], and if it is the receiver already.
#[must_use]
pub fn object_mut<'a, T: 'static>(call: &'a Call<'_>, index: usize) -> RefMut<'a, Arc<T>> {
    slot(call, index).borrow_mut()
}

fn slot<'a, T: 'static>(call: &'a Call<'_>, index: usize) -> &'a Slot<T> {
    let object = call.objects[index].0.downcast_ref();
    object.expect("an object of the subject that the call is for")
}

/// The response of a call that cannot be made.
#[must_use]
pub fn not_called(why: &str) -> Response {
    Some(format!("not called: {why}"))
}
