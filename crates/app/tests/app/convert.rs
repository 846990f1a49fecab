//! `convert`: games from any format into any other.

use std::fs;
use std::process::Output;

use crate::scratch::{file, path};
use crate::shell::{command, run};

const GAME: &str = "(;FF[4]GM[4]SZ[15]RU[renju]PB[Ann]PW[Bo]5A[aa][bb];B[hh]C[first];W[ii]LB[aa:x](;B[jj]\
                    TR[cc])(;B[kk]HO[1]))";

fn convert(arguments: &[&str]) -> Output {
    run(command(&[&["convert"], arguments].concat()), "")
}

/// Returns standard error of a conversion, which must leave with this code.
fn told(code: i32, arguments: &[&str]) -> String {
    let output = convert(arguments);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{told}");
    told
}

#[test]
fn trees_go_through_sgf_json_and_libraries() {
    let game = file("game.sgf", GAME);
    let names = ["a.json", "b.sgf", "c.lib", "d.json", "e.lib"].map(path);
    let [json, sgf, library, second_json, second_library] = names.each_ref().map(String::as_str);
    assert_eq!(told(0, &[&game, json]), "");
    assert_eq!(told(0, &[json, sgf]), "");
    let text = fs::read_to_string(sgf).unwrap();
    for part in ["5A[aa][bb]", "PB[Ann]", "C[first]", "LB[aa:x]", "TR[cc]", "B[kk]HO[1]"] {
        assert!(text.contains(part), "{text}");
    }
    let left_out = "fifth moves, marks, names of players are left out";
    assert_eq!(told(0, &[sgf, library]), format!("tengen: warning: {library}: {left_out}\n"));
    assert_eq!(told(0, &[library, second_json]), "");
    assert_eq!(told(0, &[second_json, second_library]), "");
    assert_eq!(fs::read(library).unwrap(), fs::read(second_library).unwrap());
    let json = fs::read_to_string(second_json).unwrap();
    assert!(json.contains("\"comment\":\"first\"") && json.contains("\"parent\":"), "{json}");
    let told = told(0, &[library, &path("f.psq")]);
    assert!(told.contains(": bookmarks, comments, labels, variations are left out"), "{told}");
}

#[test]
fn several_games_go_into_one_file() {
    let game = file("one.psq", "Piskvorky 20x20, 1:1, 0\n8,8,0\n9,9,0\nA\nB\n-1\n");
    let text = file("two.txt", "h8i9\nh8h9\n");
    for (name, games) in [("all.sgf", 3), ("all.psq", 3), ("all.json", 3)] {
        let all = path(name);
        assert_eq!(told(0, &[&game, "--size", "15", &text, "--force", &all]), "");
        let again = path("again.txt");
        assert!(told(0, &[&all, &again]).contains("names of players"));
        assert_eq!(fs::read_to_string(again).unwrap().lines().count(), games, "{name}");
    }
    assert!(told(1, &[&game]).contains("last, the file to write"));
    // What does not fit is named, and the rest is written.
    let empty = file("empty.sgf", "(;GM[4]SZ[15])");
    let words = format!("tengen: {empty}, line 1: there is no stone, ");
    assert!(told(1, &[&empty, &text, "--force", &path("again.txt")]).starts_with(&words));
    let library = path("all.lib");
    let told = told(1, &[&game, &text, &library]);
    assert!(
        told.starts_with(&format!("tengen: {game}, line 1: RenLib has boards of 15x15")),
        "{told}"
    );
    let last: Vec<&str> = told.lines().skip(1).collect();
    assert_eq!(last, ["tengen: not all games could be written"]);
    assert_eq!(fs::read(library).unwrap()[20..], [0, 0, 0x78, 0, 0x69, 0xC0, 0x68, 0x40]);
}

