import { describe, expect, it } from 'vitest';
import { decodeContinue, encodeContinue, parseListParameters } from './list-options.ts';

const token = (text: string) => Buffer.from(text).toString('base64url');

describe('a continue token', () => {
  it('is read back as it was written', () => {
    const place = { revision: 7, start: '/default/a' };
    expect(decodeContinue(encodeContinue(place))).toEqual(place);
  });

  it.each([
    ['!!!', 'illegal base64 data at input byte 0'],
    ['e30=', 'illegal base64 data at input byte 3'],
    ['abc', "invalid character 'i' looking for beginning of value"],
    [token('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [token('1'), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    [token('{}'), 'server does not recognize this encoded version '],
    [token('{"v":"v2","rv":1,"start":"x"}'), 'server does not recognize this encoded version v2'],
  ])('that nobody wrote, %s, is refused', (text, reason) => {
    expect(() => decodeContinue(text)).toThrow(`invalid continue token: continue key is not valid: ${reason}`);
  });
});

describe('the parameters of a list', () => {
  it('have no pages of whatever is at hand', () => {
    expect(parseListParameters(new URLSearchParams('limit=2&resourceVersion=0'), false).limit).toBe(0);
    expect(parseListParameters(new URLSearchParams('limit=2&resourceVersion=5'), false).limit).toBe(2);
  });

  it.each([
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
  ])('must be numbers where numbers are due: %s', (query, message) => {
    expect(() => parseListParameters(new URLSearchParams(query), false)).toThrow(message);
  });

  it.each([
    ['resourceVersionMatch=Exact&resourceVersion=0', 'Unsupported value: "Exact": supported values: "NotOlderThan"'],
    ['continue=abc', 'resourceVersionMatch is forbidden when continue is provided'],
  ])('must make sense for a watch: %s', (query, message) => {
    expect(() => parseListParameters(new URLSearchParams(query), true)).toThrow(message);
  });
});
