#!/usr/bin/env node
// What `npm install` links as the command: hands over to the binary of this machine's own package, if npm has put it
// there, and runs the JavaScript build if not.
'use strict';
const { accessSync, constants } = require('node:fs');
const path = require('node:path');

/** Without its loader a binary for Linux cannot be started: another C library, another layout. */
const LOADERS = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' };

const args = process.argv.slice(2);
const binary = process.env.AI_ASSISTANT_BINARY === '0' ? null : findBinary();
if (binary !== null && process.execve !== undefined && process.platform !== 'win32') {
  // This very process becomes the binary: same id, same terminal, nothing of Node stays.
  process.execve(binary, [binary, ...args], process.env);
} else if (binary !== null && process.platform === 'win32') {
  const { spawn } = require('node:child_process');
  // Windows sends Ctrl+C to every program of the console; what to do about it is the binary's business.
  process.on('SIGINT', () => undefined);
  spawn(binary, args, { stdio: 'inherit' })
    .on('error', runHere)
    .on('exit', (code) => process.exit(code ?? 1));
} else {
  runHere();
}

function runHere() {
  require('../dist/main.cjs');
}

/** Null where there is none that could be started. */
function findBinary() {
  const { platform, arch } = process;
  const target = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    const folder = path.dirname(require.resolve(`ai-code-assistant-${target}/package.json`));
    const file = path.join(folder, platform === 'win32' ? 'aca.exe' : 'aca');
    accessSync(file, constants.X_OK);
    if (platform === 'linux') accessSync(LOADERS[arch]);
    return file;
  } catch {
    return null;
  }
}