#[test]
fn what_is_whole_of_a_faulty_file_is_written() {
    let game = file("faulty.sgf", "(;GM[4]SZ[15];B[hh];W[ii]\n(;B[jj])(;B[hh])(;B[kk]))");
    let out = path("whole.json");
    let words = format!("tengen: {game}: line 2: h8 is taken\n");
    assert!(told(1, &[&game, &out]).starts_with(&words));
    assert_eq!(fs::read_to_string(&out).unwrap().matches("\"move\"").count(), 4);
    // A file that is there is kept unless it is of the same kind and no input.
    assert!(told(1, &[&game, &game]).contains("it is an input; --force replaces it"));
    let words = "is not replaced, since not all of it could be read";
    assert!(told(1, &["--force", &game, &game]).contains(words));
    let notes = file("notes.json", "{\"a\":1}");
    assert!(told(1, &[&out, &notes]).contains("another kind of file is there"));
    assert!(told(1, &[&out, "x.doc"]).contains("ends with .psq, .sgf, .lib, .txt or .json"));
    assert!(told(1, &[&notes, &out]).contains("line 1: this format is not known"));
    assert_eq!(fs::read_to_string(&out).unwrap().matches("\"move\"").count(), 4);
}

/// A point such as `c2` names the same cell in every command and every file.
#[test]
fn rows_are_counted_from_the_bottom_or_as_asked_for() {
    let corner = "Piskvorky 20x15, 1:1, 0\n2,1,0\nA\nB\n-1\n";
    let game = file("corner.psq", corner);
    let [text, sgf, json, again] = ["c.txt", "c.sgf", "c.json", "again.psq"].map(path);
    let read = |path: &str| fs::read_to_string(path).unwrap();
    for (rows, name) in
        [(&[][..], "b15"), (&["--rows", "bottom"], "b15"), (&["--rows", "top"], "b1")]
    {
        let told = |arguments: &[&str]| told(0, &[rows, &["--size", "20x15"], arguments].concat());
        told(&[&game, &text]);
        assert_eq!(read(&text), format!("{name}\n"));
        told(&[&text, &sgf]);
        assert!(read(&sgf).contains(";B[ba])"), "{}", read(&sgf));
        told(&[&sgf, &json]);
        assert!(read(&json).contains("\"move\":\"b15\""), "{}", read(&json));
        told(&[&json, &again]);
        assert!(read(&again).contains("\n2,1,0\n"), "{}", read(&again));
        // What is said of a position names the points as they were typed.
        let reviewed = path("reviewed.sgf");
        let row = &name[1..];
        let position = format!("k8{name}l8c{row}m8d{row}");
        told(&[&position, &reviewed]);
        assert!(read(&reviewed).contains(";W[ba]"), "{}", read(&reviewed));
        let arguments = ["analyze", "--size", "20x15", "--nodes", "2000", "--every", &position];
        let printed = run(command(&[&arguments, rows].concat()), "");
        let printed = String::from_utf8(printed.stdout).unwrap();
        assert!(printed.contains(&format!("white d{row}, ")), "{printed}");
        let arguments = ["play", "--players", "2", "--size", "20x15"];
        let lines = format!("{name}\nsave! {again}\n");
        let drawn = run(command(&[&arguments, rows].concat()), &lines);
        let drawn = String::from_utf8(drawn.stdout).unwrap();
        let board: Vec<&str> = drawn.lines().skip_while(|line| !line.contains(".(X).")).collect();
        assert!(
            board[0].starts_with(&format!("{row:>2} .(X). ")) && board[15].starts_with("   a"),
            "{drawn}"
        );
        assert!(read(&again).contains("\n2,1,"), "{}", read(&again));
    }
    // Black's open four is at the bottom of the library's picture and of its comments.
    let library = path("comment.lib");
    let arguments = ["analyze", "--nodes", "2000", "--lib", &library, "h3a15i3a13j3a11k3b15"];
    run(command(&arguments), "");
    let bytes = fs::read(&library).unwrap();
    let shown = String::from_utf8_lossy(&bytes);
    assert!(bytes.contains(&0xC8) && !bytes.contains(&0x28), "{shown}");
    assert!(["g3", "l3"].iter().any(|name| shown.contains(name)), "{shown}");
}
