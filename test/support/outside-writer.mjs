// Changes files in a folder on demand, as another program would: commands arrive as JSON through one pipe,
// and a dot is sent through another when each is done.
import fs from 'node:fs';
import path from 'node:path';

const root = process.argv[2];
const at = (name) => path.join(root, name);
let count = 0;

const deeds = {
  inPlace(name, text) {
    const file = fs.openSync(at(name), 'r+');
    fs.ftruncateSync(file, 0);
    fs.writeSync(file, text, 0);
    fs.closeSync(file);
  },
  replace(name, text) {
    count++;
    const fresh = at(`../fresh-${process.pid}-${count}`);
    fs.writeFileSync(fresh, text);
    fs.renameSync(fresh, at(name));
  },
  /** Same length and mtime as before: only the ctime differs. */
  disguised(name, text) {
    const { atime, mtime } = fs.statSync(at(name));
    const file = fs.openSync(at(name), 'r+');
    fs.writeSync(file, text, 0);
    fs.closeSync(file);
    fs.utimesSync(at(name), atime, mtime);
  },
  create(name, text) {
    fs.mkdirSync(path.dirname(at(name)), { recursive: true });
    fs.writeFileSync(at(name), text);
  },
  remove(name) {
    fs.rmSync(at(name), { recursive: true, force: true });
  },
  move(name, to) {
    fs.rmSync(at(to), { recursive: true, force: true });
    if (fs.existsSync(at(name))) fs.renameSync(at(name), at(to));
  },
};

const [orders, answers] = [fs.openSync(process.argv[3], 'r'), fs.openSync(process.argv[4], 'w')];
const buffer = Buffer.alloc(4096);
for (let length = fs.readSync(orders, buffer); length > 0; length = fs.readSync(orders, buffer)) {
  const [deed, ...args] = JSON.parse(buffer.toString('utf8', 0, length));
  deeds[deed](...args);
  fs.writeSync(answers, '.');
}
