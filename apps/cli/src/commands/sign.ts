import { writeFile } from 'node:fs/promises';
import { isRemoteFailure, signable, isSignatureError, signObject, type SignOptions } from '@tektite/pipelines';
import { formatYaml } from '@tektite/schema/yaml';
import { readKeyFile } from '../key-text.ts';
import { readDocuments, type SourceDocument } from '../input/read-documents.ts';
import { explainFileError, UserError } from '../user-error.ts';

export interface SignCommandOptions {
  readonly file: readonly string[];
  readonly key: string;
  readonly passphraseFile?: string;
  readonly hash: string;
  readonly output?: string;
}

/** `tektite sign`: Tasks and Pipelines with signatures that a VerificationPolicy can ask for. */
export async function sign(options: SignCommandOptions): Promise<void> {
  const key = await readKeyFile('--key', options.key);
  const passphrase =
    options.passphraseFile === undefined
      ? {}
      : { passphrase: (await readKeyFile('--passphrase-file', options.passphraseFile)).replace(/\r?\n$/, '') };
  const documents = await readDocuments(options.file);
  const signed = documents.map((document) => signOne(document, key, { ...passphrase, hashAlgorithm: options.hash }));
  await putOut(signed.join('---\n'), options.output);
}

function signOne({ object, place }: SourceDocument, key: string, options: SignOptions): string {
  try {
    return formatYaml(signObject(signable(object), key, options));
  } catch (error) {
    if (isSignatureError(error) || isRemoteFailure(error)) throw new UserError(`${place}: ${error.message}`);
    throw error;
  }
}

async function putOut(text: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new UserError(`--output: ${explainFileError(error, file) ?? (error as Error).message}`);
  }
}
