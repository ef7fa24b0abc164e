import { UserError } from '../user-error.ts';

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** `4.26 MB`: three digits, in powers of 1000, as container tools print sizes. */
export function byteText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? bytes : Number(value.toPrecision(3))} ${units[power]}`;
}

/** Reads `500MB`, `10 GB` or a plain number of bytes. */
export function readBytes(option: string, text: string): number {
  const [, number = '', unit = 'B'] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([kMGT]?B)?$/i.exec(text.trim()) ?? [];
  const power = units.findIndex((each) => each.toLowerCase() === unit.toLowerCase());
  if (number === '') throw new UserError(`${option} must be a size, as 500MB or 10GB, not ${JSON.stringify(text)}`, 2);
  return Math.round(Number(number) * 1000 ** power);
}
