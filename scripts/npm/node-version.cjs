// For programs that import the package: the check of main.cjs. Only what Node 12 understands may be used here.
'use strict';
/** Replaced by the build with `engines` of package.json. */
const needed = 'NODE_NEEDED';
const own = process.versions.node.split('.').map(Number);
const [major, minor] = needed.split('.').map(Number);

if (own[0] < major || (own[0] === major && own[1] < minor))
  throw new Error(`aca needs Node ${needed} or newer; you have ${own[0]}.${own[1]}.`);
