import { describe, expect, it } from 'vitest';
import { DecodeError, EncodeError, isDecodeError, isTypeMismatch, mismatchText, TypeMismatch } from './decode-error.ts';

describe('mismatchText', () => {
  it('names the whole value, or the field of its struct', () => {
    expect(mismatchText('array', 'map[string]interface {}')).toBe(
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    );
    expect(mismatchText('string', 'int32', 'DeploymentSpec.spec.replicas')).toBe(
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    );
  });
});

describe('guards', () => {
  it('tell the three kinds of errors apart', () => {
    const [plain, mismatch, encode] = [
      new DecodeError('unexpected end of JSON input'),
      new TypeMismatch('string', 'int32', 'DeploymentSpec', 'spec.replicas'),
      new EncodeError('cannot marshal'),
    ];
    expect([plain, mismatch, encode].map((error) => isDecodeError(error))).toEqual([true, true, true]);
    expect([plain, mismatch, encode].map(isTypeMismatch)).toEqual([false, true, false]);
    expect([plain, mismatch, encode].map(({ code }) => code)).toEqual([
      'DECODE_FAILED',
      'TYPE_MISMATCH',
      'ENCODE_FAILED',
    ]);
    expect(isDecodeError(new Error('other'))).toBe(false);
  });
});
