// The link with the program: events come, commands go.

import { say } from "./words.js";

/** True in the page of a finished review, where no program answers: see report.js. */
export const isReport = false;

/** How long after a lost connection another one is tried, in milliseconds. */
const PAUSE = 2_000;

const silence = { word: "text", text: say("silent") };
const listeners = [];
let socket = null;
/** Who waits for the answer to the command of a number. */
const waiting = new Map();
let number = 0;

/** Calls back with what the program says that is no answer: why it refuses, or that it has gone. */
export function onTrouble(listener) {
  listeners.push(listener);
}

function trouble(kind, saying) {
  listeners.forEach(listener => listener(kind, saying));
}

/** Listens to the program. `handlers` has a function for each kind of event. */
export function listen(handlers) {
  const address = new URL("events", location.href);
  address.protocol = "ws:";
  connect(address, { ...handlers, answer });
  // A page in the browser's store of visited pages would count as one that is open.
  addEventListener("pagehide", () => {
    socket.onclose = null;
    socket.close();
  });
  addEventListener("pageshow", event => event.persisted && location.reload());
}

function connect(address, handlers) {
  socket = new WebSocket(address);
  socket.onopen = () => trouble("found");
  socket.onmessage = ({ data }) => {
    const { event, value } = JSON.parse(data);
    handlers[event](value);
  };
  socket.onclose = () => {
    trouble("lost");
    for (const [asked] of waiting) answer({ number: asked, refusal: silence });
    setTimeout(() => connect(address, handlers), PAUSE);
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
  if (refusal) trouble("refused", refusal);
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
