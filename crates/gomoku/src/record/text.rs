//! Texts of files, from bytes of any encoding to characters, and the names of rules in them.
//!
//! A byte order mark or the zeros of UTF-16 decide, then the encoding that the caller names, then
//! the one that the text names in SGF's `CA`. Any other text is UTF-8, or else windows-1252, which
//! has a character for every byte.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::error::{Place, Warning, line};
use crate::types::Rule;

/// The control character that ends text files of DOS programs.
const CTRL_Z: char = '\x1a';

/// The most bytes of a root node before its `CA`, and of the name there.
const ROOT_MAX: usize = 4096;
const NAME_MAX: usize = 100;

/// Returns the encoding of this name, such as `GBK`, `Shift_JIS`, `cp1251` or `936`.
pub fn encoding_named(name: &str) -> Option<&'static Encoding> {
    let lower = name.trim().to_ascii_lowercase();
    let page = lower.strip_prefix("cp").or(lower.strip_prefix("ms")).unwrap_or(&lower);
    let label = match page {
        "932" => "shift_jis".to_owned(),
        "936" => "gbk".to_owned(),
        "949" => "euc-kr".to_owned(),
        "950" => "big5".to_owned(),
        _ if page.starts_with("125") => format!("windows-{page}"),
        _ => lower,
    };
    let plain = || Encoding::for_label(label.replace('-', "").as_bytes());
    // The library maps labels of encodings that it cannot decode to REPLACEMENT.
    let known = Encoding::for_label(label.as_bytes()).or_else(plain);
    known.filter(|&encoding| encoding != REPLACEMENT)
}

/// Returns the text of the bytes, and a warning if the named encoding is unknown or does not fit.
/// Ctrl-Z and NUL at the end are left out, other control characters become blanks. Returns `None`
/// if NUL stands before the end.
pub(super) fn decoded_text(
    bytes: &[u8],
    encoding: Option<&'static Encoding>,
) -> Option<(String, Option<Warning>)> {
    let wide = || match bytes {
        [_, 0, _, 0, ..] => Some((UTF_16LE, 0)),
        [0, _, 0, _, ..] => Some((UTF_16BE, 0)),
        _ => None,
    };
    let (mut text, mut words) = match (Encoding::for_bom(bytes).or_else(wide), encoding) {
        (Some((marked, length)), _) => decoded(&bytes[length..], Some(marked)),
        (None, Some(_)) => decoded(bytes, encoding),
        (None, None) => decoded_by_names(bytes),
    };
    let is_end = |c: char| ['\0', CTRL_Z].contains(&c) || c.is_whitespace();
    let end = text.trim_end_matches(is_end).len();
    let plain = str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), |_| 0);
    let sound = if words.is_some() { &bytes[..plain] } else { &text.as_bytes()[..end] };
    let number = 1 + sound.iter().filter(|&&byte| byte == b'\n').count();
    if text[end..].contains('\0') {
        text.truncate(end);
        let words = words.get_or_insert_default();
        *words += if words.is_empty() { "" } else { "; " };
        *words += "the zero bytes behind the text are left out";
    }
    text.truncate(text.trim_end_matches(CTRL_Z).len());
    let is_blank = |c: char| c.is_ascii_control() && !c.is_ascii_whitespace();
    let warning = words.map(|text| Warning { place: Place::Line(number), kind: "{}", text });
    // RenLib's line break becomes one that does not change the numbers of lines.
    let plain = || text.replace('\x08', "\r").replace(is_blank, " ");
    (!text.contains('\0')).then(|| (plain(), warning))
}

/// Decodes the games of an SGF text, each by the `CA` that it has or the one before; returns also
/// the first warning in words.
fn decoded_by_names(bytes: &[u8]) -> (String, Option<String>) {
    let (mut text, mut words) = (String::new(), None);
    for part in parts_by_encoding(bytes) {
        let (decoded, warning) = decoded_by_name(part);
        text += &decoded;
        words = words.or(warning);
    }
    (text, words)
}

