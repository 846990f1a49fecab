//! Names of rules as files of all programs write them.

use crate::types::Rule;

/// Rules and words of their names; the first one that is found counts. The opening rules are those
/// of renju.
const WORDS: [(Rule, &str); 4] = [
    (Rule::Renju, RENJU),
    (Rule::Caro, "caro"),
    (Rule::Standard, "standard"),
    (Rule::Freestyle, "freestyle|free style|free-style|无禁|無禁|自由"),
];

const RENJU: &str =
    "renju|taraguchi|yamaguchi|soos|sakata|tarannikov|连珠|連珠|有禁|렌주|рендзю|рэндзю";

/// How a text says that black has no forbidden moves: with a word for renju, no known rule.
const UNRESTRICTED: [&str; 6] =
    ["无禁", "無禁", "禁手なし", "禁手無し", "no forbidden", "without forbidden"];

/// Returns the rule that a text names: by its [name](Rule::name), a manager's number, or words such
/// as those of `Taraguchi-10` and `basicrule_RENJU`.
pub(super) fn rule_named(text: &str) -> Option<Rule> {
    let text = text.trim();
    let by_number = || Rule::ALL.into_iter().find(|rule| rule.code().to_string() == text);
    let by_word = || {
        let text = text.to_lowercase();
        let is_rif = || text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "rif");
        let is_named = |(_, words): &(Rule, &str)| words.split('|').any(|word| text.contains(word));
        let known = WORDS.into_iter().find(is_named).map(|(rule, _)| rule);
        let rule = if is_rif() { Some(Rule::Renju) } else { known };
        rule.filter(|&rule| rule != Rule::Renju || !is_unrestricted(&text))
    };
    Rule::from_name(text).or_else(by_number).or_else(by_word)
}

fn is_unrestricted(text: &str) -> bool {
    UNRESTRICTED.iter().any(|words| text.contains(words))
}

/// Returns true if a word of a game's name stands for renju, as in `Ann vs Bob (RIF)`.
pub(super) fn is_renju_title(title: &str) -> bool {
    let title = title.to_lowercase();
    let is_renju = |word: &str| {
        let is_named = |name: &str| match name {
            // Names of players begin so.
            "renju" => word == "renju",
            _ if name.is_ascii() => word.starts_with(name),
            _ => word.contains(name),
        };
        word == "rif" || RENJU.split('|').any(is_named)
    };
    let mut words = title.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(is_renju) && !is_unrestricted(&title)
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

    #[test]
    fn rules_are_known_by_many_names() {
        for (rule, names) in [
            (
                Rule::Renju,
                "4|RENJU|basicrule_RENJU|Taraguchi-10|RIF|rif rules|Soosõrv-8|Soosyrv-5|Yamaguchi|\
                 Sakata|Tarannikov-5|连珠|連珠規則|Renju_1|Renju (standard)",
            ),
            (Rule::Freestyle, "0|Freestyle15_1|basicrule_FREESTYLE|Free Style|无禁手"),
            (Rule::Standard, "1|Standard15_2|gomoku standard"),
            (Rule::Caro, "8|Caro_1"),
            (Rule::CaroExact, "9|caro-exact"),
        ] {
            for name in names.split('|') {
                assert_eq!(rule_named(name), Some(rule), "{name}");
            }
        }
        for name in
            ["", "xyz", "Group_1", "Japanese", "2", "griffin", "swap2", "连珠(無禁)", "无禁连珠"]
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
