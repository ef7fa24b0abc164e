/** An entry of an archive that a test writes byte by byte, so that it can be as wrong as it has to be. */
export interface TarEntry {
  readonly name: string;
  /** Default: a file. */
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly link?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtime?: number;
  readonly pax?: Readonly<Record<string, string>>;
  /** Instead of the length of the content. */
  readonly size?: number;
}

export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]);
}

function blocksOf(entry: TarEntry): Buffer[] {
  const records = Object.entries(entry.pax ?? {}).map(([key, value]) => paxRecord(key, value));
  const body = Buffer.concat(records);
  const pax = records.length > 0 ? blocksOf({ name: 'pax', type: 'x', content: body }) : [];
  const content = Buffer.from(entry.content ?? '');
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return [...pax, headerOf(entry, entry.size ?? content.length), content, padding];
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`, 'latin1');
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length++;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function headerOf(
  { name, type = '0', link = '', mode = 0o644, uid = 0, gid = 0, mtime = 1e9 }: TarEntry,
  size: number,
) {
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(name.slice(0, 100), 0, 'latin1');
  octal(mode, 100, 8);
  octal(uid, 108, 8);
  octal(gid, 116, 8);
  octal(size, 124, 12);
  octal(mtime, 136, 12);
  header.write(' '.repeat(8), 148);
  header.write(type, 156, 'latin1');
  header.write(link.slice(0, 100), 157, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  header.write(' ', 155);
  return header;
}
