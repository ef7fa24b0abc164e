import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * A registry of npm for tests: it has the packages of a folder, and sends clients elsewhere for all others.
 *
 * @param {string} folder of archives
 * @param {string} others the registry of this machine
 */
export async function startRegistry(folder, others) {
  const archives = new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]));
  const packages = new Map();
  for (const [file, bytes] of archives) {
    const manifest = manifestOf(bytes);
    packages.set(manifest.name, {
      file,
      manifest,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    });
  }
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const archive = archives.get(path);
    if (archive) return response.end(archive);
    const found = packages.get(path);
    if (!found) {
      asked.push(path);
      return response.writeHead(302, { location: `${others.replace(/\/$/, '')}${request.url}` }).end();
    }
    const { file, manifest, integrity } = found;
    const dist = { tarball: `${url}/${file}`, integrity };
    const body = {
      name: path,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, asked, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** The manifest is a file of the archive, whose entries are a block of 512 bytes and their content. */
function manifestOf(archive) {
  const bytes = gunzipSync(archive);
  for (let at = 0; at < bytes.length; ) {
    const name = bytes.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(bytes.toString('utf8', at + 124, at + 136), 8) || 0;
    if (name === 'package/package.json') return JSON.parse(bytes.toString('utf8', at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error('an archive without a manifest');
}
