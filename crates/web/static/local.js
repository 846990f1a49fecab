// The link with a session in the page itself, whose engines run in workers: in the place of link.js where no program serves
// the page. A game is kept by the browser until another one takes its place.

import { start, textOf } from "./wasm.js";

export const isReport = false;

const KEPT = "tengen-kept";
const workers = new Map();
let module = null;
let call = null;
let handlers = {};
let timer = 0;

/**
 * Starts the session, with the game and the settings that the browser has kept. `handlers` has a function for each kind of
 * event, and `trouble` for why a command is refused.
 */
export async function listen(newest) {
  handlers = newest;
  // Compiled from its bytes, since not every server knows its media type.
  module = await WebAssembly.compile(await (await fetch("tengen.wasm")).arrayBuffer());
  call = await start(module);
  const [seed] = crypto.getRandomValues(new Uint32Array(1));
  // Where memory can be shared a worker hears that its search is to end. Elsewhere it ends, and the next one knows nothing.
  take(ask({ open: { kept: keptGame(), seed, can_stop: Boolean(self.crossOriginIsolated) } }));
  navigator.serviceWorker?.register("sw.js");
}

/** Returns the game that the browser has kept: none without a store, or if its text is damaged. */
function keptGame() {
  try {
    return JSON.parse(localStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

/** Sends a command, and returns true if it was carried out. */
export async function send(command) {
  // What an answer shows may send the next command, whose answer must come after this one.
  await null;
  const { refusal } = take(ask({ command }));
  if (refusal) handlers.trouble("refused", refusal);
  return !refusal;
}

/** Returns a file of the game. If the session refuses it, throws an error that says why. */
export async function fetchFile(name) {
  const [isFile, ...bytes] = call("file", name);
  if (!isFile) throw new Error(textOf(new Uint8Array(bytes)));
  take(ask("time"));
  return new Blob([new Uint8Array(bytes)]);
}

const ask = request => JSON.parse(textOf(call("page", JSON.stringify(request))));

/** Does what the session wants, and shows what has changed. */
function take(answer) {
  answer.orders.forEach(carryOut);
  for (const name of ["state", "review", "thoughts"]) if (answer[name]) handlers[name](answer[name]);
  answer.notes.forEach(note => handlers.note(note));
  try {
    // Of a game that is too large for the browser's store nothing is kept, nor of the one before.
    if (answer.kept) localStorage.removeItem(KEPT);
    if (answer.kept) localStorage.setItem(KEPT, JSON.stringify(answer.kept));
  } catch {}
  clearTimeout(timer);
  if (answer.deadline !== null) timer = setTimeout(() => take(ask("time")), answer.deadline);
  return answer;
}

function carryOut({ ask: request, stop, end }) {
  // Roles are objects, and each message has new ones.
  const key = JSON.stringify((request ?? stop ?? end).role);
  if (request && !workers.has(key)) workers.set(key, startWorker());
  const worker = workers.get(key);
  if (request) worker.ask(request);
  if (stop) worker?.stop(stop.number);
  if (end) {
    worker?.end();
    workers.delete(key);
  }
}

function startWorker() {
  const worker = new Worker("worker.js", { type: "module" });
  const ended = self.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
  let asked = null;
  worker.onmessage = ({ data: { number, line, fault } }) => {
    const { role } = asked;
    take(ask(fault ? { fault: { role, number, text: fault } } : { reply: { role, number, line } }));
  };
  worker.onerror = ({ message }) => take(ask({ fault: { role: asked.role, number: asked.number, text: message ?? "" } }));
  worker.postMessage({ module, ended });
  return {
    ask: request => {
      asked = request;
      worker.postMessage(request);
    },
    stop: number => Atomics.store(ended, 0, number),
    end: () => worker.terminate(),
  };
}
