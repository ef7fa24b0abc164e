import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';

describe('parseFieldSelector', () => {
  it.each([
    ['', ''],
    ['metadata.name=a', 'metadata.name=a'],
    ['b==1,a!=2', 'a!=2,b=1'],
    ['a=x\\,y\\=z\\\\', 'a=x\\,y\\=z\\\\'],
    ['a=,', 'a='],
  ])('reads %j and prints it as %j', (text, canonical) => {
    expect(parseFieldSelector(text).toString()).toBe(canonical);
  });

  it('takes an absent field for the empty string', () => {
    expect(parseFieldSelector('spec.nodeName=').matches({})).toBe(true);
    expect(parseFieldSelector('spec.nodeName!=').matches({})).toBe(false);
    expect(parseFieldSelector('a=1,b!=2').matches({ a: '1', b: '3' })).toBe(true);
    expect(parseFieldSelector('a=1,b!=2').matches({ a: '1', b: '2' })).toBe(false);
  });

  it('returns the value that a field is pinned to', () => {
    const selector = parseFieldSelector('metadata.name=x\\,y,status.phase!=Running');
    expect(selector.exactValue('metadata.name')).toBe('x,y');
    expect(selector.exactValue('status.phase')).toBeUndefined();
  });

  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['a=1,b in (c)', "invalid selector: 'a=1,b in (c)'; can't understand 'b in (c)'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(expect.objectContaining({ message }));
  });
});
