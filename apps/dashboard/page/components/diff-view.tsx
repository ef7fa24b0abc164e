import { type DiffLine, diffHunks } from '../../src/stores/line-diff.ts';

const signs = { same: ' ', added: '+', removed: '-' } as const;

/** The lines that change, with a few around them. */
export function DiffView({ diff, label }: { readonly diff: readonly DiffLine[]; readonly label: string }) {
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label={label}>
      {diffHunks(diff).map((line, index) => (
        <span key={index} class={line?.kind ?? 'gap'}>
          {line ? `${signs[line.kind]} ${line.text}\n` : '⋯\n'}
        </span>
      ))}
    </pre>
  );
}
