import { UserError } from '../../user-error.ts';
import { nearestName } from '../nearest-name.ts';

/** A report to write when runs have ended. */
export interface WantedReport {
  readonly kind: 'junit' | 'markdown' | 'html' | 'github';
  /** Without one, it is printed. */
  readonly file?: string;
  /** Other steps of a workflow write to the same file. */
  readonly append?: boolean;
}

const kinds = ['junit', 'markdown', 'html', 'github'] as const;

/** The reports of `--report KIND=FILE`, and those that GitHub Actions takes from every step. */
export function readReports(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly WantedReport[] {
  const wanted = words.map((word): WantedReport => {
    const [name = '', file] = word.split(/=(.*)/s);
    const kind = kinds.find((each) => each === name);
    if (!kind) throw new UserError(`--report ${word}: there is no report ${JSON.stringify(name)}; ${hint(name)}`, 2);
    if (kind === 'github') return { kind };
    if (!file) throw new UserError(`--report ${kind}: it needs a file, as --report ${kind}=FILE`, 2);
    return { kind, file };
  });
  if (env['GITHUB_ACTIONS'] === 'true' && !wanted.some(({ kind }) => kind === 'github'))
    wanted.push({ kind: 'github' });
  const summary = env['GITHUB_STEP_SUMMARY'];
  if (summary) wanted.push({ kind: 'markdown', file: summary, append: true });
  return wanted;
}

function hint(name: string): string {
  const near = nearestName(name, kinds);
  return near ? `did you mean ${near}?` : 'give junit=FILE, markdown=FILE, html=FILE or github';
}
