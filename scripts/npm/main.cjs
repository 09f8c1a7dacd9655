#!/usr/bin/env node
// Checks the version of Node before it has to parse the program. Only what Node 12 understands may be used here.
'use strict';
/** Replaced by the build with `engines` of package.json. */
const needed = 'NODE_NEEDED';
const own = process.versions.node.split('.').map(Number);
const [major, minor] = needed.split('.').map(Number);

if (own[0] > major || (own[0] === major && own[1] >= minor)) {
  require('./cli.cjs');
} else {
  process.stderr.write(
    `aca needs Node ${needed} or newer; you have ${own[0]}.${own[1]}.\n` +
      'Install a current Node from https://nodejs.org, or the standalone binary, which needs no Node.\n',
  );
  process.exitCode = 2;
}
