import { invalidArgument } from './api-error.ts';

const part = '[a-z0-9_-]{1,63}';
const resultName = new RegExp(`(^${part})/results/(${part}$)`);
const recordName = new RegExp(`(^${part})/results/(${part})/records/(${part}$)`);
const logName = new RegExp(`(^${part})/results/(${part})/logs/(${part}$)`);

export interface ResultName {
  readonly parent: string;
  readonly result: string;
}

export interface RecordName extends ResultName {
  readonly name: string;
}

export function parseResultName(text = ''): ResultName {
  const [, parent = '', result = ''] = match(resultName, text);
  return { parent, result };
}

export function parseRecordName(text = ''): RecordName {
  const [, parent = '', result = '', name = ''] = match(recordName, text);
  return { parent, result, name };
}

export function parseLogName(text = ''): RecordName {
  const [, parent = '', result = '', name = ''] = match(logName, text);
  return { parent, result, name };
}

export const isRecordName = (text: string): boolean => recordName.test(text);

export const formatResultName = ({ parent, result }: ResultName): string => `${parent}/results/${result}`;
export const formatRecordName = (name: RecordName): string => `${formatResultName(name)}/records/${name.name}`;
export const formatLogName = (name: RecordName): string => `${formatResultName(name)}/logs/${name.name}`;

function match(pattern: RegExp, text: string): RegExpExecArray {
  const found = pattern.exec(text);
  // Go prints the pattern without the backslashes that JavaScript puts before slashes.
  const source = pattern.source.replaceAll('\\/', '/');
  if (!found) throw invalidArgument(`name must match ${source}`);
  return found;
}
