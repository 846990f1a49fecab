//! Access control of the server: admits only requests with the secret address, from its own page.
//!
//! This keeps out other pages of the browser, other users of the machine, and DNS rebinding. The
//! address holds a random token, `Host` must be the loopback address, and the WebSocket's `Origin`
//! must be the server's. A ticket is an address that opens the page once.

use std::net::SocketAddr;
use std::sync::Mutex;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use tengen::parallel::lock;

/// The page has all it needs from here, and nothing from anywhere else; `blob:` is the picture that
/// it draws to save.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// What every answer says.
pub const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

const FETCH_SITE: &str = "sec-fetch-site";
/// The path of the pages' socket.
pub const SOCKET: &str = "events";

pub struct Guard {
    port: u16,
    token: String,
    /// What leads to the page once, if that is still to come.
    ticket: Mutex<Option<String>>,
}

impl Guard {
    /// Returns the guard of a port of the loopback address, with a new token.
    pub fn new(port: u16) -> Result<Guard, getrandom::Error> {
        Ok(Guard { port, token: secret()?, ticket: Mutex::default() })
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Returns an address that leads to the page once. A browser is opened with it: every user of
    /// the machine can read the arguments of a program.
    pub fn ticket_address(&self) -> Result<String, getrandom::Error> {
        let ticket = secret()?;
        let address = format!("http://127.0.0.1:{}/open/{ticket}", self.port);
        *lock(&self.ticket) = Some(ticket);
        Ok(address)
    }

    /// Returns the path of the page, if this request is the one that the ticket is for and `peer`
    /// is not another user's.
    pub fn redeem(&self, path: &str, headers: &HeaderMap, peer: SocketAddr) -> Option<String> {
        let given = path.strip_prefix("/open/").filter(|_| self.is_host(headers))?;
        if is_foreign(peer) {
            return None;
        }
        let mut ticket = lock(&self.ticket);
        let own = ticket.take_if(|own| is_same(own.as_bytes(), given.as_bytes()));
        own.map(|_| format!("/{}/", self.token))
    }

    fn is_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
        // Browsers leave out the port of HTTP.
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        ["127.0.0.1", "localhost"].contains(&name)
            && port == self.port.to_string()
            && headers.get_all(HOST).iter().count() == 1
    }

    /// Returns the part of the path after the token, or the status of the answer if the request may
    /// not be served.
    pub fn admit<'a>(&self, path: &'a str, headers: &HeaderMap) -> Result<&'a str, StatusCode> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        if !self.is_host(headers) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        let parts = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let (token, rest) = parts.ok_or(StatusCode::NOT_FOUND)?;
        let host = text(HOST.as_str()).unwrap_or_default();
        let origin = text(ORIGIN.as_str());
        let is_own = origin.is_some_and(|origin| origin == format!("http://{host}"));
        // Browsers let any page open a socket anywhere, and say whose it is.
        if !is_own && (rest == SOCKET || headers.contains_key(ORIGIN)) {
            return Err(StatusCode::FORBIDDEN);
        }
        // The page itself may be opened from a bookmark or a terminal, its parts by nobody else.
        let site = text(FETCH_SITE);
        let is_near = site.is_none_or(|site| site == "same-origin" || rest.is_empty());
        if !is_near || site == Some("cross-site") {
            return Err(StatusCode::FORBIDDEN);
        }
        if !is_same(token.as_bytes(), self.token.as_bytes()) {
            return Err(StatusCode::NOT_FOUND);
        }
        Ok(rest)
    }
}

/// Returns true if another user of the machine has this end of a connection, as far as the system
/// tells: Linux does.
fn is_foreign(peer: SocketAddr) -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::fs;
        use std::os::unix::fs::MetadataExt;

        // Addresses are hexadecimal, the lowest byte first; the owner is the eighth word.
        let end = format!("0100007F:{:04X}", peer.port());
        let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
        let owner = table.lines().find_map(|line| {
            let mut words = line.split_whitespace().skip(1);
            words.next().filter(|&local| local == end).and(words.nth(5)?.parse::<u32>().ok())
        });
        let own = fs::metadata("/proc/self").map(|process| process.uid());
        own.is_ok_and(|own| owner.is_some_and(|owner| owner != own))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = peer;
        false
    }
}

fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that does not tell how much is the same.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn admit(path: &str, headers: &[(&'static str, &str)]) -> Result<(), u16> {
        admit_at(4_000, path, headers)
    }

    fn admit_at(port: u16, path: &str, headers: &[(&'static str, &str)]) -> Result<(), u16> {
        let guard = Guard { port, token: "secret".into(), ticket: Mutex::default() };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        guard.admit(path, &map).map(drop).map_err(|status| status.as_u16())
    }

    const HOME: (&str, &str) = ("host", "127.0.0.1:4000");

    #[test]
    fn the_own_page_gets_in() {
        assert_eq!(admit("/secret/", &[HOME]), Ok(()));
        assert_eq!(admit("/secret/main.js", &[("host", "localhost:4000")]), Ok(()));
        let own = ("origin", "http://127.0.0.1:4000");
        let near = ("sec-fetch-site", "same-origin");
        assert_eq!(admit("/secret/events", &[HOME, own, near]), Ok(()));
        assert_eq!(admit("/secret/events", &[HOME, own]), Ok(()));
        for host in ["127.0.0.1", "localhost:80"] {
            assert_eq!(admit_at(80, "/secret/", &[("host", host)]), Ok(()));
        }
        // A bookmark.
        assert_eq!(admit("/secret/", &[HOME, ("sec-fetch-site", "none")]), Ok(()));
    }

    #[test]
    fn others_do_not() {
        for host in ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:4000.evil", ""] {
            assert_eq!(admit("/secret/", &[("host", host)]), Err(421), "{host}");
        }
        assert_eq!(admit("/secret/", &[]), Err(421));
        assert_eq!(admit("/secret/", &[HOME, HOME]), Err(421));
        for path in ["/", "/secret", "/secreT/", "/secre/", "//", "/other/main.js"] {
            assert_eq!(admit(path, &[HOME]), Err(404), "{path}");
        }
        for origin in ["http://evil.example", "null", "http://localhost:4000", ""] {
            let headers = [HOME, ("origin", origin)];
            assert_eq!(admit("/secret/events", &headers), Err(403), "{origin:?}");
            assert_eq!(admit("/secret/main.js", &headers), Err(403), "{origin:?}");
        }
        assert_eq!(admit("/secret/events", &[HOME]), Err(403));
        let own = ("origin", "http://127.0.0.1:4000");
        for site in ["cross-site", "same-site", "none"] {
            let headers = [HOME, own, ("sec-fetch-site", site)];
            assert_eq!(admit("/secret/events", &headers), Err(403), "{site}");
        }
        let cross = [HOME, ("sec-fetch-site", "cross-site")];
        assert_eq!(admit("/secret/", &cross), Err(403));
    }

    #[test]
    fn a_ticket_is_good_once_and_for_its_bearer() {
        let guard = Guard::new(4_000).unwrap();
        let address = guard.ticket_address().unwrap();
        assert!(!address.contains(&guard.token));
        let path = address.strip_prefix("http://127.0.0.1:4000").unwrap();
        let headers =
            |host: &str| HeaderMap::from_iter([(HOST, HeaderValue::from_str(host).unwrap())]);
        // Nobody has this port.
        let peer = SocketAddr::from(([127, 0, 0, 1], 0));
        let redeem = |path: &str, host| guard.redeem(path, &headers(host), peer);
        for (path, host) in
            [("/open/", "127.0.0.1:4000"), (&path[1..], "127.0.0.1:4000"), (path, "evil.example")]
        {
            assert_eq!(redeem(path, host), None);
        }
        let page = Some(format!("/{}/", guard.token));
        assert_eq!(redeem(path, "127.0.0.1:4000"), page);
        assert_eq!(redeem(path, "127.0.0.1:4000"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_own_connection_is_not_foreign() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let own = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(!is_foreign(own.local_addr().unwrap()));
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (Guard::new(1).unwrap(), Guard::new(1).unwrap());
        assert!(a.token.len() == 32 && a.token != b.token);
        assert_eq!(a.address(), format!("http://127.0.0.1:1/{}/", a.token));
    }
}
