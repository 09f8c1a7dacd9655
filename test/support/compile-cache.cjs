// Preloaded into the program where Node has no compile cache of its own, which is before 22.1: journeys start the
// program a thousand times, and compiling is a fifth of a start. Uses the folder that a newer Node would use.
'use strict';
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const folder = process.env.NODE_COMPILE_CACHE;
const [head] = Module.wrapper;
const compile = Module.prototype._compile;
// V8 refuses code for other flags, which it hashes here; the program changes one, for WebAssembly only.
const FLAGS_AT = 12;
const flags = new vm.Script('').createCachedData().subarray(FLAGS_AT, FLAGS_AT + 4);
/** Scripts whose code is not cached yet, by the file it belongs in. */
const added = new Map();

if (folder && Module.enableCompileCache === undefined) {
  Module.prototype._compile = compileCached;
  process.on('exit', save);
}

function compileCached(content, filename) {
  // A script with import() would need a loader of its own.
  if (content.includes('import(')) return compile.call(this, content, filename);
  const { mtimeMs, size } = statSync(filename);
  const file = path.join(folder, `${filename.replaceAll(path.sep, '%')}-${mtimeMs}-${size}`);
  const cachedData = read(file);
  const script = new vm.Script(Module.wrap(content.replace(/^#!.*/, '')), {
    filename,
    cachedData,
    // Positions in stack traces are those in the file.
    columnOffset: -head.length,
  });
  if (cachedData === undefined) added.set(file, script);
  const run = script.runInThisContext();
  const require = Object.assign((id) => this.require(id), {
    resolve: (id, options) => Module._resolveFilename(id, this, false, options),
    main: process.mainModule,
    cache: Module._cache,
  });
  return run.call(this.exports, this.exports, require, this, filename, path.dirname(filename));
}

function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** At the end, when what was used has been compiled. */
function save() {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [file, script] of added) {
      const own = `${file}.${process.pid}`;
      const code = script.createCachedData();
      code.set(flags, FLAGS_AT);
      writeFileSync(own, code);
      renameSync(own, file);
    }
  } catch {
    // It only saves time, and tests make anything fail.
  }
}
