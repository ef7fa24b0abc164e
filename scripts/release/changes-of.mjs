/** The part of the changelog for a version, or what is not released yet where it has none. */
export function changesOf(changelog, version) {
  const parts = changelog.split(/^## /m).slice(1);
  const find = (title) => parts.find((part) => part.split('\n', 1)[0].replace(/[[\]]/g, '').split(' ')[0] === title);
  const part = find(version) ?? find('Unreleased');
  if (part === undefined)
    throw new Error(`CHANGELOG.md has neither a part for ${version} nor one that is not released`);
  return `# ${version}\n${part.slice(part.indexOf('\n'))}`.trimEnd() + '\n';
}
