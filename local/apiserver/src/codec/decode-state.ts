import { quoteGo } from '@tektite/meta';
import { type DecodeError, TypeMismatch } from './decode-error.ts';
import type { JsonDocument } from './json-document.ts';

/** A field of a struct, as the way to a value passes through it. */
export interface FieldStep {
  readonly name: string;
  /** The field's path in Go, embedded structs included. */
  readonly goPath: string;
  /** The struct that has the field. */
  readonly struct: string;
}

/** One step on the way to a value: a struct's field, a map's key, a list's index. */
export type Step = FieldStep | string | number;

/** Upstream stops counting there. */
const maxComplaints = 100;

/** What one run of a decoder knows and collects. */
export class DecodeState {
  /** The way to the value at hand. */
  readonly path: Step[] = [];
  /** Unknown and duplicate fields, in the order of the document. */
  readonly complaints: string[] = [];
  /** The first wrong value. Decoding goes on after it, because a worse mistake would be reported instead. */
  saved: DecodeError | undefined;
  readonly duplicates: JsonDocument['duplicates'];
  readonly hasNumberTexts: boolean;
  /** Whether unknown and duplicate fields matter. */
  readonly strict: boolean;
  /** Whether the result is as it comes back from upstream's storage, which does not tell an empty list from none. */
  readonly stored: boolean;

  constructor({ duplicates, hasNumberTexts }: Omit<JsonDocument, 'value'>, strict: boolean, stored = false) {
    this.duplicates = duplicates;
    this.hasNumberTexts = hasNumberTexts;
    this.strict = strict;
    this.stored = stored;
  }

  /** Notes a value of a wrong type. */
  mismatched(found: string, goType: string): void {
    if (this.saved === undefined) this.save(this.typeMismatch(found, goType));
  }

  save(error: DecodeError): void {
    this.saved ??= error;
  }

  /** The error for a value at hand; `inner` is the path inside it when it decodes itself. */
  typeMismatch(found: string, goType: string, inner = ''): TypeMismatch {
    let struct = '';
    let field = '';
    for (const step of this.path) {
      if (typeof step !== 'object') continue;
      struct = step.struct;
      field = field === '' ? step.goPath : `${field}.${step.goPath}`;
    }
    const full = inner === '' || field === '' ? field + inner : `${field}.${inner}`;
    return new TypeMismatch(found, goType, struct, full);
  }

  complain(problem: 'unknown field' | 'duplicate field', name: string): void {
    if (!this.strict || this.complaints.length >= maxComplaints) return;
    const text = `${problem} ${quoteGo(this.fieldPath(name))}`;
    if (!this.complaints.includes(text)) this.complaints.push(text);
  }

  private fieldPath(name: string): string {
    let text = '';
    for (const step of this.path) {
      if (typeof step === 'number') text += `[${step}]`;
      else {
        const key = typeof step === 'string' ? step : step.name;
        text = text === '' ? key : `${text}.${key}`;
      }
    }
    return text === '' ? name : `${text}.${name}`;
  }
}
