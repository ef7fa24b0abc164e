// Checks that every package that could be published is well formed: its exports exist and have types.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = new URL('..', import.meta.url).pathname;
let checked = 0;
let problems = 0;
for (const folder of ['core', 'local', 'systems', 'apps']) {
  let names = [];
  try {
    names = readdirSync(join(root, folder));
  } catch {
    continue;
  }
  for (const name of names) {
    const pkgDir = join(root, folder, name);
    const manifest = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'));
    if (manifest.private) continue;
    checked++;
    const { messages } = await publint({ pkgDir, strict: false });
    for (const message of messages) {
      if (message.type === 'suggestion') continue;
      problems++;
      console.error(`${folder}/${name}: ${formatMessage(message, manifest)}`);
    }
  }
}
console.log(`packages: ${checked} checked, ${problems} problems`);
process.exit(problems === 0 && checked > 0 ? 0 : 1);
