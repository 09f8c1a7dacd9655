#!/usr/bin/env node
// The command that `npm install` links: runs the binary package for this platform if npm has installed it, and
// the JavaScript build otherwise, which checks the version of Node. Only what Node 12 understands may be used here.
'use strict';
const { accessSync, constants } = require('fs');
const path = require('path');

/** A Linux binary needs its loader: it is missing with another C library or file system layout. */
const LOADERS = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' };

const args = process.argv.slice(2);
const binary = process.env.AI_ASSISTANT_BINARY === '0' ? null : findBinary();
if (binary !== null && process.execve !== undefined && process.platform !== 'win32') {
  // This process is replaced by the binary: same id, same terminal, nothing of Node is left.
  process.execve(binary, [binary, ...args], process.env);
} else if (binary !== null && process.platform === 'win32') {
  const { spawn } = require('child_process');
  // Windows sends Ctrl+C to every program of the console; the binary handles it.
  process.on('SIGINT', () => undefined);
  spawn(binary, args, { stdio: 'inherit' })
    .on('error', runHere)
    .on('exit', (code) => process.exit(code === null ? 1 : code));
} else {
  runHere();
}

function runHere() {
  require('../dist/main.cjs');
}

/** Null if there is none that can be started. */
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
