//! Names of rules as files of all programs write them.

use crate::types::Rule;

/// Words of names, and their rules: a word that stands above another one goes before it. A renju
/// player's opening rule is enough to tell that the game is renju.
const WORDS: [(&str, Rule); 20] = [
    ("renju", Rule::Renju),
    ("taraguchi", Rule::Renju),
    ("yamaguchi", Rule::Renju),
    ("soos", Rule::Renju),
    ("sakata", Rule::Renju),
    ("tarannikov", Rule::Renju),
    ("连珠", Rule::Renju),
    ("連珠", Rule::Renju),
    ("有禁", Rule::Renju),
    ("렌주", Rule::Renju),
    ("рендзю", Rule::Renju),
    ("рэндзю", Rule::Renju),
    ("caro", Rule::Caro),
    ("standard", Rule::Standard),
    ("freestyle", Rule::Freestyle),
    ("free style", Rule::Freestyle),
    ("free-style", Rule::Freestyle),
    ("无禁", Rule::Freestyle),
    ("無禁", Rule::Freestyle),
    ("自由", Rule::Freestyle),
];

/// Returns the rule that a text names: by its [name](Rule::name), a manager's number, or words such
/// as those of `Taraguchi-10` and `basicrule_RENJU`.
pub(super) fn rule_named(text: &str) -> Option<Rule> {
    let text = text.trim();
    let by_number = || Rule::ALL.into_iter().find(|rule| rule.code().to_string() == text);
    let by_word = || {
        let text = text.to_lowercase();
        let is_rif = || text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "rif");
        let known = WORDS.into_iter().find(|(word, _)| text.contains(word)).map(|(_, rule)| rule);
        if is_rif() { Some(Rule::Renju) } else { known }
    };
    Rule::from_name(text).or_else(by_number).or_else(by_word)
}

/// Returns what stands for a rule in the name of a game, such as `Ann-Bob : RIF rule`, if anything
/// does.
pub(super) fn rule_in_title(title: &str) -> Option<&str> {
    let last = title.rsplit(':').next().unwrap_or(title).trim();
    let name = ["rules", "rule"].into_iter().find_map(|word| {
        let start = last.len().checked_sub(word.len())?;
        let (name, end) = last.split_at_checked(start)?;
        end.eq_ignore_ascii_case(word).then_some(name.trim())
    });
    name.filter(|name| !name.is_empty())
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
        for name in ["", "xyz", "Group_1", "Japanese", "2", "griffin", "swap2"] {
            assert_eq!(rule_named(name), None, "{name}");
        }
        assert_eq!(rule_in_title("ann-bob(B) : RIF rule"), Some("RIF"));
        assert_eq!(rule_in_title("Final, Sakata Rules"), Some("Final, Sakata"));
        for title in ["", "rule", "Cup: rules", "renju against rif", "é"] {
            assert_eq!(rule_in_title(title), None, "{title}");
        }
    }
}
