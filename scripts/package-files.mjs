import { chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import { assets, inputsOf, nodeNeeded, root } from './bundle.mjs';
import { licences } from './licences.mjs';
import { buildPage } from './web-page.mjs';

/**
 * The files of the npm package besides its code.
 * @returns {import('vite').Plugin}
 */
export function packageFiles() {
  return {
    name: 'package-files',
    async generateBundle(_options, bundle) {
      const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
      for (const file of assets)
        emit(`chunks/${path.basename(file)}`, await readFile(path.join(root, 'node_modules', file)));
      for (const file of ['main.cjs', 'node-version.cjs'])
        emit(
          file,
          (await readFile(path.join(root, 'scripts/npm', file), 'utf8')).replace('NODE_NEEDED', nodeNeeded),
        );
      // For programs that import the package: an ES module with the exports of the CommonJS build.
      emit('index.js', "import './node-version.cjs';\nexport * from './index.cjs';\n");
      const inputs = [...inputsOf(Object.values(bundle)), ...(await buildPage()).inputs];
      emit('THIRD-PARTY-LICENSES.txt', await licences(inputs));
    },
    writeBundle: ({ dir }) => chmod(path.join(dir, 'main.cjs'), 0o755),
  };
}
