const pathComponent = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const domainName =
  /^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const tagName = /^\w[\w.-]{0,127}$/;
const digestName = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const maxNameLength = 255;

/**
 * The tag of an image: `latest` when it has neither tag nor digest, and nothing when it has a digest alone or cannot be
 * read. What it is decides how images are pulled.
 */
export function imageTag(image: string): string {
  const at = image.indexOf('@');
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const rest = at < 0 ? image : image.slice(0, at);
  const colon = rest.lastIndexOf(':');
  const hasTag = colon > rest.lastIndexOf('/');
  const tag = hasTag ? rest.slice(colon + 1) : undefined;
  const name = hasTag ? rest.slice(0, colon) : rest;
  if (!isImageName(name) || (tag !== undefined && !tagName.test(tag))) return '';
  if (digest !== undefined && !digestName.test(digest)) return '';
  if (tag !== undefined) return tag;
  // The identifier of an image is not a name.
  if (digest === undefined && /^[0-9a-f]{64}$/.test(name)) return '';
  return digest === undefined ? 'latest' : '';
}

function isImageName(name: string): boolean {
  if (name.length > maxNameLength) return false;
  const components = name.split('/');
  const first = components[0] as string;
  const hasDomain =
    components.length > 1 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (hasDomain && !domainName.test(first)) return false;
  return (hasDomain ? components.slice(1) : components).every((component) => pathComponent.test(component));
}
