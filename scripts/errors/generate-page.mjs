// Writes docs/errors.md from the registries of errors. Needs a build.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { pageFile, readRegistries, registryFiles, renderPage } from './error-page.mjs';

const compiled = (file) => file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
const registries = await readRegistries(registryFiles(), (file) => import(pathToFileURL(compiled(file)).href));
writeFileSync(pageFile, renderPage(registries));
console.log(`docs/errors.md: ${registries.length} classes of errors`);
