#!/usr/bin/env python3
"""`tengen board`, and the page of a finished review, in a real browser: Chromium without a window, driven over WebDriver; what engines are told, without one. Needs chromium
and chromedriver (Debian: apt install chromium chromium-driver) and Python's standard library.

usage: board_test.py TENGEN [--only NAME...] [--engine COMMAND] [--shots FOLDER] [--web FOLDER] [--jobs N]

TENGEN is the program; --engine another engine of the protocol to try besides (Rapfi, say); --shots keeps pictures of the page; --web
is the folder of scripts/web.sh, which is tried, too; --jobs is the number of tests at a time: 3 by default, since most
tests wait. Without a browser it tries what needs none, says so, and ends with 77.
"""

import argparse
import base64
import http.client
import http.server
import json
import os
import re
import shlex
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

STUB = Path(__file__).resolve().parent / "board_stub.py"
# A busy machine is slow.
LONG = 120
# What the page may take beside the engine's own time.
ANSWER_MS = 100
ENTER, TAB, HOME, ARROWS = (
    "\ue007",
    "\ue004",
    "\ue011",
    {"left": "\ue012", "up": "\ue013", "right": "\ue014", "down": "\ue015"},
)
CHROMIUM = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def needs_no_browser(function):
    function.needs_browser = False
    return function


def alone(function):
    """Marks a test that measures times: no other one runs beside it."""
    function.is_alone = True
    return function


def wait(condition, what, seconds=LONG):
    """Waits until the condition returns something true, and returns that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.03)
    raise AssertionError(f"not within {seconds} s: {what}")


def stub(*arguments):
    return shlex.join([sys.executable, str(STUB), *map(str, arguments)])


class Program:
    """A running board."""

    def __init__(self, *arguments, state=None):
        command = [options.tengen, "board", "--no-open", *arguments]
        # What was kept by another test is not to be found.
        environment = {**os.environ, "XDG_STATE_HOME": state or tempfile.mkdtemp(dir=states.name)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        self.address = self.process.stdout.readline().split()[-1]
        self.host, self.token = re.fullmatch(r"http://([^/]+)/([0-9a-f]{32})/", self.address).groups()

    def children(self):
        """Returns the ids of all processes below this one."""
        found, waiting = [], [self.process.pid]
        while waiting:
            parent = waiting.pop()
            listed = subprocess.run(
                ["ps", "-o", "pid=", "--ppid", str(parent)], stdout=subprocess.PIPE, text=True
            )
            ids = [int(word) for word in listed.stdout.split()]
            found += ids
            waiting += ids
        return found

    def request(self, method, path, body=None, **headers):
        """Sends a request as it is, and returns status, headers and body."""
        connection = http.client.HTTPConnection(self.host, timeout=LONG)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def command(self, **command):
        """Sends a command as a page would, and returns why it is refused, if it is."""
        page = Socket(self)
        try:
            return page.ask(command)
        finally:
            page.close()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(LONG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


@contextmanager
def program(*arguments, **how):
    running = Program(*arguments, **how)
    try:
        yield running
    finally:
        running.end()


class Socket:
    """A WebSocket of the board: texts out and in."""

    def __init__(self, board, **headers):
        self.connection = socket.create_connection(board.host.split(":"), timeout=LONG)
        headers = {"Origin": f"http://{board.host}", **headers}
        lines = [f"GET /{board.token}/events HTTP/1.1", f"Host: {board.host}", "Connection: Upgrade"]
        lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())
        self.stream = self.connection.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline().strip():
            pass

    def send(self, text):
        """Sends a text in one frame, masked by zeros."""
        body = text.encode()
        length = bytes([0xFF]) + struct.pack(">Q", len(body))
        self.connection.sendall(bytes([0x81]) + length + bytes(4) + body)

    def texts(self):
        """Returns the texts that come, until the connection ends."""
        while head := self.stream.read(2):
            kind, length = head[0] & 0xF, head[1]
            if length >= 126:
                length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
            body = self.stream.read(length)
            if kind == 1:
                yield json.loads(body)

    def ask(self, command):
        """Sends a command, and returns the answer to it: why it is refused, or None."""
        self.send(json.dumps({"number": 1, "command": command}))
        for text in self.texts():
            if text["event"] == "answer":
                return text["value"]["refusal"]
        raise AssertionError("no answer")

    def close(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


# Gives the page a file or a text (the second argument) by a paste or a drop (the first) on an element; with a count, the text
# has so many line feeds in the place of its star.
GIVE = """const [kind, given, name, selector, count] = arguments, data = new DataTransfer();
    const content = count ? given.replace("*", "\\n".repeat(count)) : given;
    if (name) data.items.add(new File([Array.isArray(content) ? new Uint8Array(content) : content], name));
    else data.setData("text", content);
    const how = kind === "paste" ? { clipboardData: data } : { dataTransfer: data };
    const Kind = kind === "paste" ? ClipboardEvent : DragEvent;
    document.querySelector(selector ?? "body").dispatchEvent(new Kind(kind, { ...how, bubbles: true, cancelable: true }));"""


class Listener:
    """A page without a browser: hears events, and sends commands."""

    def __init__(self, board):
        self.board, self.newest, self.faults = board, {}, []
        self.socket = Socket(board)
        threading.Thread(target=self.listen, daemon=True).start()
        wait(lambda: {"state", "review"} <= self.newest.keys(), "the first events")

    def listen(self):
        try:
            for text in self.socket.texts():
                name, value = text["event"], text["value"]
                self.newest[name] = value
                if name == "note" and value["is_fault"]:
                    self.faults.append(value)
        except OSError:
            pass  # The program has ended, or the page was closed.

    def close(self):
        self.socket.close()

    @property
    def state(self):
        return self.newest["state"]

    def moves(self):
        return [move["at"] for move in self.state["moves"]]

    def do(self, what, **fields):
        """Sends a command, which must be carried out."""
        refusal = self.board.command(do=what, **fields)
        assert refusal is None, (what, refusal)

    def refusal(self, what):
        """Sends a command, and returns the word for why it is refused."""
        refusal = self.board.command(do=what)
        assert refusal, what
        return refusal["word"]

    def new_game(self, **settings):
        before = self.state["id"]
        self.do("new", settings={**self.state["settings"], **settings})
        wait(lambda: self.state["id"] > before, "the new game")

    def place(self, point):
        """Plays a move, and waits for no answer."""
        wait(lambda: self.state["may_play"], "a person may play")
        self.do("play", x=ord(point[0]) - 97, y=int(point[1:]) - 1, seen=self.state["id"])
        wait(lambda: point in self.moves(), f"{point} is played")

    def play(self, *points):
        """Plays moves, each of which an engine answers."""
        for point in points:
            self.place(point)
            wait(lambda: self.moves()[-1] != point, f"{point} is answered")

    def undo(self):
        before = self.state["shown"]
        self.do("undo")
        wait(lambda: self.state["shown"] < before, "the undo")


def heard(folder):
    """Returns the lines that each process of the stub received, without ABOUT and limits, in the order of their start."""
    dull = re.compile("ABOUT|YXSHOWFORBID|INFO (show_detail|rule|max_memory|thread_num|time).*")
    texts = [file.read_text() for file in sorted(Path(folder).iterdir())]
    return [[line for line in text.splitlines() if not dull.fullmatch(line)] for text in texts]


class Driver:
    """chromedriver, which all browsers of the tests share."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [shutil.which("chromedriver"), f"--port={self.port}", "--silent"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(self.is_ready, "chromedriver starts")

    def is_ready(self):
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=2 * LONG) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def end(self):
        self.process.terminate()
        self.process.wait()


class Browser:
    """A browser with a page of the board."""

    def __init__(self, address, width=1280, height=860, phone=False, dark=False, language="en"):
        self.folder = tempfile.mkdtemp(prefix="board-test-")
        arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--hide-scrollbars",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={self.folder}/profile",
            f"--window-size={width},{height}",
            f"--accept-lang={language}",
        ]
        if dark:
            arguments.append("--force-dark-mode")
        chrome = {"args": arguments, "binary": next(filter(None, map(shutil.which, CHROMIUM)))}
        if phone:
            chrome["mobileEmulation"] = {
                "deviceMetrics": {"width": width, "height": height, "pixelRatio": 2, "touch": True}
            }
        wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
        session = driver.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.path = f"/session/{session}"
        self.is_down = False
        self.go(address)

    def call(self, method, path, body=None):
        return driver.call(method, self.path + path, body)

    def go(self, address, is_page=True):
        self.call("POST", "/url", {"url": address})
        if not is_page:
            return
        wait(lambda: self.js("return document.body.dataset.ready"), "the page shows the game")
        # A person who says yes to everything.
        self.js("window.confirm = () => true")

    def js(self, code, *arguments):
        return self.call("POST", "/execute/sync", {"script": code, "args": arguments})

    def element(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/click", {})

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def hover(self, selector):
        origin = {"element-6066-11e4-a52e-4f735466cecf": self.element(selector)}
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin}
        pointer = {
            "type": "pointer",
            "id": "mouse",
            "parameters": {"pointerType": "mouse"},
            "actions": [move],
        }
        self.call("POST", "/actions", {"actions": [pointer]})

    def double_click(self, selector):
        # Two real clicks may come too late on a slow machine to be a double one.
        self.js("for (const detail of [1, 2]) document.querySelector(arguments[0])"
                ".dispatchEvent(new MouseEvent('click', { bubbles: true, detail }));", selector)

    def wheel(self, selector, pixels):
        """Turns the wheel over an element."""
        origin = {"element-6066-11e4-a52e-4f735466cecf": self.element(selector)}
        scroll = {"type": "scroll", "x": 0, "y": 0, "deltaX": 0, "deltaY": pixels, "origin": origin}
        self.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [scroll]}]})

    def finger(self, *steps):
        """Moves a finger to the middle of an element, down, or up, or lets it be for so many milliseconds."""
        for step in steps:
            if isinstance(step, int):
                time.sleep(step / 1000)
                continue
            kinds = {"down": "touchStart", "up": "touchEnd"}
            if step not in kinds:
                self.at = self.middle(step)
            x, y = self.at
            points = [] if step == "up" else [{"x": x, "y": y}]
            if step in kinds or self.is_down:
                touch = {"type": kinds.get(step, "touchMove"), "touchPoints": points}
                self.call("POST", "/goog/cdp/execute", {"cmd": "Input.dispatchTouchEvent", "params": touch})
            self.is_down = step == "down" or self.is_down and step != "up"

    def middle(self, selector):
        """Returns where the middle of an element is in the window."""
        return self.js(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]",
            selector,
        )

    def tap(self, selector):
        self.finger(selector, "down", 40, "up")

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def play(self, *points):
        """Clicks on points, each when the page lets a person play."""
        for point in points:
            wait(
                lambda: self.js("return document.querySelector('.points').classList.contains('active')"),
                "a person may play",
            )
            before = len(self.moves())
            self.click(f"[data-point={point}][role=gridcell]")
            wait(lambda: len(self.moves()) > before, f"{point} is played")

    def moves(self):
        """Returns the list of moves."""
        return self.js(
            "return [...document.querySelectorAll('#list .move')].map(each => each.getAttribute('aria-label').split(/[ ,]+/)[1])"
        )

    def stones(self):
        """Returns the stones of the picture by point."""
        return self.js(
            "return Object.fromEntries([...document.querySelectorAll('.picture g.stone')].map(each => [each.dataset.point, each.dataset.color]))"
        )

    def marks(self, name):
        return self.js(
            "return [...document.querySelectorAll(`.picture .${arguments[0]}[data-point]`)].map(each => each.dataset.point)",
            name,
        )

    def fill(self, **fields):
        """Sets fields of the dialog of a new game, one after the other."""
        self.js(
            """for (const [name, value] of arguments[0]) {
                const field = document.querySelector(`#new-dialog [name=${name}]`);
                field.value = value;
                field.dispatchEvent(new Event("change"));
            }""",
            [[name, str(value)] for name, value in fields.items()],
        )

    def new_game(self, **fields):
        """Begins a game by the dialog."""
        position = "return document.body.dataset.position"
        before = self.js(position)
        self.click("#open-new")
        self.fill(**fields)
        self.click("#new-dialog [value=new]")
        wait(lambda: self.js(position) != before, "a new game")

    def load(self, text):
        """Opens a game by the dialog."""
        self.click("#open-load")
        self.js("document.querySelector('#load-dialog [name=text]').value = arguments[0]", text)
        self.click("#load-dialog [value=load]")
        wait(lambda: not self.js("return document.querySelector('#load-dialog').open"), "the dialog closes")
        wait(lambda: "Paused" in self.text("#status") or "wins" in self.text("#status"), "the game is there")

    def status(self, part):
        """Waits for a part of the status line."""
        wait(lambda: part in self.text("#status"), f"the status says {part!r}, not {self.text('#status')!r}")

    def told(self, part):
        """Waits until something is told that must be heard."""
        wait(lambda: part in self.text("#toasts") or part in self.text("#alarm"), f"{part!r} is told")

    def shot(self, name):
        if options.shots:
            time.sleep(0.3)
            Path(options.shots, f"{name}.png").write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def end(self):
        # Errors of scripts, and whatever the content policy keeps out.
        log = [
            entry for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"
        ]
        # A refused command is answered by a status that browsers log.
        log = [
            entry["message"]
            for entry in log
            if "status of 409" not in entry["message"] and "ERR_" not in entry["message"]
        ]
        self.close()
        assert not log, log

    def close(self):
        driver.call("DELETE", self.path)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def page(address, **how):
    browser = Browser(address, **how)
    try:
        yield browser
    except BaseException:
        browser.shot("failed")
        browser.close()
        raise
    browser.end()


