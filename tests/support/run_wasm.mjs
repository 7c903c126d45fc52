// Runs functions of a WebAssembly module in Node: JSON on standard input says which, JSON on standard output has the results.
import { readFileSync } from "node:fs";

const task = JSON.parse(readFileSync(0, "utf8"));
const module = await WebAssembly.compile(readFileSync(task.module));
let memory;
const provided = {
  log: Math.log, exp: Math.exp, pow: Math.pow, cos: Math.cos, sin: Math.sin, tan: Math.tan, atan2: Math.atan2,
  clock_gettime(clock, at) {
    const now = performance.now();
    const view = new DataView(memory.buffer);
    view.setBigInt64(at, BigInt(Math.floor(now / 1000)), true);
    view.setBigInt64(at + 8, BigInt(Math.floor((now % 1000) * 1e6)), true);
    return 0;
  },
};
const imports = {};
for (const { module: space, name } of WebAssembly.Module.imports(module)) {
  if (!(name in provided)) throw new Error(`the module imports ${name}`);
  (imports[space] ??= {})[name] = provided[name];
}
const { exports } = await WebAssembly.instantiate(module, imports);
memory = exports.memory;
if (exports.__heap_base.value > task.start) throw new Error(`the heap begins at ${exports.__heap_base.value}`);
memory.grow(Math.max(0, Math.ceil((task.end - memory.buffer.byteLength) / 65536) + 1));
for (const [at, content] of task.memory) new Uint8Array(memory.buffer, at).set(Buffer.from(content, "base64"));
const results = [];
for (const { name, arguments: given, seconds } of task.calls) {
  let value = exports[name](...given);
  let calls = 1;
  const began = performance.now();
  while (seconds && performance.now() - began < 1000 * seconds) [value, calls] = [exports[name](...given), calls + 1];
  results.push({ value: value ?? null, calls, seconds: (performance.now() - began) / 1000 });
}
const read = task.read.map(([at, length]) => Buffer.from(memory.buffer.slice(at, at + length)).toString("base64"));
console.log(JSON.stringify({ results, read, imports: WebAssembly.Module.imports(module).map((each) => each.name) }));
