//! Libraries of RenLib in and out of the database, and their analysis.

use super::*;

#[test]
fn a_library_comes_back_under_its_rule() {
    let folder = folder("rule-of-library");
    let [first, second, library] =
        ["a.db", "b.db", "a.lib"].map(|name| text_of(&folder.join(name)));
    let lines = folder.join("in.jsonl");
    let line = "{\"rule\":\"caro\",\"size\":\"15x15\",\"to_move\":\"white\",\"black\":[\"h8\"],\
                \"white\":[],\"comment\":\"五目\"}\n";
    fs::write(&lines, line).unwrap();
    let lines = text_of(&lines);
    printed(&["database", &first, "--import", &lines, "--export", &library, "--rule", "caro"]);
    let out = text_of(&folder.join("out.jsonl"));
    printed(&["database", &second, "--import", &library, "--export", &out]);
    let rules = |text: String| {
        let is_caro = |line: &str| line.contains("\"caro\"");
        (text.lines().count() > 0, text.lines().all(is_caro), text.contains("五目"))
    };
    assert_eq!(rules(fs::read_to_string(&out).unwrap()), (true, true, true));
    // What is asked for goes before that, with a word.
    let third = text_of(&folder.join("c.db"));
    let output = run(&["database", &third, "--import", &library, "--rule", "renju"]);
    let told = String::from_utf8(output.stderr).unwrap();
    let words = "line 1: the rule is caro here, renju is taken as asked for";
    assert_eq!(told, format!("tengen: warning: {library}: {words}\n"));
    assert!(output.status.success());
    // What is neither is one fault.
    let game = folder.join("game.sgf");
    for text in ["(;GM[4]\n;B[hh]\n;W[ii]\n)\n", "(;GM[4];B[hh])", "h8"] {
        fs::write(&game, text).unwrap();
        let output = run(&["database", &third, "--import", &text_of(&game)]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("this format is not known") && told.lines().count() == 2, "{told}");
    }
    fs::write(&game, "{\"size\":\"15x15\",\"nodes\":[\n{},\n{\"move\":\"h8\"}\n]}\n").unwrap();
    let told = String::from_utf8(run(&["database", &third, "--import", &text_of(&game)]).stderr);
    let told = told.unwrap();
    assert!(told.contains("this is a game; ") && told.lines().count() == 2, "{told}");
}

/// The best move of a library stands in its picture, whichever way its version counted rows.
#[test]
fn best_moves_of_libraries_are_places_in_the_picture() {
    let folder = folder("best");
    // The stones h8 and i7 of RenLib, and the next point of their diagonal.
    for (i, words) in ["best j10", "best move j6"].into_iter().enumerate() {
        let mut bytes =
            b"\xFFRenLib\xFF\x03\x04\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\x78\0\x89\x48"
                .to_vec();
        bytes.extend(format!("Tengen: score +31, depth 14, {words}\0").bytes());
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let names = ["in.lib", "a.db", "a.jsonl", "out.lib"];
        let [input, database, lines, output] =
            names.map(|name| text_of(&folder.join(format!("{i}{name}"))));
        fs::write(&input, &bytes).unwrap();
        printed(&["database", &database, "--import", &input, "--export", &lines]);
        printed(&["database", &database, "--export", &output]);
        let lines = fs::read_to_string(lines).unwrap();
        let line = lines.lines().find(|line| line.contains("best")).unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let row = [&line["black"][0], &line["white"][0], &line["best"]];
        let [first, second, best] = row.map(|name| point(name.as_str().unwrap()));
        let step = |a: Coord, b: Coord| (b.x() as i8 - a.x() as i8, b.y() as i8 - a.y() as i8);
        assert_eq!(step(first, second), step(second, best), "{lines}");
        let library = fs::read(output).unwrap();
        assert!(String::from_utf8_lossy(&library).contains("depth 14, best move "), "{words}");
    }
}

