//! A place for one item, with a sink and a stream.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use futures_sink::Sink;

#[derive(Debug, Default)]
struct Place {
    item: Option<u32>,
    closed: bool,
    waits_for_room: Option<Waker>,
    waits_for_item: Option<Waker>,
}

/// The end where items go in.
#[derive(Debug)]
pub struct Outlet(Arc<Mutex<Place>>);

/// The end where they come out.
#[derive(Debug)]
pub struct Inlet(Arc<Mutex<Place>>);

/// Both ends of an empty place.
pub fn pipe() -> (Outlet, Inlet) {
    let place = Arc::new(Mutex::new(Place::default()));
    (Outlet(place.clone()), Inlet(place))
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl Outlet {
    fn poll_room(&self, context: &mut Context<'_>) -> Poll<Result<(), ()>> {
        let mut place = self.0.lock().unwrap();
        if place.closed {
            return Poll::Ready(Err(()));
        }
        if place.item.is_none() {
            return Poll::Ready(Ok(()));
        }
        place.waits_for_room = Some(context.waker().clone());
        Poll::Pending
    }
}

/// The error is that the other end is gone, or that there was no room.
impl Sink<u32> for Outlet {
    type Error = ();

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), ()>> {
        self.poll_room(context)
    }

    fn start_send(self: Pin<&mut Self>, item: u32) -> Result<(), ()> {
        let mut place = self.0.lock().unwrap();
        if place.closed || place.item.is_some() {
            return Err(());
        }
        place.item = Some(item);
        let waits = place.waits_for_item.take();
        drop(place);
        wake(waits);
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), ()>> {
        self.poll_room(context)
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), ()>> {
        self.poll_room(context)
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        // BUG: who waits for an item finds none any more, and is not woken.
        self.0.lock().unwrap().closed = true;
    }
}

impl Stream for Inlet {
    type Item = u32;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<u32>> {
        let mut place = self.0.lock().unwrap();
        if let Some(item) = place.item.take() {
            let waits = place.waits_for_room.take();
            drop(place);
            wake(waits);
            return Poll::Ready(Some(item));
        }
        if place.closed {
            return Poll::Ready(None);
        }
        place.waits_for_item = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        let mut place = self.0.lock().unwrap();
        place.closed = true;
        let waits = place.waits_for_room.take();
        drop(place);
        wake(waits);
    }
}
