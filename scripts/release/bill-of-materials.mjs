import { serialNumber } from '../image/image-bill.mjs';

/**
 * The bill of materials of a release, as CycloneDX: every package of others that an installation or the bundle of the command has,
 * from the lockfile. The same input gives the same text: it has no time, and its number is a hash.
 *
 * @param {Record<string, any>} lock package-lock.json
 * @param {{ path: string }[]} rooms those that are published
 */
export function billOfMaterials(lock, rooms, version) {
  const found = new Map();
  const visit = (from, name) => {
    const key = resolve(lock.packages, from, name);
    if (key === undefined) return;
    const entry = lock.packages[key];
    if (entry.link) return walk(entry.resolved);
    const id = `${name}@${entry.version}`;
    if (found.has(id)) return;
    found.set(id, component(name, entry));
    walk(key);
  };
  const walked = new Set();
  const walk = (key) => {
    if (walked.has(key)) return;
    walked.add(key);
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[key] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) visit(key, name);
  };
  for (const { path } of rooms) walk(path);
  const components = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'tektite', version, 'bom-ref': `pkg:npm/tektite@${version}` } },
    components,
  };
  return { ...body, serialNumber: serialNumber(body) };
}

/** Where Node.js would find a package: in the nearest node_modules above. */
function resolve(packages, from, name) {
  let folder = from;
  for (;;) {
    const key = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[key]) return key;
    if (folder === '') return undefined;
    folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
    if (folder.endsWith('/node_modules')) folder = folder.slice(0, -'/node_modules'.length);
    if (folder === 'node_modules') folder = '';
  }
}

function component(name, { version, license, integrity }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm, digest] = (integrity ?? '').split('-');
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license
      ? { licenses: [/ (?:OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }] }
      : {}),
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
  };
}
