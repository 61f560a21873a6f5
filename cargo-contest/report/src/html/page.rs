//! The frame of a page: one file, nothing loaded from elsewhere. Its security policy lets only our own script and
//! styles run, by their hashes, so text of crates under test cannot run even if it became markup.

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

use super::markup::Markup;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// At the beginning of every page; says which files of a directory are ours to remove.
pub(super) const MARK: &str = "<!DOCTYPE html><!-- cargo contest -->";

/// A whole page. `styles` are rules of this page; `above` links to the page above it.
pub(super) fn page(title: &str, above: Option<(&str, &str)>, styles: &str, body: Markup) -> String {
    let style = format!("{STYLE}{styles}");
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(&style)
    );
    let mut out = Markup::new();
    out.raw(MARK).raw("\n").open("html", &[("lang", "en")]);
    out.open("head", &[]);
    out.empty("meta", &[("charset", "utf-8")]);
    out.empty(
        "meta",
        &[
            ("http-equiv", "Content-Security-Policy"),
            ("content", &policy),
        ],
    );
    out.empty(
        "meta",
        &[
            ("name", "viewport"),
            ("content", "width=device-width, initial-scale=1"),
        ],
    );
    out.empty(
        "meta",
        &[("name", "color-scheme"), ("content", "light dark")],
    );
    out.element("title", &[], title);
    out.open("style", &[]).raw(&style).close();
    out.close();
    out.open("body", &[]);
    out.element(
        "a",
        &[("class", "skip"), ("href", "#main")],
        "Skip to the content",
    );
    out.open("header", &[("class", "top")]);
    match above {
        Some((href, text)) => out.element("a", &[("href", href)], text),
        None => out.element("span", &[("class", "brand")], "cargo contest"),
    };
    out.element(
        "button",
        &[
            ("type", "button"),
            ("id", "theme"),
            ("hidden", "hidden"),
            ("title", "Dark or light (t)"),
        ],
        "Dark or light",
    );
    out.close();
    out.open("main", &[("id", "main")]).part(body).close();
    out.open("script", &[]).raw(SCRIPT).close();
    out.close().close();
    out.finish()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_ours_ends_its_own_element() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
    }

    #[test]
    fn a_hash_is_that_of_the_standard() {
        assert_eq!(
            hash(""),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        );
    }
}
