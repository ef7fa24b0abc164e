/** A mount, as one line of a table that `mount --all` reads. */
export interface MountLine {
  readonly source: string;
  readonly target: string;
  readonly type: 'none' | 'proc' | 'tmpfs' | 'devpts' | 'overlay';
  readonly options: string;
}

/** Refuses what the table cannot hold, rather than mounting something else. */
export function formatFstab(lines: readonly MountLine[]): string {
  return lines
    .map(({ source, target, type, options }) => `${field(source)} ${field(target)} ${type} ${field(options)} 0 0\n`)
    .join('');
}

function field(text: string): string {
  if (text.includes('\0')) throw new Error('a path contains a null byte');
  // A leading # would be a comment. The table knows octal escapes for all that would end a field.
  return text.replace(/[ \t\n\r\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** A path as an option of an overlay, which cannot hold all of them. */
export function overlayPath(path: string): string {
  if (/[:,\\]/.test(path)) throw new Error(`the path ${path} cannot be a layer of an overlay`);
  return path;
}
