import { isRemoteFailure, signable, isSignatureError, signatureAnnotation, verifyObject } from '@tektite/pipelines';
import { readKeyFile } from '../key-text.ts';
import { readDocuments, type SourceDocument } from '../input/read-documents.ts';
import { UserError } from '../user-error.ts';

export interface VerifyCommandOptions {
  readonly file: readonly string[];
  readonly key: string;
  readonly hash: string;
}

/** `tektite verify`: whether Tasks and Pipelines are signed by the owner of a key. */
export async function verify({ file, key: keyFile, hash }: VerifyCommandOptions): Promise<void> {
  const key = await readKeyFile('--key', keyFile);
  const bad: string[] = [];
  for (const document of await readDocuments(file)) {
    const { kind, metadata } = document.object;
    const name = `${kind.toLowerCase()}/${metadata.name ?? metadata.generateName ?? ''}`;
    if (isSigned(document, key, hash)) process.stdout.write(`${name} is signed\n`);
    else if (metadata.annotations?.[signatureAnnotation] === undefined)
      bad.push(`${document.place}: ${name} has no signature`);
    else bad.push(`${document.place}: ${name} is not what the owner of the key signed`);
  }
  if (bad.length > 0) throw new UserError(bad.join('\n'));
}

function isSigned({ object, place }: SourceDocument, key: string, hash: string): boolean {
  try {
    return verifyObject(signable(object), key, { hashAlgorithm: hash });
  } catch (error) {
    if (isSignatureError(error) || isRemoteFailure(error)) throw new UserError(`${place}: ${error.message}`);
    throw error;
  }
}
