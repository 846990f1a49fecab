// The link with a session in the page itself, whose engines run in workers: in the place of link.js where no program serves
// the page. A game is kept by the browser until another one takes its place.

import { start, textOf } from "./wasm.js";

export const isReport = false;

const KEPT = "tengen-game";
/** How often the session is told that time passes. */
const TICK = 100;

const listeners = [];
const workers = new Map();
let module = null;
let call = null;
let handlers = {};

/** Calls back with each text of the session that is no answer. */
export function onTrouble(listener) {
  listeners.push(listener);
}

/** Starts the session. `handlers` has a function for each kind of event. */
export async function listen(newest) {
  handlers = newest;
  module = await WebAssembly.compileStreaming(fetch("tengen.wasm"));
  call = await start(module);
  take(ask({ open: localStorage.getItem(KEPT) }));
  setInterval(() => take(ask("time")), TICK);
  navigator.serviceWorker?.register("sw.js");
}

/** Sends a command, and returns true if it was carried out. */
export async function send(command) {
  const { refusal } = take(ask({ command }));
  if (refusal) listeners.forEach(listener => listener("refused", refusal));
  return !refusal;
}

/** Returns a file of the game. If the session refuses it, throws an error that says why. */
export async function fetchFile(name) {
  const bytes = call("file", name);
  const { refusal } = take(ask("time"));
  if (refusal) throw new Error(refusal);
  return new Blob([bytes]);
}

const ask = request => JSON.parse(textOf(call("page", JSON.stringify(request))));

/** Does what the session wants, and shows what has changed. */
function take(answer) {
  answer.orders.forEach(carryOut);
  for (const name of ["state", "review", "thoughts"]) if (answer[name]) handlers[name](answer[name]);
  answer.notes.forEach(note => handlers.note(note));
  if (answer.game) localStorage.setItem(KEPT, answer.game);
  return answer;
}

function carryOut({ role, number, lines, stop, end }) {
  if (lines) workerOf(role).ask(number, lines);
  if (stop) workers.get(role)?.stop(stop);
  if (end) {
    workers.get(role)?.worker.terminate();
    workers.delete(role);
  }
}

function workerOf(role) {
  if (!workers.has(role)) workers.set(role, startWorker(role));
  return workers.get(role);
}

function startWorker(role) {
  const worker = new Worker("worker.js", { type: "module" });
  // Where memory can be shared a search hears that it is to end; elsewhere its worker ends, and the next one knows nothing.
  const ended = self.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  worker.onmessage = ({ data: { number, line } }) => take(ask({ reply: { role, number, line } }));
  worker.postMessage({ module, ended });
  return {
    worker,
    ask: (number, lines) => worker.postMessage({ number, lines }),
    stop: number => {
      if (ended) return void Atomics.store(ended, 0, number);
      worker.terminate();
      workers.delete(role);
      take(ask({ stopped: { role, number } }));
    },
  };
}
