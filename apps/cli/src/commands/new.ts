import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { createFolder } from '@tektite/client';
import pc from 'picocolors';
import { type NameOptions, operatorNames } from '../scaffold/operator-names.ts';
import { operatorProject } from '../scaffold/operator-project.ts';
import { operatorSources } from '../scaffold/operator-sources.ts';
import { explainFileError, UserError } from '../user-error.ts';

export interface NewOperatorOptions extends NameOptions {
  readonly out?: string;
}

/** `tektite new operator NAME`: scaffolds an operator in a new folder. Overwrites nothing. */
export async function newOperator(name: string, options: NewOperatorOptions): Promise<void> {
  const names = operatorNames(name, options);
  const folder = resolve(options.out ?? name);
  const files = new Map([...operatorProject(names), ...operatorSources(names)]);
  try {
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new UserError(`${folder} is not empty; name another folder with --out`);
    createFolder(join(folder, 'deploy'));
    for (const [path, text] of files) {
      const file = join(folder, path);
      createFolder(dirname(file));
      // Whatever came into being meanwhile stays, too.
      await writeFile(file, text, { flag: 'wx' });
    }
  } catch (error) {
    const sentence = explainFileError(error, folder);
    throw sentence === undefined ? error : new UserError(`--out: ${sentence}`);
  }
  const here = relative(process.cwd(), folder) || '.';
  process.stdout.write(
    `${[...files.keys()].map((path) => `  ${join(here, path)}`).join('\n')}\n\n` +
      'Next:\n' +
      (here === '.' ? '' : `  ${pc.cyan(`cd ${here}`)}\n`) +
      `  ${pc.cyan('npm install')}\n` +
      `  ${pc.cyan('npm test')}           both halves of it, the second on a control plane inside the test\n` +
      `  ${pc.cyan('npm run dev')}        runs it on a control plane of this machine; README.md says how to use it\n` +
      `  ${pc.cyan('npm run manifests')}  writes its CRD and roles into deploy/\n`,
  );
}