/// Splits a text before each game whose `CA` names another encoding than the one before.
fn parts_by_encoding(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut begin, mut last) = (Vec::new(), 0, None);
    for (at, name) in charsets(bytes) {
        let Some(named) = encoding_named(&name) else { continue };
        let from = begin.max(at.saturating_sub(ROOT_MAX));
        let start = bytes[from..at].windows(2).rposition(|pair| pair == b"(;");
        let start = start.map_or(begin, |start| from + start);
        // In no encoding is `(`, `)` or `;` the second byte of a character.
        let is_game = start > begin
            && bytes[begin..start].trim_ascii_end().ends_with(b")")
            && !bytes[start + 2..at].contains(&b';');
        if is_game && last.is_some_and(|last| last != named) {
            parts.push(&bytes[begin..start]);
            begin = start;
        }
        last = Some(named);
    }
    parts.push(&bytes[begin..]);
    parts
}

/// Returns the bytes as text in the encoding that SGF's `CA` names, and a warning in words.
fn decoded_by_name(bytes: &[u8]) -> (String, Option<String>) {
    let name = charsets(bytes).next().map(|(_, name)| name).unwrap_or_default();
    let known = encoding_named(&name);
    if let Some(named) = known {
        let (text, words) = decoded(bytes, known);
        let is_other = if named == UTF_8 {
            // Some of the text may be damaged, hardly most of it.
            let damaged = text.matches(char::REPLACEMENT_CHARACTER).count();
            text.chars().filter(|c| !c.is_ascii()).count() < 2 * damaged
        } else {
            // An editor may have changed the text and not the name, which is in ASCII. But two bytes
            // may be one character both there and, by chance, in UTF-8.
            let length = if named.is_single_byte() { 2 } else { 3 };
            let has_long = |text: &str| text.chars().any(|c| c.len_utf8() >= length);
            let is_utf8 = |text: &str| has_long(text) || text.matches(|c| c > '\x7f').count() > 5;
            str::from_utf8(bytes).is_ok_and(|text| words.is_some() || is_utf8(text))
        };
        if !is_other && text.contains("CA[") {
            return (text, words);
        }
    }
    let (text, words) = decoded(bytes, None);
    let taken = if words.is_some() { WINDOWS_1252 } else { UTF_8 }.name();
    let words = match known.filter(|&named| named != UTF_8) {
        Some(named) => Some(format!("the text is not {}, {taken} is taken", named.name())),
        None if name.is_empty() || known.is_some() => words,
        None => Some(format!("the encoding '{name}' is not known, {taken} is taken")),
    };
    (text, words)
}

/// Returns the bytes as text and a warning in words. Without an encoding, they are UTF-8 or else
/// windows-1252.
pub(super) fn decoded(
    bytes: &[u8],
    encoding: Option<&'static Encoding>,
) -> (String, Option<String>) {
    if let (None, Ok(text)) = (encoding, str::from_utf8(bytes)) {
        return (text.to_owned(), None);
    }
    let taken = encoding.unwrap_or(WINDOWS_1252);
    let (text, has_errors) = taken.decode_without_bom_handling(bytes);
    let (name, mark) = (taken.name(), char::REPLACEMENT_CHARACTER);
    let words = match encoding {
        None => Some(format!("the text is not UTF-8, {name} is taken")),
        Some(_) if has_errors => {
            Some(format!("not all of the text is {name}; '{mark}' stands for the rest"))
        }
        Some(_) => None,
    };
    (text.into_owned(), words)
}

