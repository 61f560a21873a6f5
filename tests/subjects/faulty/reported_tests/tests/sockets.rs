//! Sockets: who listens when, what arrives at once, which port is whose.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::thread;

use faulty_reported_tests::ms;

const PORT: u16 = 47_921;

/// An address that no other process has.
fn own_address(port: u16) -> SocketAddr {
    let [_, a, b, c] = std::process::id().to_be_bytes();
    SocketAddr::from(([127, 1 + a, b, c], port))
}

mod broken {
    use super::*;

    // diem/diem#2838: the thread of the server binds.
    #[test]
    fn the_server_listens() {
        let address = own_address(47_922);
        let server = thread::spawn(move || {
            let listener = TcpListener::bind(address).unwrap();
            listener.accept().unwrap().0.write_all(b"hello").unwrap();
        });
        thread::sleep(ms(150));
        let mut text = String::new();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
        server.join().unwrap();
    }

    // cloudflare/pingora#967: one `read` for what was written at once.
    #[test]
    fn all_is_read_at_once() {
        let (mut one, mut other) = UnixStream::pair().unwrap();
        let writer = thread::spawn(move || {
            one.write_all(b"it ").unwrap();
            one.write_all(b"works").unwrap();
        });
        thread::sleep(ms(60));
        let mut text = [0; 8];
        let length = other.read(&mut text).unwrap();
        assert_eq!(&text[..length], b"it works");
        writer.join().unwrap();
    }

    // bobmatnyc/trusty-tools#3003: two tests have one port.
    #[test]
    fn the_daemon_has_its_port() {
        let listener = TcpListener::bind(("127.0.0.1", PORT)).unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), PORT);
    }

    // MetaFARS/codex-relay#32: likewise.
    #[test]
    fn the_relay_has_the_same() {
        thread::sleep(ms(70));
        let listener = TcpListener::bind(("127.0.0.1", PORT)).unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), PORT);
    }

    // near/nearcore#8415: a port that was free when it was asked for.
    #[test]
    fn the_free_port_is_still_free() {
        let found = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = found.local_addr().unwrap();
        drop(found);
        TcpListener::bind(address).unwrap();
    }

    // sozu-proxy/sozu#1376: a time limit of a socket.
    #[test]
    fn the_answer_is_in_time() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"x");
        });
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(ms(200))).unwrap();
        stream.read_exact(&mut [0]).unwrap();
        server.join().unwrap();
    }

    // libp2p/rust-libp2p#3465: one end knows, the other one not yet.
    #[test]
    fn the_datagram_is_there() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_nonblocking(true).unwrap();
        let address = receiver.local_addr().unwrap();
        thread::spawn(move || {
            let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
            sender.send_to(b"x", address).unwrap();
        });
        thread::sleep(ms(80));
        assert_eq!(receiver.recv(&mut [0; 8]).unwrap(), 1);
    }
}

mod mended {
    use super::*;

    #[test]
    fn the_server_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            listener.accept().unwrap().0.write_all(b"hello").unwrap();
        });
        let mut text = String::new();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
        server.join().unwrap();
    }

    #[test]
    fn all_is_read_at_once() {
        let (mut one, mut other) = UnixStream::pair().unwrap();
        let writer = thread::spawn(move || {
            one.write_all(b"it ").unwrap();
            one.write_all(b"works").unwrap();
        });
        let mut text = [0; 8];
        other.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"it works");
        writer.join().unwrap();
    }

    #[test]
    fn the_daemon_has_its_port() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        assert_ne!(listener.local_addr().unwrap().port(), 0);
    }

    #[test]
    fn the_relay_has_the_same() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        assert_ne!(listener.local_addr().unwrap().port(), 0);
    }

    #[test]
    fn the_free_port_is_still_free() {
        let found = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = found.local_addr().unwrap();
        let server = thread::spawn(move || drop(found.accept()));
        TcpStream::connect(address).unwrap();
        server.join().unwrap();
    }

    #[test]
    fn the_answer_is_in_time() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(b"x");
        });
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(ms(60_000))).unwrap();
        stream.read_exact(&mut [0]).unwrap();
        server.join().unwrap();
    }

    #[test]
    fn the_datagram_is_there() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = receiver.local_addr().unwrap();
        thread::spawn(move || {
            let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
            sender.send_to(b"x", address).unwrap();
        });
        assert_eq!(receiver.recv(&mut [0; 8]).unwrap(), 1);
    }
}
