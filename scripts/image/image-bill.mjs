import { createHash } from 'node:crypto';
import { debianPackages } from './fetch-parts.mjs';
import { node } from './pins.mjs';

const debianArchitectures = { x64: 'amd64', arm64: 'arm64' };

/**
 * The bill of materials of an image (CycloneDX): Node.js and packages of Debian, and, where the command is in it, all that the command's own
 * bill lists.
 */
export function imageBill(bill, { name, version, architecture, packages, hasNode }) {
  const components = [
    ...(hasNode ? [nodeComponent(), ...bill.components] : []),
    ...packages.map((each) => debianComponent(each, architecture)),
  ];
  const purl = `pkg:oci/${name.split('/').at(-1)}@${version}`;
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'container', name, version, 'bom-ref': purl } },
    components,
  };
  return { ...body, serialNumber: serialNumber(body) };
}

/** A number that is a hash: the same content has the same. */
export function serialNumber(body) {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function nodeComponent() {
  const purl = `pkg:generic/node@${node.version}`;
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'node',
    version: node.version,
    purl,
    licenses: [{ license: { id: 'MIT' } }],
  };
}

function debianComponent(name, architecture) {
  const { version, sha256 } = debianPackages.get(name, architecture);
  const query = `arch=${debianArchitectures[architecture]}&distro=debian-12`;
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${query}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  };
}
