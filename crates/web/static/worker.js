// An engine in a worker: lines of the Gomocup protocol come in, its replies go out.

import { start, textOf } from "./wasm.js";

let call = null;
let number = 0;

onmessage = ({ data }) => execute(data).catch(error => postMessage({ number: data.number, fault: String(error) }));

async function execute(data) {
  if (data.module) {
    const { module, ended } = data;
    call = start(module, {
      tell: line => postMessage({ number, line }),
      // The number of the last request that is to end, in memory that the page shares, where it may.
      stopped: () => ended !== null && Atomics.load(ended, 0) >= number,
    });
    return;
  }
  const engine = await call;
  if (data.bench) return postMessage({ bench: textOf(engine("bench")) });
  number = data.number;
  for (const line of data.lines) engine("engine", line);
}
