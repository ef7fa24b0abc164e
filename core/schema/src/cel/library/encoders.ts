import { declare, type FunctionDeclaration, overload } from '../language/declarations.ts';
import { EvaluationError } from '../language/evaluation.ts';
import { bytesType, stringType } from '../language/type.ts';

/** cel-go's extension for encodings. */
export const encoderExtension: readonly FunctionDeclaration[] = [
  declare('base64.decode', overload('base64_decode_string', [stringType], bytesType, decode)),
  declare(
    'base64.encode',
    overload('base64_encode_bytes', [bytesType], stringType, (bytes: Uint8Array) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
    ),
  ),
];

/** Padding may be missing as a whole. */
function decode(text: string): Uint8Array {
  const bare = text.replaceAll(/[\r\n]/g, '').replace(/={1,2}$/, '');
  const wrong = /[^A-Za-z0-9+/]/.exec(bare)?.index ?? (bare.length % 4 === 1 ? bare.length : undefined);
  if (wrong !== undefined) throw new EvaluationError(`illegal base64 data at input byte ${wrong}`);
  return new Uint8Array(Buffer.from(bare, 'base64'));
}
