import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { ClientError } from '../client-error.ts';

/** Creates an error that names the file, the entry and the remedy. */
export type CreateConfigError = (message: string, cause?: unknown) => ClientError;

/** `field` or `field-data`; the data wins, as in kubectl. Undefined when neither is there. */
export async function readData<F extends string>(
  value: { readonly [K in F | `${F}-data`]?: string },
  field: F,
  file: string,
  fail: CreateConfigError,
): Promise<string | undefined> {
  const data: string | undefined = value[`${field}-data`];
  if (data) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    if (!/^[A-Za-z0-9+/=\s]*$/.test(data) || !text.includes('-----BEGIN'))
      throw fail(`${field}-data is not a PEM text in base64; it was probably cut or pasted wrongly`);
    return text;
  }
  const path: string | undefined = value[field];
  if (!path) return undefined;
  const absolute = besideFile(path, file);
  try {
    return await readFile(absolute, 'utf8');
  } catch (cause) {
    throw fail(
      `cannot read ${field} ${absolute}: ${(cause as Error).message}; check the path and who may read it`,
      cause,
    );
  }
}

/** Paths in a kubeconfig are relative to the file they are written in. */
export function besideFile(path: string, file: string): string {
  return isAbsolute(path) ? path : resolve(dirname(file), path);
}

export function configErrorsOf(file: string, part: string): CreateConfigError {
  return (message, cause) => new ClientError('INVALID_KUBECONFIG', `${part} in ${file}: ${message}`, { cause });
}
