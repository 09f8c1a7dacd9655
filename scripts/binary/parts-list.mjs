// A software bill of materials (CycloneDX 1.6): the packages and versions inside a binary.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root, version } from '../bundle.mjs';
import { packagesOf } from '../licences.mjs';
import { integrityOf } from './targets.mjs';

/** `inputs` are those of the bundle; `parts` the folders of packages with native binaries. */
export async function partsList({ target, inputs, parts, file }) {
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const folders = [
    ...packagesOf(inputs).map((folder) => path.join(root, folder)),
    // Its grammar is read as a file, so no import refers to it.
    path.join(root, 'node_modules/tree-sitter-bash'),
    ...Object.values(parts),
  ];
  const components = await Promise.all(folders.map((folder) => component(folder, lock)));
  const name = 'ai-code-assistant';
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `pkg:npm/${name}@${version}`,
        name,
        version,
        description: `standalone binary for ${target}`,
        licenses: [{ license: { id: 'MIT' } }],
        hashes: [{ alg: 'SHA-256', content: sha256(await readFile(file)) }],
      },
    },
    components: components.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
}

async function component(folder, lock) {
  const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const integrity = integrityOf(manifest.name, lock);
  const purl = `pkg:npm/${manifest.name.replace('@', '%40')}@${manifest.version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name: manifest.name,
    version: manifest.version,
    purl,
    // An expression may name one or several licences.
    ...(typeof manifest.license === 'string' && { licenses: [{ expression: manifest.license }] }),
    ...(integrity?.startsWith('sha512-') && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }],
    }),
  };
}

function sha256(content) {
  return createHash('sha256').update(content).digest('hex');
}