@test
def a_whole_game_is_played_by_clicks():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.play("h8", "h9", "h10", "h11", "h12")
        browser.status("Black wins by five")
        assert sorted(browser.marks("five")) == ["h10", "h11", "h12", "h8", "h9"]
        assert len(browser.moves()) == 9 and browser.stones()["o1"] == "white"
        browser.click("[data-point=a15][role=gridcell]")
        browser.told("It is not your move")
        # Back, and another way.
        browser.click("#undo")
        browser.status("black may play on")
        browser.click("[data-point=a15][role=gridcell]")
        wait(lambda: browser.moves()[8:9] == ["a15"], "another move")
        browser.new_game(black="engine1", white="person")
        wait(lambda: len(browser.moves()) == 1, "the engine begins")
        # Without a number of games, which is hidden. A double click is one click.
        browser.click("#open-new")
        browser.fill(white="engine1", games="")
        browser.fill(black="person", white="person")
        browser.click("#new-dialog [value=new]")
        wait(lambda: browser.moves() == [], "a new game")
        browser.js("document.querySelector('#toasts').replaceChildren()")
        browser.double_click("[data-point=h8][role=gridcell]")
        wait(lambda: browser.moves() == ["h8"], "the move")
        browser.play("h9")
        assert browser.text("#toasts") == ""


@test
def tengen_is_played_to_the_end():
    with program() as board, page(board.address) as browser:
        browser.new_game(turn=0.05, width=10, height=10)
        cells = [f"{letter}{row}" for row in range(1, 11) for letter in "adgjbehcfi"]
        for cell in cells:
            if "wins" in browser.text("#status"):
                break
            if cell not in browser.moves():
                browser.play(cell)
                wait(
                    lambda: len(browser.moves()) % 2 == 0 or "wins" in browser.text("#status"),
                    "Tengen answers",
                )
        browser.status("White wins by five")
        assert len(browser.marks("five")) >= 5


@test
def a_forbidden_point_is_refused():
    with program() as board, page(board.address) as browser:
        browser.new_game(rule="renju", white="person")
        browser.play("g8", "a1", "i8", "c1", "h7", "e1", "h9", "g1")
        assert browser.marks("forbidden") == ["h8"]
        assert (
            browser.js(
                "return document.querySelector('[data-point=h8][role=gridcell]').getAttribute('aria-label')"
            )
            == "h8, forbidden for black: double three"
        )
        browser.click("[data-point=h8][role=gridcell]")
        browser.told("h8 is forbidden for black: double three")
        assert len(browser.moves()) == 8
        browser.shot("forbidden")
        browser.play("a15")
        assert browser.marks("forbidden") == []


@test
def analysis_shows_what_the_engine_said():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.click("#tab-analysis")
        browser.click("#analyse")
        wait(
            lambda: browser.js("return document.querySelectorAll('#thoughts li').length") == 3, "three lines"
        )
        assert browser.text("#thoughts li").split() == ["73%", "200", "h8", "i9", "g10", "+"]
        rates = browser.js(
            "return [...document.querySelectorAll('.candidate')].map(each => [each.dataset.point, each.textContent])"
        )
        assert rates == [["h8", "73"], ["d5", "55"], ["l11", "-M8"]], rates
        assert browser.marks("losing") == ["c3"]
        small = """return [...document.querySelectorAll('#thoughts button')].map(each => each.getBoundingClientRect())
            .filter(({ width, height }) => width < 24 || height < 24).length"""
        assert browser.js(small) == 0
        # A cell on which the keyboard comes says what is thought of it.
        browser.keys("b")
        label = "return document.activeElement.getAttribute('aria-label')"
        wait(lambda: browser.js(label) == "h8, line 1: 73%", "the label of the best move")
        browser.js("document.activeElement.blur()")
        assert "depth 9–12" in browser.text("#depth") and "5000 nodes" in browser.text("#depth")
        assert (
            browser.js("return document.querySelector('#bar').getAttribute('aria-label')")
            == "Win rate: black 73%, white 27%"
        )
        # The line under the pointer is played out.
        browser.hover("[data-point=h8][role=gridcell]")
        wait(lambda: browser.marks("ghost") == ["h8", "i9", "g10"], "the line on the board")
        browser.hover("#thoughts li:nth-child(2) [data-length='2']")
        wait(lambda: browser.marks("ghost") == ["d5", "i9"], "a part of the second line")
        browser.hover("#status")
        # What is excluded is not searched. A brush of another tab does nothing here.
        browser.js("document.querySelector('#brush').value = 'circle'")
        browser.js("document.querySelector('#brush').dispatchEvent(new Event('change'))")
        browser.click("#exclude")
        browser.click("[data-point=h8][role=gridcell]")
        wait(
            lambda: browser.marks("excluded") == ["h8"] and browser.text("#thoughts li").startswith("55"),
            "h8 is excluded",
        )
        browser.click("#exclude")
        browser.click("#allow-all")
        wait(lambda: browser.text("#thoughts li").startswith("73"), "h8 is back")
        # The keyboard stays on the button that keeps a line.
        browser.js("document.querySelector('#thoughts .keep').focus()")
        board.command(do="exclude", x=7, y=7)
        wait(lambda: browser.text("#thoughts li").startswith("55"), "another best line")
        assert browser.js("return document.activeElement.matches('#thoughts li:first-child .keep')")
        board.command(do="allow_all")
        wait(lambda: browser.text("#thoughts li").startswith("73"), "h8 is back again")
        browser.click("#analyse")
        wait(lambda: browser.text("#analyse") == "Analyse", "the stop")
        assert browser.marks("candidate") == ["h8", "d5", "l11"] and browser.text("#thoughts li")
        # A position that is set up has no win rates.
        is_barred = "return document.querySelector('#bar').hidden"
        assert not browser.js(is_barred)
        browser.click("#open-setup")
        assert browser.js(is_barred)
        browser.click("#open-setup")
        assert not browser.js(is_barred)
        # Also of another position, and by its side to move.
        assert browser.marks("noted") == []
        browser.play("h8")
        wait(lambda: len(browser.moves()) == 2, "the answer")
        browser.click("#analyse")
        wait(lambda: browser.text("#thoughts li").startswith("55"), "lines of the new position")
        browser.click("#hint")
        browser.click("#analyse")
        browser.click("#hint")
        wait(lambda: browser.marks("hint") == ["d5"], "a hint")


@test
def fewer_lines_have_a_reason():
    with program("--engine", stub()) as board, page(board.address) as browser:
        is_told = "return document.querySelector('#few').checkVisibility()"
        browser.click("#tab-analysis")
        browser.js("document.querySelector('#lines').value = '5'")
        # Who is threatened has few answers, unlike who threatens, or nobody.
        for game, expected in [("h7", False), ("g7 a1 h7 a3 i7", True), ("g7 a1 h7 a3 i7 a5", False)]:
            browser.load(game)
            browser.click("#analyse")
            wait(lambda: browser.js("return document.querySelectorAll('#thoughts li').length") == 3, "lines")
            assert browser.js(is_told) == expected, game
            browser.click("#analyse")


@test
def an_engine_without_analysis_does_what_it_can():
    with program("--engine", stub("--plain")) as board, page(board.address) as browser:
        browser.play("h8")
        wait(lambda: len(browser.moves()) == 2, "the answer")
        browser.click("#tab-analysis")
        assert browser.js("return document.querySelector('#exclude').disabled")
        browser.click("#analyse")
        wait(lambda: browser.marks("candidate") == ["n1"], "the line of its message")
        browser.click("#tab-review")
        browser.click("#look")
        wait(lambda: "Review again" in browser.text("#look"), "the end of the review")


GAME = """(;GM[4]SZ[15]RU[freestyle]PB[A]PW[B];B[hh];W[ig];B[hj];W[hi];B[gi];W[ij];B[ih];W[gh];B[gj];W[hk];B[jh];W[fh]
    ;B[jf];W[kh];B[je];W[jg];B[if];W[kf])"""


