// The link with the program: events come, commands go.

/** True in the page of a finished review, where no program answers: see report.js. */
export const isReport = false;

const SILENCE = "The program does not answer.";

const listeners = [];

/** Calls back with each text of the program that is no answer: a refusal, or that it has gone. */
export function onTrouble(listener) {
  listeners.push(listener);
}

function trouble(kind, text) {
  listeners.forEach(listener => listener(kind, text));
}

/** Listens to the program. `handlers` has a function for each kind of event. */
export function listen(handlers) {
  const events = new EventSource("events");
  for (const [name, handler] of Object.entries(handlers)) {
    events.addEventListener(name, event => handler(JSON.parse(event.data)));
  }
  events.addEventListener("open", () => trouble("found", ""));
  events.addEventListener("error", () => trouble("lost", "The program does not answer. It may have ended: start tengen board again."));
  // A page in the browser's store of visited pages would count as one that is open.
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", event => event.persisted && location.reload());
}

/** Sends a command, and returns true if it was carried out. */
export async function send(command) {
  try {
    const answer = await fetch("command", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(command),
    });
    if (answer.ok) return true;
    trouble("refused", await refusal(answer));
  } catch {
    trouble("refused", SILENCE);
  }
  return false;
}

/** Returns a file of the game. If the program refuses it, throws an error that says why. */
export async function fetchFile(name) {
  const answer = await fetch(name).catch(() => {
    throw new Error(SILENCE);
  });
  if (answer.ok) return answer.blob();
  throw new Error(await refusal(answer));
}

const refusal = async answer => (await answer.text()) || `The program refuses: ${answer.status} ${answer.statusText}`;