/// Returns each `CA` of an SGF text, where it stands and what it names.
fn charsets(bytes: &[u8]) -> impl Iterator<Item = (usize, String)> {
    // A comment in JSON may quote SGF.
    let is_json = bytes.trim_ascii_start().starts_with(b"{");
    let is_name = move |&at: &usize| {
        bytes[at..].starts_with(b"CA[") && !(at > 0 && bytes[at - 1].is_ascii_alphanumeric())
    };
    let places = (0..bytes.len()).filter(is_name).take_while(move |_| !is_json);
    places.map(|at| {
        let value = bytes[at + 3..].iter().take(NAME_MAX).copied().take_while(|&byte| byte != b']');
        let value: Vec<u8> = value.collect();
        (at, line(String::from_utf8_lossy(&value).trim()))
    })
}

/// Rules and words of their names; the first one that is found counts. The opening rules are those
/// of renju.
const WORDS: [(Rule, &str); 4] = [
    (Rule::Renju, RENJU),
    (Rule::Caro, "caro"),
    (Rule::Standard, "standard"),
    (Rule::Freestyle, "freestyle|free|无禁|無禁|自由"),
];

const RENJU: &str =
    "rif|renju|taraguchi|yamaguchi|soos|sakata|tarannikov|连珠|連珠|有禁|렌주|рендзю|рэндзю";

/// How a text says that black has no forbidden moves: with a word for renju, no known rule.
const UNRESTRICTED: [&str; 7] =
    ["无禁", "無禁", "禁手なし", "禁手無し", "no forbidden", "without forbidden", "not renju"];

/// Returns the rule that a text names: by its [name](Rule::name), a manager's number, or words such
/// as those of `Taraguchi-10` and `basicrule_RENJU`.
pub(super) fn rule_named(text: &str) -> Option<Rule> {
    let text = text.trim();
    let by_number = || Rule::ALL.into_iter().find(|rule| rule.code().to_string() == text);
    let by_word = || {
        let text = text.to_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphabetic()).collect();
        let is_named =
            |(_, names): &(Rule, &str)| words.iter().any(|word| is_word(word, names, false));
        let rule = WORDS.into_iter().find(is_named).map(|(rule, _)| rule);
        let is_exact = rule == Some(Rule::Caro) && words.contains(&"exact");
        let rule = if is_exact { Some(Rule::CaroExact) } else { rule };
        rule.filter(|&rule| rule != Rule::Renju || !is_unrestricted(&text))
    };
    text.parse().ok().or_else(by_number).or_else(by_word)
}

/// Returns true if a word begins with one of the names. Some of them must be the whole word, since
/// names of players begin so, in titles also renju; those in other letters may be any part of it.
fn is_word(word: &str, names: &str, is_in_title: bool) -> bool {
    names.split('|').any(|name| match name {
        "rif" | "caro" | "free" => word == name,
        "renju" if is_in_title => word == name,
        _ if name.is_ascii() => word.starts_with(name),
        _ => word.contains(name),
    })
}

fn is_unrestricted(text: &str) -> bool {
    UNRESTRICTED.iter().any(|words| text.contains(words))
}

/// Returns true if a word of a game's name stands for renju, as in `Ann vs Bob (RIF)`.
pub(super) fn is_renju_title(title: &str) -> bool {
    let title = title.to_lowercase();
    let mut words = title.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| is_word(word, RENJU, true)) && !is_unrestricted(&title)
}