@test
def a_loaded_game_is_reviewed():
    with program() as board, page(board.address) as browser:
        browser.load(GAME)
        assert len(browser.moves()) == 18
        browser.click("#tab-review")
        browser.js("document.querySelector('#pace').value = '200'")
        browser.click("#look")
        wait(lambda: browser.js("return !document.querySelector('#progress').hidden"), "the progress")
        wait(lambda: browser.js("return document.querySelector('#progress').hidden"), "the end of the review")
        assert browser.js("return document.querySelectorAll('.strip').length") == 19
        dots = browser.js("return document.querySelectorAll('.curve circle.dot').length")
        assert (
            dots >= 1
            and browser.js("return document.querySelectorAll('#list .sign:not(:empty)').length") == dots
        )
        browser.js(
            "document.querySelector('.strip[data-ply=\"9\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        browser.status("move 9")
        assert len(browser.stones()) == 9
        assert "9. g6 is" in browser.text("#judgement") and "Best for white" in browser.text("#judgement")
        browser.hover("#judgement [data-length='1']")
        wait(lambda: len(browser.marks("ghost")) == 1, "the best line on the board")
        # From mistake to mistake, and what each side's moves were worth.
        browser.hover("#status")
        browser.keys("<")
        browser.status("move 0")
        browser.keys("]")
        browser.status("Paused at move")
        wait(lambda: "Better was" in browser.text("#judgement"), "the first mistake")
        rows = browser.js("return [...document.querySelectorAll('#sides tbody tr')].map(each => each.innerText)")
        assert len(rows) == 2 and all("/9" in row and "%" in row for row in rows), rows
        board.command(do="show", ply=9)
        browser.shot("review")
        # Once more, from the beginning.
        browser.click("#look")
        wait(lambda: browser.text("#look") == "Stop", "the second review")
        wait(lambda: browser.text("#look") == "Review again", "the end of the second review")
        # The curve by keys.
        browser.js("document.querySelector('[role=slider]').focus()")
        browser.keys(ARROWS["right"])
        browser.status("move 10")
        text = board.request("GET", f"/{board.token}/game.sgf")[2].decode()
        assert "Tengen: " in text and "Win rate of black: " in text and text.count("(") > 1, text
        assert "PB[A]PW[B]" in text, text
        browser.load(text)
        assert len(browser.moves()) == 18


CHOOSE_LANGUAGE = """const list = document.querySelector('#language'); list.value = arguments[0];
    list.dispatchEvent(new Event('change'));"""

# A position that is set up, a comment, a pass, stones taken away and set up in the middle.
ODD_GAME = "(;GM[4]SZ[12]PB[</script><b>]AB[hh]AW[ii];B[ih]C[mine: <i>];W[];B[hg];AE[hg]AB[aa];W[bb])"


@test
def a_finished_review_needs_no_program():
    with tempfile.TemporaryDirectory() as folder:
        games, html = Path(folder, "games.sgf"), Path(folder, "review.html")
        games.write_text(GAME + ODD_GAME)
        command = [options.tengen, "analyze", "--nodes", "3000", "--html", html, games]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with page(html.as_uri()) as browser:
            visible = """return [...document.querySelectorAll("button, select, input, a")]
                .filter(each => each.checkVisibility() && each.id).map(each => each.id).sort()"""
            controls = (
                "first games last mark-back mark-next mirror next numbers open-help previous theme to-board turn".split()
            )
            assert browser.js(visible) == controls, browser.js(visible)
            assert browser.text(".title") == "A – B" and "freestyle · 15×15" in browser.text("#facts")
            assert browser.js("return document.title") == "A – B: review"
            rows = browser.js("return [...document.querySelectorAll('#sides tbody tr')].map(each => each.innerText)")
            assert [row.split()[:2] for row in rows] == [["A", rows[0].split()[1]], ["B", rows[1].split()[1]]]
            assert rows[0].split()[1].endswith("/9") and rows[0].endswith("%"), rows
            assert len(browser.moves()) == 18 and browser.js("return document.querySelectorAll('.strip').length") == 19
            dots = "return [...document.querySelectorAll('.curve circle.dot')].length"
            assert 1 <= browser.js(dots) == browser.js("return document.querySelectorAll('#list .sign:not(:empty)').length")
            # By keys, of which the address keeps the place.
            browser.status("Move 0 of 18: Black to move")
            browser.keys(ARROWS["right"], ARROWS["right"], ".")
            browser.status("Move 3 of 18: White to move")
            assert browser.js("return location.hash") == "#1/3" and len(browser.stones()) == 3
            assert len(browser.marks("candidate")) == 1 and "Best for white" in browser.text("#judgement")
            browser.keys(TAB, ENTER)
            wait(lambda: browser.js("return document.activeElement.dataset.point"), "the keyboard on the board")
            browser.status("Move 3 of 18")
            browser.js("document.activeElement.blur()")
            browser.keys(ARROWS["left"], "<")
            browser.status("Move 0 of 18")
            # From mistake to mistake, and the better line, which begins a move earlier.
            browser.keys(ARROWS["down"])
            ply = int(browser.js("return location.hash").split("/")[1])
            assert ply > 0 and "Better was" in browser.text("#judgement"), browser.text("#judgement")
            assert "before," in browser.text("#judgement") and f"{ply}. {browser.moves()[ply - 1]} is" in browser.text("#judgement")
            assert len(browser.stones()) == ply
            browser.hover("#judgement [data-length='1']")
            wait(lambda: len(browser.marks("ghost")) == 1, "the better move on the board")
            assert len(browser.stones()) == ply - 1
            browser.hover("#status")
            wait(lambda: len(browser.stones()) == ply, "the position again")
            browser.keys(ARROWS["up"])
            assert browser.js("return document.querySelector('#mark-back').disabled || location.hash !== ''")
            # By the wheel, by clicks, which leave the keys to the game, and by a click on the curve.
            browser.js("location.hash = '#1/9'")
            browser.status("Move 9 of 18")
            browser.wheel("#board", 100)
            browser.status("Move 10 of 18")
            browser.wheel("#board", -100)
            browser.status("Move 9 of 18")
            browser.click("[data-point=a1][role=gridcell]")
            browser.keys(ARROWS["right"])
            browser.status("Move 10 of 18")
            browser.js("document.querySelector('.strip[data-ply=\"17\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
            browser.status("Move 17 of 18")
            browser.keys("l")
            wait(lambda: "17" in browser.js("return document.querySelector('.picture').textContent"), "numbers")
            assert len(browser.marks("candidate")) == 1
            bar = browser.js("return document.querySelector('#bar').getAttribute('aria-label')")
            assert re.fullmatch(r"Win rate: black \d+%, white \d+%", bar), bar
            browser.shot("report")
            browser.keys("?")
            assert browser.js("return document.querySelector('#help-dialog').open")
            words = browser.text("#key-list")
            assert "Next mistake" in words and not re.search("Undo|Review or stop|Analyse|Block", words), words
            browser.click("#help-dialog [value=cancel]")
            # Another game.
            browser.js("const games = document.querySelector('#games'); games.value = 1; games.dispatchEvent(new Event('change'))")
            browser.status("Move 0 of 5")
            assert browser.text(".title") == "</script><b> – White" and browser.stones() == {"h5": "black", "i4": "white"}
            assert browser.moves() == ["i5", "pass", "h6", "position", "b11"], browser.moves()
            browser.keys(ARROWS["right"])
            wait(lambda: "mine: <i>" in browser.text("#judgement"), "the comment")
            browser.keys("\ue010")
            browser.status("Move 5 of 5")
            stones = {"h5": "black", "i4": "white", "i5": "black", "a12": "black", "b11": "white"}
            assert browser.stones() == stones and browser.js("return location.hash") == "#2/5"
            browser.call("POST", "/refresh", {})
            browser.status("Move 5 of 5")
        with page(html.as_uri() + "#1/18", width=320, height=700, phone=True) as browser:
            browser.status("Move 18 of 18")
            assert browser.js("return document.documentElement.scrollWidth <= 320")
            browser.shot("report-telephone")
            # A file remembers the language, too.
            browser.js(CHOOSE_LANGUAGE, "de")
            browser.status("Zug 18 von 18: ")
            assert browser.js("return document.documentElement.scrollWidth <= 320")


@test
def engines_that_fail_are_started_again():
    with tempfile.TemporaryDirectory() as folder:
        mischief = Path(folder, "mischief")
        command = stub("--mischief", mischief)
        with program("--engine", command) as board, page(board.address) as browser:
            browser.new_game(turn=0.3)
            told = {
                "die": "ended unexpectedly",
                "hang": "did not answer",
                "flood": "flooded",
                "nonsense": "answered nonsense",
                "illegal": "played an illegal move",
            }
            for (kind, text), point in zip(told.items(), ["h8", "a3", "c5", "e7", "g9"]):
                mischief.write_text(kind)
                before = len(browser.moves())
                browser.play(point)
                browser.told(text)
                wait(lambda: len(browser.moves()) == before + 2, f"the game goes on after {kind}")
                browser.js("document.querySelector('#toasts').replaceChildren()")
            assert len(board.children()) == 1


@test
def an_engine_killed_in_the_middle_is_replaced():
    with program("--engine", stub("--delay", 3)) as board, page(board.address) as browser:
        wait(board.children, "the engine runs")
        browser.play("h8")
        for child in board.children():
            os.kill(child, signal.SIGKILL)
        browser.told("ended unexpectedly")
        wait(lambda: len(browser.moves()) == 2, "the game goes on")
    # One that cannot run at all.
    with program("--engine", "/bin/false") as board, page(board.address) as browser:
        browser.play("h8")
        browser.status("Paused")
        browser.told("The game is paused")


@test
@needs_no_browser
def moves_taken_back_are_taken_from_the_engine():
    with tempfile.TemporaryDirectory() as folder, program("--engine", stub("--heard", folder)) as board:
        page = Listener(board)
        assert page.refusal("undo") == "nothing_to_undo"
        page.play("h8", "h9")
        page.undo()
        page.play("a15", "c15")
        page.new_game()
        page.play("h8")
        first = ["START 15", "BOARD", "7,7,2", "DONE", "TURN 7,8"]
        back = ["RESTART", "BOARD", "7,7,2", "14,0,1", "0,14,2", "DONE", "TURN 2,14"]
        assert heard(folder) == [first + back + ["RESTART", "BOARD", "7,7,2", "DONE"]], heard(folder)
        page.new_game(black="engine1", white="person")
        wait(page.moves, "the engine begins")
        assert page.refusal("undo") == "nothing_to_undo"
        page.new_game(opening="swap2", black="person")
        assert page.refusal("undo") == "opening"
    # A move is taken back while the engine thinks: its answer is dropped, and its board is set up anew.
    slow = stub("--delay", 0.7, "--heard")
    with tempfile.TemporaryDirectory() as folder, program("--engine", f"{slow} {folder}") as board:
        page = Listener(board)
        page.place("h8")
        wait(lambda: heard(folder) == [["START 15", "BOARD", "7,7,2", "DONE"]], "the engine thinks")
        page.undo()
        page.play("a1")
        assert page.moves() == ["a1", "o1"] and not page.faults
        (told,) = heard(folder)
        assert told[-4:] == ["RESTART", "BOARD", "0,0,2", "DONE"], told


@test
@needs_no_browser
def an_engine_need_not_know_every_word():
    for word in ["RESTART", "INFO"]:
        with tempfile.TemporaryDirectory() as folder:
            # The delay is longer than what an engine may think on after an unknown request.
            command = stub("--plain", "--unknown", word, "--delay", 0.7, "--heard", folder)
            with program("--engine", command) as board:
                page = Listener(board)
                page.play("h8")
                page.undo()
                page.play("a15")
                assert not page.faults, (word, page.faults)
                assert len(board.children()) == 1
            first, second = ["START 15", "BOARD", "7,7,2", "DONE", "RESTART"], ["BOARD", "0,14,2", "DONE", "END"]
            # An engine without RESTART is replaced by a new process.
            told = [first + ["END"], ["START 15"] + second] if word == "RESTART" else [first + second]
            assert heard(folder) == told, heard(folder)


@test
@needs_no_browser
def a_database_is_for_studies_alone():
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "my games.db")
        command = ["--engine", stub("--heard", Path(folder, "heard")), "--database", str(database)]
        Path(folder, "heard").mkdir()
        opened = f"INFO database {database}"

        def studies():
            told = heard(Path(folder, "heard"))
            # What is told to an engine may be read before its end: one that has heard of no move yet may become either.
            for lines in told:
                assert opened not in lines or not any(re.match("BEGIN|BOARD|TURN", line) for line in lines), told
            return [lines for lines in told if "YXBOARD" in lines]

        def analyse(count):
            page.do("analyse", on=True, lines=count)
            wait(lambda: any(f"YXNBEST {count}" in lines for lines in studies()), "the analysis")
            page.do("analyse", on=False, lines=count)

        def review():
            page.do("review", on=True, time=50)

        def is_over():
            review = page.newest["review"]
            return not review["running"] and review["done"] == review["total"]

        with program(*command) as board:
            page = Listener(board)
            page.play("h8")
            analyse(2)
            analyse(3)
            wait(lambda: studies()[-1][-1] == "YXSTOP", "the end of the analysis")
            assert studies()[0][:3] == ["START 15", opened, "YXBOARD"] and studies()[0].count(opened) == 1
            # The review opens it too, beside the analysis.
            review()
            wait(is_over, "the review")
            wait(lambda: [lines[-1] for lines in studies()] == ["YXSTOP", "END"], "the reviewer leaves")
            assert studies()[1].count(opened) == 1
            # What a running search has found is kept when the program ends.
            page.do("analyse", on=True, lines=6)
            wait(lambda: "YXNBEST 6" in studies()[0], "the last analysis")
        assert studies()[0][-3:] == ["YXNBEST 6", "YXSTOP", "END"], studies()[0]


@test
@needs_no_browser
def a_person_resigns():
    with program("--engine", stub("--delay", 2)) as board:
        page = Listener(board)
        page.place("h8")
        # The engine thinks, and what it answers is not played.
        page.do("resign")
        wait(lambda: page.state["over"], "the end of the game")
        assert page.state["over"]["text"] == "White wins: black has resigned"
        assert page.refusal("resign") == "over"
        assert page.refusal("hint") == "over"
        time.sleep(2.5)
        assert page.moves() == ["h8"]
        assert b"RE[W+" in board.request("GET", f"/{board.token}/game.sgf")[2]
        # Nobody can resign at an earlier position; playing on from there takes the resignation back.
        page.undo()
        assert page.refusal("resign") == "not_last"
        page.play("a1")
        assert page.moves() == ["a1", "o1"] and not page.state["over"]
        assert b"RE[" not in board.request("GET", f"/{board.token}/game.sgf")[2]
        page.new_game(opening="swap2", black="person", white="person")
        assert page.refusal("resign") == "opening"
        page.new_game(opening="free", black="engine1", white="engine1")
        assert page.refusal("resign") == "no_person"


@test
def two_pages_show_one_game():
    with program("--engine", stub()) as board, page(board.address) as one, page(board.address) as two:
        one.new_game(white="person")
        one.play("h8")
        wait(lambda: two.stones() == {"h8": "black"}, "the move on the other page")
        two.play("i9")
        wait(lambda: one.stones() == {"h8": "black", "i9": "white"}, "the answer on the first page")
        # A command about what is there no more.
        assert board.command(do="play", x=0, y=0, seen=1) == {"word": "stale"}
        one.click("#undo")
        wait(lambda: two.stones() == {"h8": "black"}, "the undo on the other page")


@test
def a_telephone_is_wide_enough():
    with (
        program("--engine", stub()) as board,
        page(board.address, width=320, height=700, phone=True) as browser,
    ):

        def is_narrow():
            return browser.js("return document.documentElement.scrollWidth <= 320")

        assert browser.js("return innerWidth") == 320
        for tab in ["moves", "analysis", "review", "notes"]:
            browser.click(f"#tab-{tab}")
            assert is_narrow(), tab
        browser.click("#tab-moves")
        # The first tap aims, the second one plays.
        browser.js("scrollTo(0, 0)")
        browser.tap("[data-point=h8][role=gridcell]")
        wait(lambda: browser.marks("aim") == ["h8"], "the first tap aims")
        assert browser.moves() == []
        browser.tap("[data-point=h8][role=gridcell]")
        wait(lambda: len(browser.moves()) == 2, "the second tap plays")
        browser.shot("telephone")
        # A new game forgets what was aimed at, and what a click sets.
        browser.js("scrollTo(0, 0)")
        browser.tap("[data-point=c3][role=gridcell]")
        wait(lambda: browser.marks("aim") == ["c3"], "a tap aims")
        browser.js("document.querySelector('#brush').value = 'circle'")
        browser.new_game()
        wait(lambda: browser.marks("aim") == [], "nothing is aimed at")
        assert browser.js("return document.querySelector('#brush').value") == ""
        for dialog in ["new", "load", "save", "help"]:
            browser.click(f"#open-{dialog}")
            width = browser.js(
                f"const box = document.querySelector('#{dialog}-dialog').getBoundingClientRect(); return [box.left, box.right]"
            )
            assert width[0] >= 0 and width[1] <= 320, (dialog, width)
            browser.click(f"#{dialog}-dialog [value=cancel]")
        browser.click("#open-new")
        browser.js(
            "const form = document.querySelector('#new-dialog form').elements; form.width.value = form.height.value = 22"
        )
        browser.click("#new-dialog [value=new]")
        wait(
            lambda: browser.js("return document.querySelectorAll('[role=gridcell]').length") == 22 * 22,
            "a board of 22",
        )
        assert is_narrow()


@test
def a_finger_that_stays_has_a_lens():
    def cell(point):
        return f"[data-point={point}][role=gridcell]"

    def lens():
        """Returns the box of the lens and its middle on the picture, if it is there."""
        return browser.js("""const lens = document.querySelector(".lens");
            if (!lens) return null;
            const { left, top, right, bottom } = lens.getBoundingClientRect(), { x, y, width } = lens.viewBox.baseVal;
            return [[left, top, right, bottom], [x + width / 2, y + width / 2], lens.clientWidth / width];""")

    for width, height in [(375, 740), (740, 360)]:
        with (
            program("--engine", stub()) as board,
            page(board.address, width=width, height=height, phone=True) as browser,
        ):
            for point in ["c3", "h8", "c15", "n15", "n2"]:
                browser.js("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", cell(point))
                browser.finger(cell(point), "down", 500)
                box, middle_seen, scale = wait(lens, "the lens")
                # It is in the window, larger than the board, and not under the finger.
                assert min(box) >= 0 and box[2] <= width and box[3] <= height, (point, box)
                x, y = browser.middle(cell(point))
                assert scale > 1.3 and (box[3] < y - 20 or box[2] < x - 20 or box[0] > x + 20), (point, box, scale)
                cx, cy = browser.js(
                    "const mark = document.querySelector('#board > .picture .aim').getBBox(); return [mark.x + mark.width / 2, mark.y + mark.height / 2]"
                )
                assert abs(cx - middle_seen[0]) < 1 and abs(cy - middle_seen[1]) < 1, (point, middle_seen)
                # Leaving the board plays nothing.
                browser.finger("#status" if width > height else ".tabs", 50, "up")
                assert lens() is None and browser.moves() == [] and browser.marks("aim") == [], point
            browser.js("document.querySelector('.points').scrollIntoView({ block: 'center' })")
            scrolled = browser.js("return scrollY")
            browser.finger(cell("h8"), "down", 500, cell("h11"))
            wait(lambda: set(browser.marks("aim")) == {"h11"}, "the finger aims elsewhere")
            browser.shot(f"lens-{width}")
            browser.finger(cell("g10"), "up")
            wait(lambda: browser.moves()[:1] == ["g10"], "lifting the finger plays")
            assert browser.js("return scrollY") == scrolled and lens() is None
            # A finger that does not stay aims first.
            wait(lambda: len(browser.moves()) == 2, "the answer")
            browser.tap(cell("d5"))
            wait(lambda: browser.marks("aim") == ["d5"], "the first tap aims")
            browser.tap(cell("d5"))
            wait(lambda: len(browser.moves()) == 4, "the second tap plays")
    # Points far enough apart need none, nor does a mouse.
    with program("--engine", stub()) as board:
        with page(board.address, width=820, height=1100, phone=True) as browser:
            browser.finger(cell("h8"), "down", 500)
            assert lens() is None
            browser.finger("up")
        with page(board.address, width=500, height=700) as browser:
            browser.js(
                "document.querySelector(arguments[0]).dispatchEvent(new PointerEvent('pointerdown', { pointerType: 'mouse', isPrimary: true, bubbles: true }))",
                cell("h8"),
            )
            time.sleep(0.5)
            assert lens() is None


@test
def the_keyboard_is_enough():
    with program("--engine", stub()) as board, page(board.address) as browser:
        focused = "return document.activeElement.dataset.point ?? document.activeElement.id"
        # The first button of the page, and a key.
        for keys in [(TAB, ENTER), ("b",)]:
            browser.keys(*keys)
            wait(lambda: browser.js(focused) == "h8", "the board has the focus")
            browser.js("document.activeElement.blur()")
        assert browser.text("#toasts") == ""
        browser.keys("b")
        browser.keys(ARROWS["left"], ARROWS["up"], ENTER)
        wait(lambda: browser.moves()[:1] == ["g9"], "g9 is played")
        wait(lambda: len(browser.moves()) == 2, "the answer")
        wait(lambda: "White o1" in browser.text("#spoken"), "screen readers hear the answer")
        browser.keys("u")
        browser.status("may play on")
        browser.keys("r")
        browser.status("Your move")
        browser.keys("a")
        wait(lambda: browser.marks("candidate"), "the analysis")
        browser.keys("a")
        # A button that can be used no more keeps the focus.
        browser.js("document.querySelector('#undo').focus()")
        browser.keys(ENTER)
        wait(lambda: browser.js("return document.activeElement.getAttribute('aria-disabled')"), "nothing to take back")
        assert browser.js(focused) == "undo"
        browser.keys(ENTER)
        browser.keys("r")
        browser.status("Your move")
        browser.keys("?")
        wait(lambda: browser.js("return document.querySelector('#help-dialog').open"), "the help")
        browser.keys("\ue00c")
        browser.keys("n")
        wait(lambda: browser.js("return document.querySelector('#new-dialog').open"), "the dialog")
        browser.js("document.querySelector('#new-dialog [name=turn]').focus()")
        browser.keys(ENTER)
        wait(lambda: browser.moves() == [], "Enter begins a new game")
        # Every control has a name.
        nameless = browser.js("""return [...document.querySelectorAll("button, a, input, select, textarea, [role=slider]")]
            .filter(each => !(each.getAttribute("aria-label") || each.innerText || each.textContent.trim() || each.labels?.length))
            .map(each => each.outerHTML)""")
        assert not nameless, nameless


@test
def moves_are_gone_through_by_wheel_and_arrows():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.load("h8 i9 h9 i10")
        browser.wheel("#board", -100)
        browser.status("move 3")
        browser.keys(ARROWS["left"])
        browser.status("move 2")
        browser.keys(HOME)
        browser.status("Paused at move 0")
        browser.keys(ARROWS["right"])
        browser.status("move 1")
        browser.wheel("#board", 100)
        browser.status("move 2")
        # The keyboard on the board moves there, and goes through nothing.
        browser.keys("b", ARROWS["left"])
        assert browser.js("return document.activeElement.dataset.point") == "g8"
        browser.status("move 2")


@test
def a_game_is_pasted_or_dropped():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.js(GIVE, "paste", "1. h8 2. i9 3. h9")
        wait(lambda: browser.moves() == ["h8", "i9", "h9"], "the moves are pasted")
        browser.js(GIVE, "drop", "(;GM[4]SZ[15];B[aa];W[bb])", "game.sgf")
        wait(lambda: browser.moves() == ["a15", "b14"], "the file is dropped")
        browser.js(GIVE, "drop", "this is no game")
        wait(lambda: browser.text("#toasts"), "why it is none")
        assert browser.moves() == ["a15", "b14"]
        # The dialog takes files, too.
        for field, point in {"file": "c13", "text": "d12"}.items():
            browser.click("#open-load")
            browser.js(GIVE, "drop", point, "game.txt", f"#load-dialog [name={field}]")
            wait(lambda: browser.moves() == [point], f"a file dropped on {field}")
            assert not browser.js("return document.querySelector('#load-dialog').open")
        # What is typed stays until a game is opened.
        typed = "return document.querySelector('#load-dialog[open] [name=text]')?.value"
        browser.click("#open-load")
        browser.click("#load-dialog [name=text]")
        browser.keys(*"no game")
        browser.js(GIVE, "drop", "nor this", "game.txt", "#load-dialog")
        browser.told("No game can be read")
        browser.js("document.querySelector('#toasts').replaceChildren()")
        browser.click("#load-dialog [value=load]")
        wait(lambda: browser.text("#toasts"), "it is no game")
        assert browser.js(typed) == "no game"
        browser.js(GIVE, "drop", "e5", "game.txt", "#load-dialog")
        wait(lambda: browser.moves() == ["e5"] and browser.js(typed) is None, "the file is opened")
        browser.click("#open-load")
        assert browser.js(typed) == ""


@test
def a_comment_is_kept_while_it_is_written():
    comment = "return document.querySelector('#comment').value"
    with program("--engine", stub()) as board, page(board.address) as browser:
        listener = Listener(board)
        browser.load("h8 i9")
        browser.click("#comment")
        browser.keys(*"one")
        wait(lambda: (listener.state["notes"] or {}).get("comment") == "one", "the comment is sent")
        browser.keys(*" two")
        browser.call("POST", "/refresh", {})
        wait(lambda: browser.js(comment) == "one two", "the comment after a reload")
        browser.js("window.confirm = () => true")
        # What is written belongs to the game before.
        browser.click("#comment")
        browser.keys(*" three")
        browser.js(GIVE, "drop", "(;GM[4]SZ[15];B[aa];W[bb])", "game.sgf")
        wait(lambda: browser.moves() == ["a15", "b14"], "the file is dropped")
        time.sleep(0.6)
        assert browser.js(comment) == "" and not (listener.state["notes"] or {}).get("comment"), listener.state
        # Nor does it go to a game that another page opens.
        for game in ["c3 d4", "c3 d4 e5"]:
            browser.load("h8 i9")
            browser.click("#comment")
            browser.keys(*"mine")
            listener.do("load", text=game, file=None)
            wait(lambda: browser.moves() == game.split(), "the other page's game")
            time.sleep(0.6)
            assert browser.js(comment) == "" and b"mine" not in board.request("GET", f"/{board.token}/moves.sgf")[2], game


@test
def variations_are_kept_and_noted():
    game = "(;GM[4]SZ[15]PB[Ann]PW[Ben];B[hh](;W[ii];B[hj])(;W[hi]C[direct]LB[aa:Z]TR[hh];B[jj]))"
    branch = "return [...document.querySelectorAll('#list .branch')].map(each => each.innerText)"
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.load(game)
        assert browser.moves() == ["h8", "i7", "h6"] and browser.js(branch) == ["h7"]
        assert "Ann" in browser.text("#black") and "Ben" in browser.text("#white")
        browser.js("document.querySelector('#list .branch').focus()")
        browser.keys(ENTER)
        wait(lambda: browser.moves() == ["h8", "h7", "j6"], "the other line")
        assert browser.js("return document.activeElement.dataset.ply") == "2"
        assert browser.js("return document.querySelector('#comment').value") == "direct"
        assert sorted(browser.marks("noted")) == ["a15", "h8"]
        # A move beside others is one more variation, and nobody is asked.
        browser.js("window.confirm = () => { throw new Error('asked'); }")
        browser.click("#previous")
        wait(lambda: browser.js(branch) == ["i7"] and browser.marks("next") == ["i7", "h7"], "both are marked")
        browser.click("[data-point=a1][role=gridcell]")
        wait(lambda: browser.moves() == ["h8", "a1"] and browser.js(branch) == ["i7", "h7"], "three moves")
        browser.js("""const field = document.querySelector('#comment'); field.value = 'far \\n away';
            field.dispatchEvent(new Event('change'));""")
        browser.js("""const brush = document.querySelector('#brush'); brush.value = 'letter';
            brush.dispatchEvent(new Event('change'));""")
        browser.click("[data-point=b2][role=gridcell]")
        wait(lambda: browser.marks("noted") == ["b2"], "a letter")
        browser.click("[data-point=c3][role=gridcell]")
        wait(lambda: sorted(browser.marks("noted")) == ["b2", "c3"], "two letters")
        browser.click("[data-point=b2][role=gridcell]")
        wait(lambda: browser.marks("noted") == ["c3"], "one of them is cleared")
        browser.shot("variations")
        browser.click("#promote")
        saved = lambda: board.request("GET", f"/{board.token}/game.sgf")[2].decode()
        wait(lambda: "B[hh]\n(;W[ao]" in saved(), "a main line")
        saved = saved()
        assert "LB[cm:B]" in saved and "C[far" in saved and "direct" in saved and "PB[Ann]" in saved, saved
        browser.js("window.confirm = () => true")
        # Arrows go from one to the next, around. Now a1 is the first.
        for arrow, point in [("up", "h7"), ("up", "i7"), ("up", "a1"), ("down", "i7"), ("down", "h7"), ("down", "a1")]:
            browser.keys(ARROWS[arrow])
            wait(lambda: browser.moves()[1] == point, f"{point} by the arrow {arrow}")
            assert f"White {point}" in browser.text("#spoken"), (point, browser.text("#spoken"))
        browser.click("#remove")
        wait(lambda: browser.moves() == ["h8", "i7", "h6"] and browser.js(branch) == ["h7"], "it is gone")
        # A line of the analysis is kept.
        browser.click("#tab-analysis")
        browser.click("#analyse")
        wait(lambda: browser.js("return document.querySelector('#thoughts .keep')"), "a line")
        browser.click("#analyse")
        browser.click("#thoughts .keep")
        wait(lambda: len(browser.js(branch)) == 2, "a variation of it")


@test
def engines_are_chosen_in_the_dialog():
    state = tempfile.mkdtemp(dir=states.name)
    fill = """const form = document.querySelector('#new-dialog form').elements;
        for (const [name, value] of Object.entries(arguments[0])) {
            form[name].value = value;
            form[name].dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    with program(state=state) as board, page(board.address) as browser:
        browser.click("#open-new")
        style = "return document.querySelector('[name=style]').checkVisibility()"
        assert browser.js(style)
        browser.js(fill, {"first": "/no/such/engine"})
        assert not browser.js(style)
        browser.click("#new-dialog [value=new]")
        browser.told("there is no file /no/such/engine")
        # What is refused stays.
        first = "return document.querySelector('#new-dialog[open] [name=first]')?.value"
        assert browser.js(first) == "/no/such/engine"
        browser.js(fill, {"first": stub("--name", "First"), "second": stub("--name", "Second")})
        browser.js(fill, {"black": "engine1", "white": "engine2", "turn": "0.2"})
        browser.shot("engines")
        browser.click("#new-dialog [value=new]")
        browser.status("wins by five")
        assert browser.js(first) is None
        assert browser.text("#black .who") == "First 1.0" and browser.text("#white .who") == "Second 1.0"
    with program(state=state) as board:
        page_again = Listener(board)
        assert len(page_again.state["engines"]) == 2 and len(page_again.moves()) >= 9


# Texts and names of the page that are English, where the language of the page says something else.
ENGLISH = """const [language, done] = arguments;
    Promise.all([import("./words/en.js"), import(`./words/${language}.js`)]).then(([{ words: en }, { words: own }]) => {
        const texts = words => typeof words === "string" ? [words] : Object.values(words);
        const known = new Set([en.language, ...Object.values(own).flatMap(texts)]);
        const english = new Set(Object.values(en).flatMap(texts).filter(text => !known.has(text)));
        const found = [...document.querySelectorAll("body *")].flatMap(each =>
            [...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim())
                .concat(["title", "aria-label", "placeholder", "data-none"].map(name => each.getAttribute(name))));
        done(found.filter(text => english.has(text?.replace(/ \\(.\\)$/, ""))));
    });"""


@test
def the_page_has_another_language():
    def english():
        return browser.call("POST", "/execute/async", {"script": ENGLISH, "args": ["de"]})

    with tempfile.TemporaryDirectory() as folder:
        mischief = Path(folder, "mischief")
        with program("--engine", stub("--mischief", mischief)) as board, page(board.address) as browser:
            assert "Undo" in browser.text("#undo") and english()
            browser.click("#open-help")
            browser.js(CHOOSE_LANGUAGE, "de")
            wait(lambda: browser.js("return document.documentElement.lang") == "de", "German")
            browser.go(board.address)
            assert browser.text("#open-save") == "Speichern" and not english(), english()
            mischief.write_text("die")
            browser.play("h8")
            browser.told("unerwartet aufgehört")
            browser.status("Du bist am Zug, mit Schwarz")
            browser.click("[data-point=h8][role=gridcell]")
            browser.told("h8 ist besetzt.")
            label = "return document.querySelector('[data-point=h8][role=gridcell]').getAttribute('aria-label')"
            assert browser.js(label) == "h8, schwarzer Stein, Zug 1"
            browser.click("#tab-analysis")
            browser.click("#analyse")
            wait(lambda: "Tiefe 9" in browser.text("#depth"), "the depth in German")
            bar = browser.js("return document.querySelector('#bar').getAttribute('aria-label')")
            assert re.fullmatch(r"Gewinnaussicht: Schwarz \d+\s%, Weiß \d+\s%", bar), bar
            browser.click("#analyse")
            browser.click("#tab-review")
            browser.click("#look")
            wait(lambda: "Noch einmal" in browser.text("#look"), "the end of the review")
            browser.click("#open-setup")
            assert not english(), english()
            # What a language has no words for is said in English.
            fallback = "import('./words.js').then(({ LANGUAGES, say }) => { delete LANGUAGES.de.undo; arguments[0](say('undo')); })"
            said = browser.call("POST", "/execute/async", {"script": fallback, "args": []})
            assert said == "Undo", said
        # The browser's language, on a telephone.
        with program("--engine", stub()) as board, page(board.address, width=320, height=640, phone=True, language="de-AT") as browser:
            assert browser.js("return document.documentElement.lang") == "de"
            for tab in ["moves", "analysis", "review", "notes"]:
                browser.click(f"#tab-{tab}")
                assert browser.js("return document.documentElement.scrollWidth <= 320"), tab
            browser.shot("telephone-german")
        # Each language has words of its own that fit on a telephone.
        files = Path(__file__).resolve().parents[2] / "crates/app/web/words"
        with program("--engine", stub()) as board, page(board.address, width=320, height=640, phone=True) as browser:
            two_games = "(;GM[4]SZ[15]PB[Someone];B[hh];W[hg];B[ih];W[hi];B[jh])(;GM[4]SZ[15];B[hh])"
            board.command(do="load", text=two_games, file=None)
            for language in sorted(file.stem for file in files.glob("*.json")):
                browser.js("document.cookie = `tengen-language=${arguments[0]}; path=/`", language)
                browser.go(board.address)
                assert browser.js("return document.documentElement.lang") == language
                for name in ["moves", "analysis", "review", "notes"]:
                    browser.click(f"#tab-{name}")
                    if name == "analysis":
                        browser.click("#analyse")
                        wait(lambda: browser.text("#thoughts li"), "lines")
                        browser.click("#analyse")
                    has_review = "return !document.querySelector('#sides').hidden && document.querySelector('#progress').hidden"
                    if name == "review" and not browser.js(has_review):
                        browser.click("#look")
                        wait(lambda: browser.js(has_review), "the review")
                    assert browser.js("return document.documentElement.scrollWidth <= 320"), (language, name)
                    browser.shot(f"telephone-{language}-{name}")
                for name in ["new", "load", "save", "help"]:
                    browser.click(f"#open-{name}")
                    fits = "const box = document.querySelector(arguments[0]); return box.scrollWidth <= box.clientWidth && box.clientWidth <= 320"
                    assert browser.js(fits, f"#{name}-dialog"), (language, name)
                    browser.shot(f"telephone-{language}-{name}")
                    browser.click(f"#{name}-dialog [value=cancel]")
                said = {"script": ENGLISH, "args": [language]}
                english_left = browser.call("POST", "/execute/async", said)
                assert language == "en" or not english_left, (language, english_left)
        # Telephones have many widths.
        with program("--engine", stub()) as board, page(board.address, width=320, height=640, phone=True) as browser:
            for language in sorted(file.stem for file in files.glob("*.json")):
                browser.js("document.cookie = `tengen-language=${arguments[0]}; path=/`", language)
                browser.go(board.address)
                for width in [320, 344, 360, 375, 390, 412]:
                    metrics = {"width": width, "height": 640, "deviceScaleFactor": 2, "mobile": True}
                    emulation = {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
                    browser.call("POST", "/goog/cdp/execute", emulation)
                    wait(lambda: browser.js("return innerWidth") >= width, f"a width of {width}")
                    seen = browser.js("return document.documentElement.scrollWidth")
                    assert seen <= width, (language, width, seen)
        with program("--engine", stub()) as board, page(board.address, language="xx,en") as browser:
            assert browser.js("return document.documentElement.lang") == "en"


@test
def threats_are_shown_on_request():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.load("h8 a1 i8 a3 j8 a5")
        browser.click("#tab-analysis")
        assert not browser.marks("threat")
        browser.click("#threats")
        wait(lambda: sorted(browser.marks("black-four")) == ["g8", "k8"], "two open fours")
        browser.go(board.address)
        assert sorted(browser.marks("black-four")) == ["g8", "k8"]


@test
def any_file_is_opened_and_one_of_its_games_chosen():
    # A library of RenLib with two variations, and texts in an old code page.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "in.sgf").write_text("(;GM[4]SZ[15];B[hh](;W[ii]C[note])(;W[hi]))")
        subprocess.run([options.tengen, "convert", f"{folder}/in.sgf", f"{folder}/out.lib"], check=True)
        library = Path(folder, "out.lib").read_bytes()
    two = "(;GM[4]SZ[15]PB[Ann];B[hh])(;GM[4]SZ[15]CA[gb18030]PB[\u5f20\u4e09];B[aa];W[bb])".encode("gb18030")
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.js(GIVE, "drop", list(library), "game.lib")
        wait(lambda: browser.moves() == ["h8", "i7"], "the library")
        assert browser.js("return document.querySelectorAll('#list .branch').length") == 1
        browser.js(GIVE, "drop", list(two), "games.sgf")
        wait(lambda: browser.moves() == ["h8"], "the first game")
        names = "return [...document.querySelectorAll('#games option')].map(each => each.innerText)"
        assert browser.js(names) == ["1. Ann – White", "2. \u5f20\u4e09 – White"], browser.js(names)
        browser.js("""const list = document.querySelector('#games'); list.value = 1;
            list.dispatchEvent(new Event('change'));""")
        wait(lambda: browser.moves() == ["a15", "b14"], "the second game")
        assert "\u5f20\u4e09" in browser.text("#black")
        # Long names make the list no wider than the page.
        browser.load(f"(;GM[4]SZ[15]PB[{'W' * 200}];B[hh])(;GM[4]SZ[15];B[hh])")
        wait(lambda: "WWW" in browser.js(names)[0], "the long name")
        assert browser.js("return document.documentElement.scrollWidth <= innerWidth")
        # A file may have more games than a call of a script has arguments.
        assert board.command(do="load", text="(;GM[4]SZ[15];B[aa])" * 130_000, file=None) is None
        wait(lambda: browser.js("return document.querySelectorAll('#games option').length") == 130_000, "all games")
        browser.load("h8")
        # A file may be large, also in JSON, where each of these characters has two.
        browser.js(GIVE, "drop", "(;GM[4]SZ[15]C[*];B[hh];W[aa])", "game.sgf", None, 17 << 20)
        wait(lambda: browser.moves() == ["h8", "a15"], "a large file")
        browser.js(GIVE, "drop", "*", "game.sgf", None, 65 << 20)
        browser.told("too large for a game")
        browser.load("h8 i9")
        wait(lambda: browser.js("return document.querySelector('#games').hidden"), "no other game")
        # A link has the whole game.
        browser.js("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
        browser.click("#open-save")
        browser.click("#copy-link")
        copied = wait(lambda: browser.js("return window.copied"), "a link")
        assert copied.startswith(board.address + "#"), copied
        browser.load("a1")
        browser.go("about:blank", is_page=False)
        browser.go(copied)
        wait(lambda: browser.moves() == ["h8", "i9"], "the game of the link")
        browser.js("location.hash = '%zz'")
        browser.told("The address has no game")


@test
def the_board_is_turned_and_mirrored():
    def corner():
        return browser.js("return document.querySelector('.points-row button').dataset.point")

    with program("--engine", stub()) as board, page(board.address) as browser:
        # On a narrow board the win rates have room beside each other.
        browser.js("document.querySelector('#board').style.maxHeight = '400px'")
        browser.new_game(width=8, height=22, black="person")
        browser.click("#tab-analysis")
        browser.click("#analyse")
        ends = "return ['b', 'i'].map(name => document.querySelector(`#bar ${name}`).getBoundingClientRect()).map(({ left, right }) => [left, right])"
        wait(lambda: browser.text("#bar b"), "the win rates")
        (_, end), (begin, _) = browser.js(ends)
        assert 0 < end < begin, (end, begin)
        browser.js("document.querySelector('#board').style.maxHeight = ''")
        browser.click("#analyse")
        browser.click("#tab-moves")
        browser.new_game(width=10, height=7, black="person")
        seen = []
        for _ in range(2):
            for _ in range(4):
                seen.append(corner())
                browser.click("#turn")
            browser.click("#mirror")
        assert seen == ["a7", "a1", "j1", "j7", "j7", "j1", "a1", "a7"], seen
        # A stone lies where its button is, whatever side the board is seen from.
        browser.play("b3")
        place = """const middle = element => {
                const box = element.getBoundingClientRect();
                return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
            };
            const stone = document.querySelector('.picture g.stone[data-point=b3] circle:last-of-type');
            const button = document.querySelector('[role=gridcell][data-point=b3]');
            return [middle(stone), middle(button)];"""
        for button in ["#turn", "#mirror", "#turn"]:
            browser.click(button)
            stone, cell = browser.js(place)
            assert all(abs(a - b) <= 1 for a, b in zip(stone, cell)), (button, stone, cell)
        # It is remembered, as the numbers are.
        browser.click("#numbers")
        before = corner()
        browser.go(board.address)
        assert corner() == before
        assert browser.js("return document.querySelector('#numbers').checked")


@test
def a_telephone_may_be_held_across():
    with (
        program("--engine", stub()) as board,
        page(board.address, width=740, height=340, phone=True) as browser,
    ):
        board_box, actions = browser.js(
            "return ['#board', '#actions'].map(id => { const box = document.querySelector(id).getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })"
        )
        assert board_box[3] <= 340, board_box
        assert actions[0] >= board_box[2] and actions[3] <= 340, (board_box, actions)
        assert browser.js("return document.documentElement.scrollWidth <= 740")
        browser.shot("telephone-across")
    # A narrow one in the language with the longest words.
    with (
        program("--engine", stub()) as board,
        page(board.address, width=568, height=320, phone=True, language="ru") as browser,
    ):
        for name in ["moves", "analysis", "review", "notes"]:
            browser.click(f"#tab-{name}")
            assert browser.js("return document.documentElement.scrollWidth <= 568"), name


@test
def a_large_screen_has_a_large_board():
    with program("--engine", stub()) as board, page(board.address, width=2560, height=1400) as browser:
        seen, room = browser.js("return [document.querySelector('.picture').getBoundingClientRect().height, innerHeight]")
        assert 0.85 * room < seen < room, (seen, room)


@test
def swap2_is_a_dialogue():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.new_game(opening="swap2", black="engine1", white="person")
        wait(lambda: len(browser.stones()) == 3, "the engine's three stones")
        browser.click("[data-choice=put_two]")
        browser.status("place a white stone")
        browser.play("a1", "a2")
        # The stub takes black; white, the person, moves.
        browser.status("Your move, white")
        assert browser.text("#black .who") == "Stub 1.0" and browser.text("#white .who") == "You"
        browser.new_game(opening="swap2", black="person", white="engine1")
        browser.play("h8", "h9", "h10")
        # The stub places two more.
        wait(lambda: len(browser.stones()) == 5, "two more stones")
        browser.click("[data-choice=white]")
        browser.status("Your move, white")
        browser.new_game(opening="swap2", black="person", white="person")
        browser.play("h8", "h9", "h10")
        browser.click("[data-choice=black]")
        browser.status("White to move")


@test
def soosorv_8_is_played_by_two_persons():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.click("#open-new")
        offered = "return [...document.querySelectorAll('[name=opening] option')].filter(each => !each.disabled).map(each => each.value)"
        assert browser.js(offered) == ["free", "swap2"]
        browser.fill(rule="renju", width=8)
        assert browser.js(offered) == ["free", "swap2"]
        browser.fill(width=15)
        assert browser.js(offered) == ["free", "swap2", "soosorv8", "taraguchi10"]
        browser.click("#new-dialog [value=cancel]")
        browser.new_game(rule="renju", opening="soosorv8", black="person", white="person")
        browser.status("Soosõrv-8: place stone 1 within the middle 1 × 1")
        browser.click("[data-point=a1][role=gridcell]")
        browser.told("does not allow")
        browser.play("h8", "i9", "j10")
        browser.status("choose a color")
        browser.click("[data-choice=black]")
        browser.status("place stone 4 anywhere")
        browser.play("k11")
        browser.status("how many fifth moves")
        numbers = "return [...document.querySelectorAll('#opening button')].map(each => each.innerText)"
        assert browser.js(numbers) == [str(number) for number in range(1, 9)]
        browser.click("[data-choice='2']")
        browser.status("fifth moves to be offered: 2")
        browser.click("[data-choice=black]")
        browser.status("missing: 2")
        browser.click("[data-point=g8][role=gridcell]")
        browser.status("missing: 1")
        browser.click("[data-point=h7][role=gridcell]")
        browser.told("symmetric")
        browser.click("[data-point=b2][role=gridcell]")
        browser.status("choose one of the fifth moves")
        assert sorted(browser.marks("ghost")) == ["b2", "g8"] and len(browser.stones()) == 4
        label = "return document.querySelector('[data-point=b2][role=gridcell]').getAttribute('aria-label')"
        assert browser.js(label) == "b2, offered"
        # The page is closed and opened again.
        browser.go(board.address)
        browser.status("choose one of the fifth moves")
        assert sorted(browser.marks("ghost")) == ["b2", "g8"]
        browser.shot("soosorv")
        browser.play("b2")
        browser.status("White to move")
        assert browser.marks("ghost") == [] and browser.stones()["b2"] == "black"
        saved = board.request("GET", f"/{board.token}/game.txt")[2].decode()
        assert saved.strip() == "h8i9j10k11b2", saved
        browser.play("a1")
        browser.click("#undo")
        wait(lambda: len(browser.stones()) == 5, "the sixth stone is taken back")
        browser.click("#undo")
        browser.told("no move of yours")


@test
def taraguchi_10_is_played_by_two_persons():
    with program("--engine", stub()) as board, page(board.address) as browser:
        for way in ["one", "ten"]:
            browser.new_game(rule="renju", opening="taraguchi10", black="person", white="person")
            for i, point in enumerate(["h8", "i9", "j10", "k11"]):
                side = 2 * i + 1
                browser.status(f"Taraguchi-10: place stone {i + 1} within the middle {side} × {side}")
                browser.play(point)
                browser.status("choose a color")
                if i < 3:
                    browser.click("[data-choice=white]" if i % 2 == 0 else "[data-choice=black]")
            if way == "one":
                browser.click("[data-choice=white]")
                browser.status("place stone 5 within the middle 9 × 9")
                browser.play("l12")
                browser.status("choose a color")
                browser.click("[data-choice=black]")
            else:
                browser.click("[data-choice='10']")
                points = [f"{letter}1" for letter in "abcdefghij"]
                for i, point in enumerate(points):
                    browser.status(f"missing: {10 - i}")
                    browser.click(f"[data-point={point}][role=gridcell]")
                browser.status("choose one of the fifth moves")
                browser.play("e1")
            browser.status("White to move")
            assert len(browser.moves()) == 5


@test
def an_engine_opens_by_the_rules_of_renju():
    with program() as board, page(board.address) as browser:
        for opening, black, white in [
            ("soosorv8", "engine1", "person"),
            ("soosorv8", "person", "engine1"),
            ("taraguchi10", "person", "engine1"),
            ("taraguchi10", "engine1", "engine1"),
        ]:
            browser.new_game(rule="renju", opening=opening, black=black, white=white, turn=0.3)
            # The engine of the game before may have moved while the dialog was open.
            browser.status("-8" if opening == "soosorv8" else "-10")
            asked = """const state = document.querySelector('#opening:not([hidden]) button');
                if (state) state.click();
                return [document.querySelector('#status').innerText, document.querySelector('.points').classList.contains('active')];"""
            # The person takes what is offered first, and places stones at random places.
            cells = [f"{letter}{row}" for row in (8, 9, 7, 10, 6) for letter in "hgijf"] * 2
            end = time.monotonic() + LONG
            while True:
                assert time.monotonic() < end, browser.text("#status")
                status, is_active = browser.js(asked)
                if "-8" not in status and "-10" not in status:
                    break
                if "choose one" in status and is_active:
                    browser.click(f"[data-point={browser.marks('ghost')[0]}][role=gridcell]")
                elif is_active and "place" in status:
                    number = len(browser.moves())
                    free = [cell for cell in cells if cell not in browser.stones()]
                    browser.click(f"[data-point={free[0] if number else 'h8'}][role=gridcell]")
                elif is_active and "missing" in status:
                    for cell in cells:
                        if "missing" in browser.text("#status") and cell not in browser.stones():
                            browser.click(f"[data-point={cell}][role=gridcell]")
                time.sleep(0.1)
            assert len(browser.moves()) >= 5, browser.moves()
            assert browser.moves()[0] == "h8"


@test
@needs_no_browser
def an_engine_without_analysis_opens_by_the_rules_of_renju():
    with program("--engine", stub("--plain")) as board:
        page = Listener(board)
        for opening, black, white in [("soosorv8", "engine1", "engine1"), ("taraguchi10", "engine1", "engine1")]:
            page.new_game(rule="renju", opening=opening, black=black, white=white, turn=100)
            wait(lambda: page.state["opening"] is None and len(page.moves()) > 5, "the end of the opening")
            stones = [(ord(move[0]) - 104, int(move[1:]) - 8) for move in page.moves()[:3]]
            assert all(max(abs(x), abs(y)) <= i for i, (x, y) in enumerate(stones)), stones
        assert page.faults == [], page.faults


@test
def each_of_two_engines_has_a_level():
    heard_by = [tempfile.mkdtemp(dir=states.name) for _ in range(2)]
    first, second = [stub("--name", f"Engine{i}", "--heard", folder) for i, folder in enumerate(heard_by)]
    sliders = "return ['level', 'level2', 'style', 'style2'].filter(name => document.querySelector(`[name=${name}]`).checkVisibility())"
    with program("--engine", first, "--engine", second) as board, page(board.address) as browser:
        browser.click("#open-new")
        assert browser.js(sliders) == ["level", "level2"]
        browser.fill(black="person")
        assert browser.js(sliders) == ["level"]
        browser.click("#new-dialog [value=cancel]")
        browser.new_game(black="engine1", white="engine2", level=30, level2=70, turn=0.1)
        browser.status("wins")
        assert browser.text("#black .who") == "Engine0 1.0, level 30"
        assert browser.text("#white .who") == "Engine1 1.0, level 70"
        for folder, level in zip(heard_by, [30, 70]):
            levels = {line for process in heard(folder) for line in process if "strength" in line}
            assert levels == {f"INFO strength {level}"}, levels
        browser.click("#open-new")
        shown = "return ['level', 'level2'].map(name => document.querySelector(`[name=${name}]`).value)"
        assert browser.js(shown) == ["30", "70"]
        labels = "return ['level', 'level2'].map(name => document.querySelector(`[name=${name}]`).closest('label').firstElementChild.innerText)"
        assert browser.js(labels) == ["Engine's level: Black", "Engine's level: White"]
        browser.click("#new-dialog [value=cancel]")
        # A person's engine has one.
        browser.new_game(black="person", white="engine2", level=40)
        wait(lambda: browser.text("#white .who") == "Engine1 1.0, level 40", "one level")
        assert board.command(do="undo") is not None
    with program() as board, page(board.address) as browser:
        browser.click("#open-new")
        assert browser.js(sliders) == ["level", "style"]
        browser.fill(black="engine1")
        assert browser.js(sliders) == ["level", "level2", "style", "style2"]
        browser.shot("levels")


@test
def positions_are_set_up_and_saved():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.call(
            "POST",
            "/goog/cdp/execute",
            {
                "cmd": "Browser.setDownloadBehavior",
                "params": {"behavior": "allow", "downloadPath": browser.folder},
            },
        )
        browser.click("#open-setup")
        for point in ["h8", "i9", "j10", "a1"]:
            browser.click(f"[data-point={point}][role=gridcell]")
        browser.click("[data-point=a1][role=gridcell]")
        browser.click("#setup [name=next][value=black]")
        browser.click("#setup-done")
        browser.status("Black to move")
        assert browser.stones() == {"h8": "black", "i9": "white", "j10": "black"}
        browser.play("k11")
        browser.click("#undo")
        # Copied moves have the stones of a position in which the colours take turns.
        browser.js(
            "navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }"
        )
        browser.click("#open-save")
        browser.click("#save-dialog [href$=txt]")
        browser.told("do not take turns")
        browser.js("document.querySelector('#toasts').replaceChildren()")
        browser.click("#copy-text")
        browser.told("do not take turns")
        browser.click("#open-setup")
        browser.click("[data-point=j10][role=gridcell]")
        browser.click("#setup-done")
        browser.status("Black to move")
        browser.play("k11")
        browser.click("#open-save")
        browser.click("#copy-text")
        wait(lambda: browser.js("return window.copied") == "h8i9k11", "the moves are copied")
        # Arrows choose among the buttons, and change nothing behind them.
        browser.load("(;GM[4]SZ[15];B[hh](;W[ii])(;W[gg]))")
        browser.click("#open-setup")
        chosen = "return document.activeElement.value"
        assert browser.js(chosen) == "turns"
        for arrow, value in [("right", "none"), ("left", "turns"), ("up", "white"), ("down", "turns")]:
            browser.keys(ARROWS[arrow])
            assert browser.js(chosen) == value, (arrow, browser.js(chosen))
        browser.click("#open-setup")
        assert browser.moves() == ["h8", "i7"]
        # Another game takes the place of a position that is being set up.
        browser.click("#open-setup")
        browser.new_game()
        wait(lambda: browser.js("return document.querySelector('#setup').hidden"), "the setting up ends")
        assert browser.stones() == {}
        browser.load("h8 i9 h10 i10")
        for kind, part in {"psq": "Piskvorky 15x15", "sgf": ";B[hh]", "txt": "h8i9h10i10"}.items():
            browser.click("#open-save")
            browser.click(f"#save-dialog [href$={kind}]")
            file = Path(browser.folder, f"game.{kind}")
            wait(lambda: file.exists() and part in file.read_text(), f"the {kind} file")
            browser.click("#save-dialog [value=cancel]")
            browser.load(file.read_text())
            assert browser.moves() == ["h8", "i9", "h10", "i10"], kind
        browser.click("#open-save")
        for kind, beginning in {"svg": b"<?xml", "png": b"\x89PNG"}.items():
            browser.click(f"#save-{kind}")
            file = Path(browser.folder, f"board.{kind}")
            wait(lambda: file.exists() and file.read_bytes().startswith(beginning), f"the {kind} picture")
        text = Path(browser.folder, "board.svg").read_text()
        assert "class=" not in text and text.count("data-color") == 4 and "rgb" in text
        if options.shots:
            shutil.copy(Path(browser.folder, "board.png"), options.shots)
        browser.click("#save-dialog [value=cancel]")
        browser.click("#open-load")
        browser.js("document.querySelector('#load-dialog [name=text]').value = 'no game'")
        browser.click("#load-dialog [value=load]")
        browser.told("No game can be read")


@test
def a_game_that_is_not_saved_is_not_replaced_unasked():
    with program("--engine", stub()) as board, page(board.address) as browser:
        browser.js("window.confirm = text => { window.asked = text; return false; }")
        browser.js("navigator.clipboard.writeText = () => Promise.resolve()")

        def replace(how):
            """Tries to replace the game, and returns true if the page asked before."""
            browser.js("delete window.asked")
            if how == "new":
                browser.click("#open-new")
                browser.click("#new-dialog [value=new]")
            elif how == "load":
                browser.click("#open-load")
                browser.js("document.querySelector('#load-dialog [name=text]').value = 'h8 i9 h10'")
                browser.click("#load-dialog [value=load]")
            else:
                browser.click("#open-setup")
                browser.click("[data-point=a1][role=gridcell]")
                browser.click("#setup-done")
            asked = "return window.asked !== undefined"
            wait(lambda: browser.js(asked) or browser.moves() != before, f"{how} asks or replaces")
            browser.js("document.querySelector('#setup').hidden || document.querySelector('#open-setup').click()")
            browser.js("for (const dialog of document.querySelectorAll('dialog')) dialog.close()")
            return browser.js(asked)

        browser.new_game(white="person")
        browser.status("Black to move")
        for how, moves in {"new": ["h8", "i9"], "set up": ["h8", "i9"], "load": ["c5", "d6"]}.items():
            browser.play(*moves)
            before = browser.moves()
            assert replace(how), how
            # Moves that are copied are no file, and what is taken back is still there.
            browser.click("#open-save")
            browser.click("#copy-text")
            browser.told("copied")
            browser.click("#undo")
            assert replace(how) and browser.moves() == before, how
            browser.click("#redo")
            assert board.request("GET", f"/{board.token}/game.sgf")[0] == 200
            wait(lambda: not replace(how), f"{how} takes the place of a saved game")
        # A game as it was opened is no loss.
        before = browser.moves()
        assert not replace("set up")


@test
@needs_no_browser
def a_game_goes_on_when_the_program_is_started_again():
    state = tempfile.mkdtemp(dir=states.name)
    with program("--engine", stub(), state=state) as board:
        page = Listener(board)
        page.new_game(rule="renju", level=[70, 70], style=[20, 20])
        page.play("h8")
        before = page.moves()
        page.close()
        assert board.process.wait(LONG) == 0
    kept = Path(state, "tengen", "board.json")
    with program("--engine", stub(), state=state) as board:
        page = Listener(board)
        assert page.moves() == before and page.state["unsaved"] and not page.state["running"]
        assert page.state["rule"] == "renju" and page.state["settings"]["level"] == [70, 70]
        assert page.state["settings"]["style"] == [20, 20]
        page.do("run", on=True, seen=page.state["id"])
        page.play("a1")
        wait(lambda: "B[ao]" in kept.read_text(), "the move is kept")
        # Steps do not wait for a large game to be kept.
        number = kept.stat().st_ino
        for ply in range(3):
            page.do("show", ply=ply)
        assert kept.stat().st_ino == number
        wait(lambda: kept.stat().st_ino != number, "the last step is kept")
        text = kept.read_text()
        board.process.kill()
    # A file that is looked at leaves what was kept, one that is played on does not.
    game = Path(state, "game.sgf")
    game.write_text("(;GM[4]SZ[15];B[hh];W[hi])")
    with program("--engine", stub(), str(game), state=state) as board:
        page = Listener(board)
        page.do("show", ply=1)
        wait(lambda: page.state["shown"] == 1, "the first move")
        assert kept.read_text() == text
        page.place("o15")
        # Also if it is saved at once.
        board.request("GET", f"/{board.token}/game.sgf")
        wait(lambda: kept.read_text() != text, "the other game is kept")
    kept.write_text("{}")
    with program("--engine", stub(), state=state) as board:
        assert Listener(board).moves() == []


@test
def clocks_run_out():
    with program("--engine", stub()) as board, page(board.address) as browser:
        # Six seconds, in which a slow machine finds the clock and plays.
        browser.new_game(game=0.1)
        wait(lambda: browser.text("#black .clock") != "", "a clock")
        browser.play("h8")
        browser.status("White wins on time")
        assert len(browser.moves()) == 2
        browser.new_game(game=0)
        browser.play("h8")
        browser.click("#resign")
        browser.status("White wins: black has resigned")


@test
@needs_no_browser
def an_engine_is_not_timed_while_it_starts():
    # It takes longer to start than the whole game may take.
    with program("--engine", stub("--start", 8)) as board:
        page = Listener(board)
        page.new_game(black="engine1", white="person", game=6_000)
        wait(lambda: len(page.moves()) == 1, "its first move")
        assert page.state["players"][0]["left"] > 3_000 and not page.state["over"], page.state


@test
def two_engines_play_each_other():
    engines = [stub("--name", "First"), stub("--name", "Second", "--plain", "--delay", "0.05")]
    with program("--engine", engines[0], "--engine", engines[1]) as board, page(board.address) as browser:
        browser.click("#run")
        browser.status("wins by five")
        assert browser.text("#black .who") == "First 1.0" and browser.text("#white .who") == "Second 1.0"
        assert len(browser.moves()) >= 9
        # From a position in the middle they play on, and the rest stays as a variation.
        browser.click("#list li:nth-child(4) button")
        browser.status("Move 4")
        browser.click("#run")
        browser.status("Paused at move 4")
        browser.js("window.confirm = () => { throw new Error('asked'); }")
        browser.click("#run")
        browser.status("wins by five")


@test
def a_match_of_two_engines_has_a_score():
    # Slow enough to be paused in the midst of a game.
    engines = [stub("--name", name, "--delay", "0.15") for name in ("First", "Second")]
    with program("--engine", engines[0], "--engine", engines[1], "--stay") as board:
        with page(board.address) as browser:
            browser.click("#open-new")
            seats = "for (const name of ['black', 'white']) { const seat = document.querySelector(`[name=${name}]`); seat.value = name === 'black' ? 'engine1' : arguments[0]; seat.dispatchEvent(new Event('change')); }"
            is_offered = "return document.querySelector('[name=games]').checkVisibility()"
            browser.js(seats, "person")
            assert not browser.js(is_offered)
            browser.js(seats, "engine2")
            assert browser.js(is_offered)
            browser.click("#new-dialog [value=cancel]")
            browser.new_game(black="engine1", white="engine2", games=2)
            first = r"First 1.0 \S+ – \S+ Second 1.0, game 1 of 2"
            wait(lambda: re.fullmatch(first, browser.text("#score")), "the score of the first game")
            browser.status("wins")
            wait(lambda: "game 2 of 2" in browser.text("#score"), "the second game")
            assert browser.text("#black .who") == "Second 1.0"
            browser.click("#run")
            score = browser.text("#score")
        with page(board.address) as browser:
            assert browser.text("#score") == score
            if browser.text("#run") == "Continue":
                browser.click("#run")
            browser.status("wins")

            def points():
                found = re.fullmatch(r"First 1.0 (\S+) – (\S+) Second 1.0, game 2 of 2", browser.text("#score"))
                return sum(float(points.replace("½", ".5")) for points in found.groups())

            wait(lambda: points() == 2, "the points of two games")


# Tones instead of sounds, by their frequencies.
TONES = """window.tones = [];
    const node = () => ({ connect: other => other, start() {}, stop() {}, gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
        frequency: { set value(value) { tones.push(value); } } });
    window.AudioContext = class { createOscillator = node; createGain = node; resume() {} };"""


@test
def stones_of_others_are_heard_on_request():
    with program("--engine", stub()) as board, page(board.address) as browser:
        tones = "return tones"
        browser.js(TONES)
        browser.play("h8")
        wait(lambda: len(browser.moves()) == 2, "the answer")
        assert browser.js(tones) == []
        browser.click("#open-help")
        browser.click("#sounds")
        browser.click("#help-dialog [value=cancel]")
        browser.play("h7")
        wait(lambda: len(browser.js(tones)) == 1, "the click of the answer")
        browser.click("#previous")
        browser.click("#next")
        browser.go(board.address)
        browser.js(TONES)
        assert browser.js("return document.querySelector('#sounds').checked")
        browser.play("h6", "h5")
        wait(lambda: len(browser.moves()) == 8, "the answers")
        assert len(browser.js(tones)) == 2 and len(set(browser.js(tones))) == 1
        browser.play("h4")
        wait(lambda: len(browser.js(tones)) == 3, "the end")
        assert len(set(browser.js(tones))) == 2
        browser.load("h8 h9")
        board.command(do="show", ply=1)
        browser.status("move 1")
        assert len(browser.js(tones)) == 3


@test
def other_engines_can_be_driven():
    if not options.engine:
        return "no --engine"
    with program("--engine", options.engine) as board, page(board.address) as browser:
        browser.new_game(turn=0.5)
        browser.play("h8")
        wait(lambda: len(browser.moves()) == 2, "the answer")
        browser.click("#tab-analysis")
        browser.click("#analyse")
        wait(lambda: browser.marks("candidate"), "the analysis")
        browser.click("#analyse")
        browser.load(GAME)
        browser.click("#tab-review")
        browser.js("document.querySelector('#pace').value = '200'")
        browser.click("#look")
        wait(
            lambda: browser.js("return document.querySelectorAll('.strip').length") == 19, "the curve begins"
        )
        wait(lambda: browser.js("return document.querySelector('#progress').hidden"), "the end of the review")
        browser.shot("other-engine")


@test
@alone
def moves_are_answered_at_once():
    with program("--engine", stub()) as board, page(board.address) as browser:
        # From the click to the engine's stone on the page; the stub takes no time to think.
        code = """const done = arguments[1], button = document.querySelector(`[data-point=${arguments[0]}][role=gridcell]`);
            const begin = performance.now(), count = document.querySelectorAll(".picture g.stone").length;
            const watch = new MutationObserver(() => {
                if (document.querySelectorAll(".picture g.stone").length < count + 2) return;
                watch.disconnect();
                done(performance.now() - begin);
            });
            watch.observe(document.querySelector(".picture"), { childList: true, subtree: true });
            button.click();"""
        times = []
        for _ in range(5):
            browser.new_game()
            for point in ["a15", "c15", "e15", "g15"]:
                times.append(browser.call("POST", "/execute/async", {"script": code, "args": [point]}))
        text = (
            f"first {times[0]:.0f} ms, median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms"
        )
        assert statistics.median(times) < ANSWER_MS, text
        return text


@test
def strangers_stay_outside():
    with program("--engine", stub()) as board, page(board.address) as browser:
        origin = {"Origin": f"http://{board.host}"}
        home = f"/{board.token}/"
        for status, method, path, body, headers in [
            (200, "GET", home, None, {}),
            (404, "GET", "/", None, {}),
            (404, "GET", "/" + "0" * 32 + "/", None, {}),
            (404, "GET", home + "../Cargo.toml", None, {}),
            (404, "GET", home + "%2e%2e%2fCargo.toml", None, {}),
            (404, "GET", home + "game.exe", None, {}),
            (405, "PUT", home, b"", origin),
            (405, "POST", home + "events", b"{}", origin),
            (426, "GET", home + "events", None, origin),
            (403, "GET", home + "events", None, {}),
            (421, "GET", home, None, {"Host": "evil.example"}),
            (403, "GET", home + "events", None, {"Origin": "http://evil.example"}),
            (403, "GET", home + "events", None, {**origin, "Sec-Fetch-Site": "cross-site"}),
        ]:
            found, answer, _ = board.request(method, path, body, **headers)
            assert found == status, (status, found, method, path, headers)
            assert "default-src 'none'" in answer["Content-Security-Policy"], path
        for status, headers in [(101, {}), (403, {"Origin": "http://evil.example"}), (403, {"Origin": "null"})]:
            assert Socket(board, **headers).status == status, headers
        # What is no command, and too much, changes nothing.
        for text in ["{}", "x", '{"number": 1, "command": {"do": "fly"}}']:
            stranger = Socket(board)
            stranger.send(text)
            refusal = next(each for each in stranger.texts() if each["event"] == "answer")["value"]["refusal"]
            assert refusal, text
        stranger = Socket(board)
        stranger.connection.sendall(bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 30) + bytes(4))
        try:
            assert all(each["event"] != "answer" for each in stranger.texts())
        except ConnectionResetError:
            pass
        # Many pages are open at once.
        pages = [Listener(board) for _ in range(20)]
        assert all(each.newest["state"] for each in pages)
        assert pages[-1].refusal("redo")
        # The loopback address alone.
        port = int(board.host.split(":")[1])
        for family, address in {
            (entry[0], entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), port)
        }:
            if address.startswith("127.") or address == "::1":
                continue
            with socket.socket(family) as stranger:
                stranger.settimeout(2)
                assert stranger.connect_ex((address, port)) != 0, address


@test
def nothing_is_left_behind():
    for how in ["interrupt", "close", "kill"]:
        board = Program("--engine", stub("--delay", 30))
        browser = Browser(board.address)
        browser.play("h8")
        browser.click("#tab-analysis")
        browser.click("#analyse")
        children = wait(lambda: len(board.children()) >= 2 and board.children(), "two engines")
        if how == "interrupt":
            board.process.send_signal(signal.SIGINT)
        elif how == "kill":
            board.process.kill()
        else:
            # It waits for nobody to save the game.
            board.request("GET", f"/{board.token}/game.sgf")
            browser.close()
        code = board.process.wait(LONG)
        assert code == (-signal.SIGKILL if how == "kill" else 0), code
        wait(
            lambda: not any(Path(f"/proc/{child}").exists() for child in children),
            f"the engines are gone after {how}",
        )
        if how != "close":
            wait(lambda: "does not answer" in browser.text("#lost"), "the page says so")
            browser.close()


LONG_GAME = "h8i7j9j8k9i9i10h11k7l8k10k8m8j11l11m12m10h7k12n9l10j10k11k13m9j12m7m11m6"


@contextmanager
def served(folder):
    """Serves a folder of files, and gives its address and a function that stops that."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=folder)

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def stop():
        server.shutdown()
        server.server_close()

    try:
        yield f"http://127.0.0.1:{server.server_port}/", stop
    finally:
        stop()


@test
def the_page_plays_without_a_program():
    if not options.web:
        return "no --web"
    with served(options.web) as (address, stop), page(address) as browser:
        # The worker that keeps the files lets memory be shared from the second load on.
        wait(lambda: browser.js("return navigator.serviceWorker.controller !== null"), "the service worker")
        browser.go(address)
        assert browser.js("return crossOriginIsolated")
        browser.new_game(turn=1)
        browser.play("h8")
        wait(lambda: len(browser.moves()) == 2, "the engine's answer")
        browser.click("#tab-analysis")
        browser.click("#analyse")
        wait(lambda: len(browser.marks("candidate")) == 3, "three lines")
        browser.click("#analyse")
        wait(lambda: browser.text("#analyse") == "Analyse", "the end of the analysis")
        assert len(browser.marks("candidate")) == 3
        browser.click("#tab-review")
        browser.js("document.querySelector('#pace').value = '200'")
        browser.click("#look")
        wait(lambda: "Review again" in browser.text("#look"), "the end of the review")
        # What the browser has kept may be damaged. A game that a link opens is kept.
        browser.js("localStorage.setItem('tengen-kept', '{')")
        browser.go(address)
        assert browser.moves() == []
        browser.go("about:blank", is_page=False)
        browser.go(address + "#h8i9j10")
        wait(lambda: len(browser.moves()) == 3, "the game of the link")
        browser.go(address)
        assert len(browser.moves()) == 3, browser.moves()
        # An engine whose workers fail is tried three times.
        browser.js("""Worker.prototype.postMessage = function({ lines, number }) {
            if (lines) setTimeout(() => this.onmessage({ data: { number, fault: "out of memory" } }));
        }""")
        browser.new_game(turn=1)
        browser.play("h8")
        browser.status("Paused")
        said = browser.js("return document.querySelector('#said').textContent")
        assert "(out of memory); it was tried three times" in said, said
        browser.go(address)
        browser.new_game(turn=1)
        browser.play("h8")
        wait(lambda: len(browser.moves()) == 2, "the answer of a worker that does not fail")
        moves = browser.moves()
        # Without a network the page is there, with its game.
        stop()
        browser.go(address)
        assert browser.moves() == moves, (browser.moves(), moves)
        browser.new_game(turn=1, rule="renju", width=12, height=12)
        browser.play("f6")
        wait(lambda: len(browser.moves()) == 2, "an answer without a network")
        signature = Path(__file__).parents[2].joinpath("tests/bench_signature.txt").read_text().strip()
        browser.js("""window.bench = null;
            const worker = new Worker("worker.js", { type: "module" });
            worker.onmessage = ({ data }) => { window.bench = data.bench; };
            WebAssembly.compileStreaming(fetch("tengen.wasm")).then(module => {
                worker.postMessage({ module, ended: null });
                worker.postMessage({ bench: true });
            });""")
        wait(lambda: browser.js("return window.bench"), "the bench", 300)
        bench = browser.js("return window.bench").splitlines()[-1]
        assert bench.startswith(f"Bench: {signature} nodes"), bench
        browser.shot("static")
        return bench


TREE = """(;GM[4]SZ[15]PB[Ann]PW[Ben];B[hh];W[ih];B[ij](;W[hj];B[gi];W[kh](;B[jh];W[gj])(;B[hi]))
    (;W[ii]C[White blocks at once. If black answers g6, white plays A.]LB[hi:A]TR[ij]CR[hh](;B[gj];W[hi])(;B[jf]))
    (;W[jg]C[Too far away.]MA[jg]))"""


@test
def pictures_are_taken():
    """The pictures of the documentation, which people look at."""
    if not options.shots:
        return "no --shots"
    with program() as board:
        with page(board.address, height=900) as browser:
            browser.load(LONG_GAME)
            board.command(do="show", ply=5)
            browser.status("move 5")
            browser.click("#tab-analysis")
            browser.js("document.querySelector('#lines').value = '5'")
            browser.click("#analyse")
            wait(lambda: len(browser.marks("candidate")) == 5, "five lines")
            time.sleep(3)
            browser.shot("analysis")
            browser.click("#analyse")
        with page(board.address, height=900) as browser:
            board.command(do="load", text=TREE, file=None)
            wait(lambda: len(browser.moves()) == 8, "the tree")
            browser.click("#list .branch")
            wait(lambda: "White blocks" in browser.js("return document.querySelector('#comment').value"), "the note")
            browser.shot("tree")
        with page(board.address, height=900, dark=True) as browser:
            browser.load(GAME)
            browser.click("#tab-review")
            browser.js("document.querySelector('#pace').value = '500'")
            browser.click("#look")
            wait(lambda: "Review again" in browser.text("#look"), "the end of the review")
            board.command(do="show", ply=9)
            browser.status("move 9")
            browser.shot("review-dark")


def run(function):
    """Runs a test and says how it ended. Returns its name, and whether it passed."""
    name, begin = function.__name__, time.monotonic()
    try:
        note = function()
        words = f"ok      {name} ({time.monotonic() - begin:.1f} s){': ' + note if note else ''}"
    except Exception:
        words = f"FAILED  {name}\n{traceback.format_exc()}"
    print(words, flush=True)
    return name, words.startswith("ok")


def main():
    missing = [] if any(map(shutil.which, CHROMIUM)) else ["chromium"]
    missing += [] if shutil.which("chromedriver") else ["chromedriver"]
    if options.shots:
        Path(options.shots).mkdir(parents=True, exist_ok=True)
    global driver, states
    states = tempfile.TemporaryDirectory(prefix="board-test-")
    driver = None if missing else Driver()
    tests = [function for function in TESTS if not options.only or function.__name__ in options.only]
    if missing:
        tests = [function for function in tests if not getattr(function, "needs_browser", True)]
    single = [function for function in tests if hasattr(function, "is_alone")]
    try:
        # The longest tests begin first: they stand at the end of this file.
        with ThreadPoolExecutor(options.jobs) as pool:
            others = (function for function in reversed(tests) if function not in single)
            results = list(pool.map(run, others))
        results += map(run, single)
    finally:
        if driver:
            driver.end()
    failed = [name for name, is_passed in results if not is_passed]
    if failed:
        sys.exit(f"board_test: {len(failed)} failed: {' '.join(failed)}")
    if missing:
        print(
            f"board_test: {' and '.join(missing)} missing, the board was not tried in a browser",
            file=sys.stderr,
        )
        sys.exit(77)
    print("board_test: everything is fine")


parser = argparse.ArgumentParser()
parser.add_argument("tengen")
parser.add_argument("--only", nargs="+", choices=[function.__name__ for function in TESTS], metavar="NAME")
parser.add_argument("--engine")
parser.add_argument("--shots")
parser.add_argument("--web", help="the folder of scripts/web.sh")
parser.add_argument("--jobs", type=int, default=3)
options = parser.parse_args()
if __name__ == "__main__":
    main()
