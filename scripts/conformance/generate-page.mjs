// Writes docs/conformance.md from JUnit reports of Kubernetes' conformance suite, given in the order in which they were made:
//
//   npm run docs:conformance -- junit_01.xml junit_02.xml
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readReports, renderPage } from './report-page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: npm run docs:conformance -- REPORT.xml...');
  process.exit(2);
}
const notes = JSON.parse(readFileSync(new URL('notes.json', import.meta.url), 'utf8'));
const specs = readReports(files.map((file) => readFileSync(file, 'utf8')));
writeFileSync(join(root, 'docs/conformance.md'), renderPage(specs, notes));
console.log(`docs/conformance.md: ${specs.size} specs`);
