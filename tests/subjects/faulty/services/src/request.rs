//! `org.apache.catalina.connector.Request` of Tomcat 7.0 (PCR, V4, "data race"): parameters and locales are parsed when
//! they are asked for first; that they are parsed is announced before they are.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

/// A request with its parameters `0=7` and `1=8`.
#[derive(Debug)]
pub struct Request {
    query: Vec<(u32, u32)>,
    accepted: Vec<u32>,
    parameters_parsed: AtomicBool,
    parameters: Mutex<BTreeMap<u32, u32>>,
    locales_parsed: AtomicBool,
    locales: Mutex<Vec<u32>>,
    attributes: Mutex<BTreeMap<u32, u32>>,
    notes: Mutex<BTreeMap<u32, u32>>,
    session: Mutex<Option<u32>>,
    user: Mutex<Option<u32>>,
    method: AtomicU32,
    protocol: AtomicU32,
    context: AtomicU32,
    wrapper: AtomicU32,
    remote_port: AtomicU32,
    local_port: AtomicU32,
    server_port: AtomicU32,
    dispatcher_type: AtomicU32,
    auth_type: AtomicU32,
    character_encoding: AtomicU32,
    secure: AtomicBool,
    async_supported: AtomicBool,
    requested_session_cookie: AtomicBool,
    requested_session_url: AtomicBool,
}

impl Request {
    /// A fresh request.
    pub fn new() -> Self {
        Self {
            query: vec![(0, 7), (1, 8)],
            accepted: vec![1, 2],
            parameters_parsed: AtomicBool::new(false),
            parameters: Mutex::default(),
            locales_parsed: AtomicBool::new(false),
            locales: Mutex::default(),
            attributes: Mutex::default(),
            notes: Mutex::default(),
            session: Mutex::default(),
            user: Mutex::default(),
            method: AtomicU32::new(0),
            protocol: AtomicU32::new(11),
            context: AtomicU32::new(0),
            wrapper: AtomicU32::new(0),
            remote_port: AtomicU32::new(4000),
            local_port: AtomicU32::new(80),
            server_port: AtomicU32::new(80),
            dispatcher_type: AtomicU32::new(0),
            auth_type: AtomicU32::new(0),
            character_encoding: AtomicU32::new(0),
            secure: AtomicBool::new(false),
            async_supported: AtomicBool::new(false),
            requested_session_cookie: AtomicBool::new(false),
            requested_session_url: AtomicBool::new(false),
        }
    }

    /// The fault: other threads take the parameters for parsed while they are not.
    fn parse_parameters(&self) {
        if self.parameters_parsed.swap(true, SeqCst) {
            return;
        }
        let mut parameters = self
            .parameters
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        parameters.extend(self.query.iter().copied());
    }

    /// The fault: as in `parse_parameters`.
    fn parse_locales(&self) {
        if self.locales_parsed.swap(true, SeqCst) {
            return;
        }
        let mut locales = self.locales.lock().unwrap_or_else(PoisonError::into_inner);
        locales.extend(self.accepted.iter().copied());
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: u32) -> Option<u32> {
        self.parse_parameters();
        self.parameters.lock().unwrap().get(&name).copied()
    }

    /// All parameters.
    pub fn parameter_map(&self) -> Vec<(u32, u32)> {
        self.parse_parameters();
        let parameters = self.parameters.lock().unwrap();
        parameters
            .iter()
            .map(|(name, value)| (*name, *value))
            .collect()
    }

    /// The names of all parameters.
    pub fn parameter_names(&self) -> Vec<u32> {
        self.parse_parameters();
        self.parameters.lock().unwrap().keys().copied().collect()
    }

    /// The locale that the client likes best.
    pub fn locale(&self) -> Option<u32> {
        self.parse_locales();
        self.locales.lock().unwrap().first().copied()
    }

    /// All locales of the client.
    pub fn locales(&self) -> Vec<u32> {
        self.parse_locales();
        self.locales.lock().unwrap().clone()
    }

    /// Adds a locale.
    pub fn add_locale(&self, locale: u32) {
        self.locales.lock().unwrap().push(locale);
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: u32) -> Option<u32> {
        self.attributes.lock().unwrap().get(&name).copied()
    }

    /// The names of all attributes.
    pub fn attribute_names(&self) -> Vec<u32> {
        self.attributes.lock().unwrap().keys().copied().collect()
    }

    /// Sets the value of an attribute.
    pub fn set_attribute(&self, name: u32, value: u32) -> Option<u32> {
        self.attributes.lock().unwrap().insert(name, value)
    }

    /// Removes an attribute.
    pub fn remove_attribute(&self, name: u32) -> Option<u32> {
        self.attributes.lock().unwrap().remove(&name)
    }

    /// A note of the server.
    pub fn note(&self, name: u32) -> Option<u32> {
        self.notes.lock().unwrap().get(&name).copied()
    }

    /// Sets it.
    pub fn set_note(&self, name: u32, value: u32) -> Option<u32> {
        self.notes.lock().unwrap().insert(name, value)
    }

    /// Removes it.
    pub fn remove_note(&self, name: u32) -> Option<u32> {
        self.notes.lock().unwrap().remove(&name)
    }

    /// The session, which is made if there is none.
    pub fn session(&self) -> u32 {
        *self.session.lock().unwrap().get_or_insert(1)
    }

    /// The session if there is one.
    pub fn session_if_any(&self) -> Option<u32> {
        *self.session.lock().unwrap()
    }

    /// Ends the session; false if there is none.
    pub fn invalidate_session(&self) -> bool {
        self.session.lock().unwrap().take().is_some()
    }

    /// Logs a user in; false if one is.
    pub fn login(&self, user: u32) -> bool {
        let mut own = self.user.lock().unwrap();
        let none = own.is_none();
        own.get_or_insert(user);
        none
    }

    /// Logs the user out; false if none is logged in.
    pub fn logout(&self) -> bool {
        self.user.lock().unwrap().take().is_some()
    }

    /// The user.
    pub fn user_principal(&self) -> Option<u32> {
        *self.user.lock().unwrap()
    }

    /// True if this user is logged in.
    pub fn is_user(&self, user: u32) -> bool {
        self.user_principal() == Some(user)
    }

    properties! {
        /// Number of the method.
        method, set_method: u32;
        /// Number of the protocol.
        protocol, set_protocol: u32;
        /// Number of the context.
        context, set_context: u32;
        /// Number of the wrapper.
        wrapper, set_wrapper: u32;
        /// The client's port.
        remote_port, set_remote_port: u32;
        /// The port it came in by.
        local_port, set_local_port: u32;
        /// The port it was sent to.
        server_port, set_server_port: u32;
        /// How it came to the servlet.
        dispatcher_type, set_dispatcher_type: u32;
        /// How the user was authenticated.
        auth_type, set_auth_type: u32;
        /// Number of the encoding.
        character_encoding, set_character_encoding: u32;
        /// True if it came over a secure connection.
        secure, set_secure: bool;
        /// True if it can be answered later.
        async_supported, set_async_supported: bool;
        /// True if the session came by a cookie.
        requested_session_cookie, set_requested_session_cookie: bool;
        /// True if the session came by the address.
        requested_session_url, set_requested_session_url: bool;
    }
}

impl Default for Request {
    fn default() -> Self {
        Self::new()
    }
}