#[test]
fn texts_of_rapfi_are_values() {
    let folder = folder("rapfi");
    let head = b"\xFFRenLib\xFF\x03\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\x78\0";
    let siblings: [&[u8]; 6] = [
        b"\x89\xC1\0\x01W10\0",
        b"\x8A\xC1\0\x01L9\0\0",
        b"\xAA\xC1\0\x01v-35\0\0",
        b"\xBA\xC1\0\x01W1\0\0",
        // Two texts on one cell.
        b"\x68\xC3\0\x01B\0",
        b"\x68\x41\0\x01A\0",
    ];
    let library = folder.join("r.lib");
    fs::write(&library, [&head[..], &siblings.concat()].concat()).unwrap();
    let out = folder.join("r.jsonl");
    let database = text_of(&folder.join("r.db"));
    printed(&["database", &database, "--import", &text_of(&library), "--export", &text_of(&out)]);
    let text = fs::read_to_string(&out).unwrap();
    for words in ["\"loss_in\":8", "\"win_in\":7", "\"score\":35", "\"W1\"", "\"B A\""] {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
    assert!(!text.contains("W10") && !text.contains("L9") && !text.contains("v-35"), "{text}");
}

#[test]
fn json_lines_and_libraries_go_out_and_come_back() {
    let folder = folder("exchange");
    let [first, second, third] = ["a.db", "b.db", "c.db"].map(|name| text_of(&folder.join(name)));
    let game = ["analyze", "--every", "--depth", "5", "--rule", "renju", "--database", &first];
    printed(&[&game[..], &["h8i9h10g7"]].concat());
    // What people add: marks, the last of which is a bookmark, a comment and labels.
    let database = Database::open(Path::new(&first)).unwrap();
    let label = |c: &str, text: &str| (point(c), text.to_owned());
    for (moves, mark, labels) in [
        ("", Some(b'?'), vec![label("h8", "here"), label("c4", "57")]),
        ("h8", Some(b'!'), vec![]),
        ("h8i9", Some(b','), vec![label("a1", "A")]),
        ("a1", Some(b'9'), vec![]),
        ("a1b2", Some(b'*'), vec![]),
        ("h8i9h10", Some(b'*'), vec![]),
        ("o1", None, vec![label("o2", "*")]),
    ] {
        let position = StoredPosition::of(&renju(moves));
        let comment = format!("of {moves}\nTengen: a word");
        let entry = DatabaseEntry {
            mark,
            comment,
            labels: labels.into_iter().collect(),
            ..DatabaseEntry::default()
        };
        database.update(|writer| writer.merge(&position, entry)).unwrap();
    }
    drop(database);
    let [json, library] = ["p.jsonl", "p.lib"].map(|name| text_of(&folder.join(name)));
    let count = numbers(&printed(&["database", &first, "--export", &json]), ": ")[0];
    assert_eq!(fs::read_to_string(&json).unwrap().lines().count() as u64, count);
    let read = printed(&[
        "database",
        &second,
        "--import",
        &json,
        "--export",
        &text_of(&folder.join("q.jsonl")),
    ]);
    assert_eq!(numbers(&read, ": ")[..2], [count, count]);
    assert_eq!(fs::read(&json).unwrap(), fs::read(folder.join("q.jsonl")).unwrap());
    // RenLib keeps the same.
    printed(&["database", &first, "--export", &library]);
    let ParsedGame { tree, faults, .. } =
        renlib::parse(&fs::read(&library).unwrap(), None).unwrap();
    assert!(faults.is_empty() && tree.len() as u64 >= count, "{} nodes", tree.len());
    let out = text_of(&folder.join("r.jsonl"));
    printed(&["database", &third, "--import", &library, "--export", &out]);
    // The positions on the way to others have come too, of which nothing is said.
    let again = fs::read_to_string(&out).unwrap();
    let again: Vec<&str> = again.lines().filter(|line| !line.ends_with("]}")).collect();
    let kept = fs::read_to_string(&json).unwrap();
    assert_eq!(again, kept.lines().collect::<Vec<_>>());
}

#[test]
fn a_review_of_a_library_keeps_what_the_database_said() {
    let folder = folder("reviewed");
    let [first, second] = ["a.db", "b.db"].map(|name| text_of(&folder.join(name)));
    let libraries = ["a.lib", "b.lib", "c.lib"].map(|name| text_of(&folder.join(name)));
    let board = renju("h8");
    let evaluation = StoredScore { score: Score::eval(31), bound: Bound::Exact, depth: 14 };
    let entry = DatabaseEntry {
        evaluation: Some(evaluation),
        best: Some(point("i9")),
        mark: Some(b'!'),
        comment: "a note".to_owned(),
        ..DatabaseEntry::default()
    };
    let database = Database::open(Path::new(&first)).unwrap();
    database.update(|writer| writer.put(&StoredPosition::of(&board), &entry)).unwrap();
    drop(database);
    printed(&["database", &first, "--rule", "renju", "--export", &libraries[0]]);
    for pair in libraries.windows(2) {
        let analyze = ["analyze", "--variations", "--rule", "renju", "--nodes", "300"];
        printed(&[&analyze[..], &["--threads", "1", "--lib", &pair[1], &pair[0]]].concat());
    }
    // A second review takes the place of the first.
    assert!(fs::read(&libraries[1]).unwrap() == fs::read(&libraries[2]).unwrap());
    printed(&["database", &second, "--rule", "renju", "--import", &libraries[1]]);
    let database = Database::open(Path::new(&second)).unwrap();
    let found = database.get(&StoredPosition::of(&board)).unwrap().unwrap();
    assert!(found.comment.starts_with("a note\nTengen: the best move. "), "{}", found.comment);
    assert_eq!(DatabaseEntry { comment: entry.comment.clone(), ..found }, entry);
}

#[test]
fn a_library_is_analysed_node_by_node_and_written() {
    let folder = folder("library");
    let file = folder.join("l.lib");
    let mut bytes = b"\xFFRenLib\xFF\x03\x04".to_vec();
    bytes.resize(20, 0xFF);
    // h8 with a comment, then i7 and i8 as variations.
    bytes.extend([0, 0, 0x78, 0x08, b'a', b' ', b'n', b'o', b't', b'e', 0, 0]);
    bytes.extend([0x89, 0xC0, 0x79, 0x40]);
    fs::write(&file, &bytes).unwrap();
    let (input, output) = (text_of(&file), text_of(&folder.join("out.lib")));
    let analyze = ["analyze", "--variations", "--json", "--depth", "4", "--lib", &output, &input];
    let text = printed(&analyze);
    let positions = ["", "h8", "h8i7", "h8i8"];
    for position in positions {
        assert!(text.contains(&format!("\"position\":\"{position}\"")), "{position}: {text}");
    }
    // A library names no rule, and is one of renju unless the command names another.
    assert!(text.contains("\"rule\":\"renju\"") && !text.contains("freestyle"), "{text}");
    let text = printed(&["analyze", "--json", "--depth", "1", "--rule", "freestyle", &input]);
    assert!(text.contains("\"rule\":\"freestyle\""), "{text}");
    let ParsedGame { tree, faults, .. } = renlib::parse(&fs::read(&output).unwrap(), None).unwrap();
    assert!(faults.is_empty() && tree.len() >= 4);
    let first = tree.children(tree.root()).next().unwrap();
    let comment = &tree.notes(first).unwrap().comment;
    assert!(comment.contains("a note") && comment.contains("Tengen: "), "{comment}");
    // What is cut off is told, and the rest analysed.
    fs::write(&file, &bytes[..bytes.len() - 2]).unwrap();
    let cut = run(&["analyze", "--variations", "--json", "--depth", "4", &input]);
    assert_eq!(cut.status.code(), Some(1));
    let errors = String::from_utf8(cut.stderr).unwrap();
    let fault =
        format!("tengen: {input}: byte 34: the file ends here, in the middle of the library\n");
    assert!(errors.starts_with(&fault), "{errors}");
    assert!(String::from_utf8(cut.stdout).unwrap().contains("\"position\":\"h8i7\""));
    fs::write(&file, "a library it is not").unwrap();
    let errors = String::from_utf8(run(&["analyze", &input]).stderr).unwrap();
    assert!(
        errors.contains(&format!("{input}: byte 0: this is no library of RenLib\n")),
        "{errors}"
    );
}

#[test]
fn numbers_that_a_person_writes_on_cells_come_back_from_a_library() {
    let folder = folder("numbers");
    let [first, second] = ["a.db", "b.db"].map(|name| text_of(&folder.join(name)));
    let library = text_of(&folder.join("a.lib"));
    let labels = [("g6", "1"), ("i8", "2"), ("h9", "3")];
    let root = DatabaseEntry {
        labels: labels.map(|(c, text)| (point(c), text.to_owned())).into(),
        ..DatabaseEntry::default()
    };
    let database = Database::open(Path::new(&first)).unwrap();
    let evaluation = StoredScore { score: Score::eval(-120), bound: Bound::Exact, depth: 8 };
    let known = DatabaseEntry { evaluation: Some(evaluation), ..DatabaseEntry::default() };
    database
        .update(|writer| {
            writer.put(&StoredPosition::of(&renju("h8i10k9")), &root)?;
            // g6 has a percentage of its own.
            writer.put(&StoredPosition::of(&renju("h8i10k9g6")), &known)?;
            // That of h7 stands on its cell.
            writer.put(&StoredPosition::of(&renju("h8i10k9h7")), &known)
        })
        .unwrap();
    drop(database);
    printed(&["database", &first, "--export", &library]);
    printed(&["database", &second, "--import", &library]);
    let database = Database::open(Path::new(&second)).unwrap();
    assert_eq!(database.get(&StoredPosition::of(&renju("h8i10k9"))).unwrap(), Some(root));
    assert_eq!(database.get(&StoredPosition::of(&renju("h8i10k9g6"))).unwrap(), Some(known));
}

#[test]
fn an_export_tells_what_it_leaves_out() {
    let folder = folder("left-out");
    let [database, lines, library] =
        ["o.db", "o.jsonl", "o.lib"].map(|name| text_of(&folder.join(name)));
    let line = |rule: &str, size: &str| {
        format!(
            r#"{{"rule":"{rule}","size":"{size}","to_move":"white","black":["h8"],"white":[]}}"#
        )
    };
    let positions = [("freestyle", "15x15"), ("standard", "15x15"), ("standard", "20x20")];
    fs::write(&lines, positions.map(|(rule, size)| line(rule, size)).join("\n")).unwrap();
    fs::write(&library, b"\xFFRenLib\xFFan old one").unwrap();
    printed(&["database", &database, "--import", &lines]);
    let told = fault(&["database", &database, "--export", &library]);
    let expected = format!(
        "tengen: cannot write {library}: the database has positions of freestyle on 15x15, \
         standard on 15x15, standard on 20x20, none of renju on 15x15\n"
    );
    assert_eq!(told, expected);
    assert_eq!(fs::read(&library).unwrap(), b"\xFFRenLib\xFFan old one");
    let told = printed(&["database", &database, "--rule", "standard", "--export", &library]);
    let expected = format!(
        "{database}: 3 positions\n\
         {library}: 2 nodes written, 2 positions left out (of other rules or sizes)\n"
    );
    assert_eq!(told, expected);
    // Nothing is left out of nothing.
    let empty = text_of(&folder.join("empty.db"));
    fs::write(&lines, "").unwrap();
    let told = printed(&["database", &empty, "--import", &lines, "--export", &library]);
    assert!(told.ends_with(&format!("{library}: 1 nodes written\n")), "{told}");
}
