import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep } from '@tektite/meta';
import { pullBundle } from './pull-bundle.ts';

const pollMs = 50;

/**
 * Where scripts ask for bundles. They call `imgpkg pull -i ADDRESS -o FOLDER`; the program of that name, which they find
 * before any other, leaves a note at this desk and waits. The agent fetches, and says where it is. So scripts need no network,
 * and one that knows the real imgpkg works unchanged.
 */
export class BundleDesk {
  private readonly folder: string;
  private readonly inside: string;
  private readonly clock: Clock;

  /** `inside` is what the folder is called where scripts run. */
  constructor(folder: string, inside: string, clock: Clock) {
    this.folder = folder;
    this.inside = inside;
    this.clock = clock;
  }

  /** Where scripts find the program. */
  get programs(): string {
    return join(this.folder, 'bin');
  }

  async open(): Promise<void> {
    await rm(join(this.folder, 'requests'), { recursive: true, force: true });
    for (const name of ['bin', 'requests', 'bundles'])
      await mkdir(join(this.folder, name), { recursive: true, mode: 0o700 });
    const program = join(this.programs, 'imgpkg');
    await writeFile(program, imgpkgProgram(this.inside));
    await chmod(program, 0o755);
  }

  /** Answers until the signal. */
  async serve(signal: AbortSignal, onError: (error: unknown) => void = () => undefined): Promise<void> {
    const requests = join(this.folder, 'requests');
    while (!signal.aborted) {
      for (const name of await readdir(requests).catch(() => []))
        if (name.endsWith('.ask')) await this.answer(join(requests, name), signal).catch(onError);
      await sleep(this.clock, pollMs, signal).catch(() => undefined);
    }
  }

  private async answer(file: string, signal: AbortSignal): Promise<void> {
    const id = file.slice(0, -'.ask'.length);
    try {
      await rename(file, `${id}.taken`);
    } catch {
      // Another process has it.
      return;
    }
    const address = (await readFile(`${id}.taken`, 'utf8')).trimEnd();
    const bundle = `bundle-${id.slice(id.lastIndexOf('/') + 1)}`;
    let text: string;
    try {
      await pullBundle(address, join(this.folder, 'bundles', bundle), signal);
      text = `0\n${join(this.inside, 'bundles', bundle)}\n`;
    } catch (error) {
      text = `1\n${(error as Error).message.replaceAll('\n', ' ')}\n`;
    }
    await writeFile(`${id}.new`, text);
    await rename(`${id}.new`, `${id}.answer`);
    await rm(`${id}.taken`, { force: true });
  }
}

/** Bundles are moved out of the desk, so that they are not kept twice. */
function imgpkgProgram(desk: string): string {
  return `#!/bin/bash
# Stands in for imgpkg: the agent of this host fetches bundles itself.
set -uo pipefail
address= folder=
[ "\${1:-}" = pull ] || { echo 'imgpkg: only pull is known here' >&2; exit 2; }
shift
while [ $# -gt 0 ]; do
  case $1 in
    -i | --image | -b | --bundle) address=\${2:-}; shift ;;
    -o | --output) folder=\${2:-}; shift ;;
  esac
  shift
done
[ -n "$address" ] && [ -n "$folder" ] || { echo 'usage: imgpkg pull -i ADDRESS -o FOLDER' >&2; exit 2; }
id=${desk}/requests/$$-$RANDOM$RANDOM
printf '%s\\n' "$address" >"$id.part" && mv "$id.part" "$id.ask" || exit 1
while [ ! -e "$id.answer" ]; do sleep 0.05; done
{ read -r code; read -r text; } <"$id.answer"
rm -f "$id.answer"
if [ "$code" != 0 ]; then echo "imgpkg: $address: $text" >&2; exit 1; fi
mkdir -p "$folder" && find "$folder" -mindepth 1 -delete && cp -r "$text/." "$folder" || { code=1; echo "imgpkg: $folder cannot be written" >&2; }
rm -rf "$text"
exit "$code"
`;
}