/// Returns the rule in the name of a game, as in `Ann-Bob : RIF rule`.
pub(super) fn rule_in_title(title: &str) -> Option<&str> {
    let last = title.rsplit(':').next().unwrap_or(title).trim();
    let lower = last.to_ascii_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    let name = last[..singular.strip_suffix("rule")?.len()].trim();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(bytes: &[u8]) -> Option<String> {
        decoded_text(bytes, None).map(|(text, _)| text)
    }

    fn decoded(bytes: &[u8], encoding: Option<&str>) -> (String, String) {
        let encoding = encoding.map(|name| encoding_named(name).unwrap());
        let (text, warning) = decoded_text(bytes, encoding).unwrap();
        let words = warning.map(|warning| warning.words(crate::types::Rule::Renju));
        (text, words.unwrap_or_default())
    }

    #[test]
    fn a_text_in_another_encoding_loses_nothing() {
        for bytes in [&b"PB[M\xFCller]"[..], "PB[Müller]".as_bytes()] {
            assert_eq!(text_of(bytes).as_deref(), Some("PB[Müller]"));
        }
        // A name in GBK.
        let bytes = b"PW[\xB2\xCC]";
        let text = text_of(bytes).unwrap();
        assert_eq!(text.chars().map(|c| c as u8).collect::<Vec<_>>(), bytes);
        assert_eq!(text_of(b"PB[\x02]C[a\x08b\x7F]").as_deref(), Some("PB[ ]C[a\rb ]"));
        assert_eq!(text_of(b"h8i9\r\n\x1a\x1a").as_deref(), Some("h8i9\r\n"));
        assert_eq!(text_of(b"h8\0i9"), None);
    }

    #[test]
    fn the_encoding_is_the_one_that_is_named() {
        let told = |bytes: &[u8], encoding, text: &str, words: &str| {
            assert_eq!(decoded(bytes, encoding), (text.to_owned(), words.to_owned()), "{text}");
        };
        told(b"(;CA[gb2312]PW[\xB2\xCC])", None, "(;CA[gb2312]PW[蔡])", "");
        told(b"(;CA[Shift_JIS]C[\x8C\xDC\x96\xDA])", None, "(;CA[Shift_JIS]C[五目])", "");
        // A letter whose second byte is a bracket.
        told(b"(;CA[GBK]C[\x81]])", None, "(;CA[GBK]C[乚])", "");
        told(b"\xB2\xCC", Some("936"), "蔡", "");
        told(b"\xCF\xF0\xE8", Some("cp1251"), "При", "");
        told("é".as_bytes(), Some("GBK"), "茅", "");
        let marked = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
        };
        told(&marked("(;C[五目])", u16::to_le_bytes), None, "(;C[五目])", "");
        told(&marked("h8i9", u16::to_be_bytes), None, "h8i9", "");
        told(b"\xEF\xBB\xBFh8", None, "h8", "");
        told(b"h\x008\0", None, "h8", "");
        let words = "line 2: the text is not UTF-8, windows-1252 is taken";
        told(b"a\n\xE4\n", None, "a\nä\n", words);
        let words = "line 1: the encoding 'x-odd' is not known, UTF-8 is taken";
        told("(;CA[x-odd]PB[ä])".as_bytes(), None, "(;CA[x-odd]PB[ä])", words);
        let words = "line 1: the text is not EUC-JP, UTF-8 is taken";
        told("(;CA[EUC-JP]PB[五目ä])".as_bytes(), None, "(;CA[EUC-JP]PB[五目ä])", words);
        let words = "line 1: the text is not GBK, UTF-8 is taken";
        told("(;CA[GBK];C[好])".as_bytes(), None, "(;CA[GBK];C[好])", words);
        let words = "line 1: the text is not windows-1251, UTF-8 is taken";
        told("(;CA[cp1251];C[Чё])".as_bytes(), None, "(;CA[cp1251];C[Чё])", words);
        // Two bytes that are UTF-8 by chance.
        told(b"(;CA[GBK];C[\xC6\xBD])", None, "(;CA[GBK];C[平])", "");
        // Games of one file have encodings of their own.
        let both = b"(;CA[GBK];C[\xD6\xD0])\n(;PB[\xCF\xF0\xE8]CA[cp1251];C[\xCF];C[CA[GBK\\]])";
        let text = "(;CA[GBK];C[中])\n(;PB[При]CA[cp1251];C[П];C[CA[GBK\\]])";
        told(both, None, text, "");
        let both = b"(;CA[UTF-8];C[\xE4\xB8\xAD])(;C[\xE4\xB8\xAD])(;CA[GBK];C[\xD6\xD0])";
        told(both, None, "(;CA[UTF-8];C[中])(;C[中])(;CA[GBK];C[中])", "");
        let words = "line 2: not all of the text is UTF-8; '\u{fffd}' stands for the rest";
        told(b"(;CA[UTF-8]\n;C[\xC3\xA4\xC3", None, "(;CA[UTF-8]\n;C[ä\u{fffd}", words);
        let words = "line 1: the text is not UTF-8, windows-1252 is taken";
        told(b"(;CA[UTF-8];C[\xE4])", None, "(;CA[UTF-8];C[ä])", words);
        let json = "{\"comment\":\"CA[GBK] ä\"}";
        told(json.as_bytes(), None, json, "");
        told(b"(;CA[BIG-5]PB[\xF3\x5D])", None, "(;CA[BIG-5]PB[鄿])", "");
        // Encodings that are not those of the texts, which name them in ASCII.
        let words = "line 1: the text is not UTF-16LE, windows-1252 is taken";
        told(b"(;CA[UTF-16]PB[\xE4])", None, "(;CA[UTF-16]PB[ä])", words);
        let words = "line 1: the encoding 'iso-2022-kr' is not known, UTF-8 is taken";
        told(b"(;CA[iso-2022-kr]PB[a])", None, "(;CA[iso-2022-kr]PB[a])", words);
        // Padding.
        let words = "the zero bytes behind the text are left out";
        told(b"h8\ni9\0\0\r\n\0", None, "h8\ni9", &format!("line 2: {words}"));
        told(b"h\x008\0\0\0", None, "h8", &format!("line 1: {words}"));
        let other = "line 1: the text is not UTF-8, windows-1252 is taken";
        told(b"\xE4\0", None, "ä", &format!("{other}; {words}"));
        let words = "line 1: not all of the text is GBK; '\u{fffd}' stands for the rest";
        told(b"\xFF", Some("gbk"), "\u{fffd}", words);
    }

    #[test]
    fn rules_are_known_by_many_names() {
        for (rule, names) in [
            (
                Rule::Renju,
                "4|RENJU|basicrule_RENJU|Taraguchi-10|RIF|rif rules|Soosõrv-8|Soosyrv-5|Yamaguchi|\
                 Sakata|Tarannikov-5|连珠|連珠規則|Renju_1|Renju (standard)",
            ),
            (
                Rule::Freestyle,
                "0|Freestyle15_1|basicrule_FREESTYLE|Free Style|free-style|Carol, free|无禁手",
            ),
            (Rule::Standard, "1|Standard15_2|gomoku standard"),
            (Rule::Caro, "8|Caro_1"),
            (
                Rule::CaroExact,
                "9|caro-exact|caro exact|Exact Caro|basicrule_CARO_EXACT|Caro (exact)",
            ),
        ] {
            for name in names.split('|') {
                assert_eq!(rule_named(name), Some(rule), "{name}");
            }
        }
        for name in
            "|xyz|Group_1|Japanese|2|griffin|swap2|连珠(無禁)|无禁连珠|Carol|Carol-Bob|nonstandard|\
             Freestyle Gomoku, not renju"
                .split('|')
        {
            assert_eq!(rule_named(name), None, "{name}");
        }
        for title in "a-b : RIF|a vs b (RIF rule)|a-b : RIF rule (2020)|a-b : RIF rule, game 3|\
                      a-b Rule RIF|RIF rule : a-b|Taraguchi-10|a-b : renju|renju|連珠|a-b 連珠 規則"
            .split('|')
        {
            assert!(is_renju_title(title), "{title}");
        }
        for title in
            ["", "griffin-di", "renjufan vs di", "renju_fan vs di", "連珠（無禁）", "swap2"]
        {
            assert!(!is_renju_title(title), "{title}");
        }
        assert_eq!(rule_in_title("ann-bob(B) : RIF rule"), Some("RIF"));
        assert_eq!(rule_in_title("Final, Sakata Rules"), Some("Final, Sakata"));
        for title in ["", "rule", "Cup: rules", "renju against rif", "é"] {
            assert_eq!(rule_in_title(title), None, "{title}");
        }
    }
}
