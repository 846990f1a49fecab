// A running copy of the engine's WebAssembly, which is asked and answers by texts.

const encoder = new TextEncoder(), decoder = new TextDecoder();

/**
 * Starts a copy of the module. `tell` is called with each text that comes while a function runs, `stopped` says whether what
 * runs is to end. Returns a function that calls one of the module's by its name, with a text, and returns its answer in bytes.
 */
export async function start(module, { tell = () => {}, stopped = () => false } = {}) {
  const text = (at, length) => decoder.decode(new Uint8Array(exports.memory.buffer, at, length));
  const host = {
    now: () => performance.now(),
    stopped: () => Number(stopped()),
    tell: (at, length) => tell(text(at, length)),
  };
  const { exports } = await WebAssembly.instantiate(module, { host });
  return (name, input = "") => {
    const bytes = encoder.encode(input);
    const at = exports.input(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    const length = exports[name]();
    return new Uint8Array(exports.memory.buffer, exports.output(), length).slice();
  };
}

/** Returns bytes as a text. */
export const textOf = bytes => decoder.decode(bytes);
