import { putOut } from '../manifest-output.ts';
import { type ManifestOptions, readManifest } from '../manifest/read-manifest.ts';
import { terminalText } from '../terminal-text.ts';

/** `tektite render`: prints the objects of sources, after all transforms. Asks no cluster. */
export async function render(options: ManifestOptions & { readonly output: string }): Promise<void> {
  const manifest = await readManifest(options, (text) => process.stderr.write(`note: ${terminalText(text)}\n`));
  await putOut(manifest.objects, { output: options.output, command: 'tektite render' });
}
