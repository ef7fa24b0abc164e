// Checks that every package that could be published is well formed: its exports exist and have types.
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { readRooms } from './layers/rooms.mjs';

const root = join(import.meta.dirname, '..');
const published = readRooms(root).filter(({ manifest }) => !manifest.private);
let problems = 0;
for (const { path, manifest } of published) {
  const { messages } = await publint({ pkgDir: join(root, path), strict: false });
  for (const message of messages) {
    if (message.type === 'suggestion') continue;
    problems++;
    console.error(`${path}: ${formatMessage(message, manifest)}`);
  }
}
console.log(`packages: ${published.length} checked, ${problems} problems`);
process.exit(problems === 0 && published.length > 0 ? 0 : 1);
