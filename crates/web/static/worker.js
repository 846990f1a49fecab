// An engine in a worker: lines of the Gomocup protocol come in, its replies go out.

import { start } from "./wasm.js";

let call = null;
/** The number of the last request that is to end, in memory that the page shares, where it may. */
let ended = null;
let number = 0;

onmessage = async ({ data }) => {
  if (data.module) {
    ended = data.ended;
    call = start(data.module, {
      tell: line => postMessage({ number, line }),
      stopped: () => ended !== null && Atomics.load(ended, 0) >= number,
    });
    return;
  }
  const execute = await call;
  number = data.number;
  for (const line of data.lines) execute("engine", line);
};
