import { buildSite } from './site/build.ts';

/** npm run docs:site [FOLDER]: builds the documentation as a static site, by default in site/. */
const [, , out = 'site'] = process.argv;
const { pages, bytes } = await buildSite('.', out);
console.log(`${pages} pages, ${Math.round(bytes / 1024)} KB: ${out}/index.html`);
