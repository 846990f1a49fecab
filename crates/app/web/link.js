// The link with the program: events come, commands go.

import { say } from "./words.js";

/** True in the page of a finished review, where no program answers: see report.js. */
export const isReport = false;

/** How long after a lost connection another one is tried, in milliseconds. */
const PAUSE = 2_000;

const silence = { word: "text", text: say("silent") };
let socket = null;
/** Who waits for the answer to the command of a number. */
const waiting = new Map();
let number = 0;
let handlers = {};

/**
 * Listens to the program. `handlers` has a function for each kind of event, and `trouble` for why a command is refused, or
 * that the program has gone or come back.
 */
export function listen(newest) {
  handlers = { ...newest, answer };
  connect();
  // A page in the browser's store of visited pages would count as one that is open.
  addEventListener("pagehide", () => {
    socket.onclose = null;
    socket.close();
  });
  addEventListener("pageshow", event => event.persisted && location.reload());
}

function connect() {
  const address = new URL("events", location.href);
  address.protocol = "ws:";
  socket = new WebSocket(address);
  socket.onopen = () => handlers.trouble("found");
  socket.onmessage = ({ data }) => {
    const { event, value } = JSON.parse(data);
    handlers[event](value);
  };
  socket.onclose = () => {
    handlers.trouble("lost");
    for (const [asked] of waiting) answer({ number: asked, refusal: silence });
    setTimeout(connect, PAUSE);
  };
}

function answer({ number: asked, refusal }) {
  waiting.get(asked)?.(refusal);
  waiting.delete(asked);
}

/** Sends a command, and returns true if it was carried out. */
export async function send(command) {
  const refusal = await new Promise(resolve => {
    if (socket.readyState !== WebSocket.OPEN) return resolve(silence);
    waiting.set(++number, resolve);
    socket.send(JSON.stringify({ number, command }));
  });
  if (refusal) handlers.trouble("refused", refusal);
  return !refusal;
}

/** Returns a file of the game. If the program refuses it, throws an error that says why. */
export async function fetchFile(name) {
  const answer = await fetch(name).catch(() => {
    throw new Error(silence.text);
  });
  if (answer.ok) return answer.blob();
  throw new Error((await answer.text()) || say("answered", { status: answer.status }));
}
