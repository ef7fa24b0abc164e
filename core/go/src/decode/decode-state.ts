import { quoteGo } from '@tektite/meta';
import { DecodeError, EncodeError, TypeMismatch } from '../json/decode-error.ts';
import type { JsonDocument } from '../json/json-document.ts';

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
const maxStrictErrors = 100;

/** How one decoder of Go's differs from another. */
export interface DecodeOptions {
  /**
   * Which decoder decodes. Kubernetes' own takes names of fields literally, in the order of the document, and reports
   * unknown and duplicate fields with their paths. Go's encoding/json ignores the case of names; webhooks use it on
   * objects whose keys are sorted, and it stops at the first unknown field.
   */
  readonly decoder?: 'kubernetes' | 'encoding/json';
  /** Whether unknown and duplicate fields are reported. */
  readonly strict?: boolean;
  /**
   * Whether the result is as it comes back from upstream's storage, which does not distinguish an empty list from none.
   */
  readonly stored?: boolean;
  /** Whether the outermost struct has `apiVersion` and `kind`, which are not decoded. */
  readonly isResource?: boolean;
  /** Whether numbers and booleans are accepted as texts: YAML's readers do. */
  readonly convertsToText?: boolean;
}

/** The options of one decoding, the path at hand, and the errors found so far. */
export class DecodeState {
  /** The way to the value at hand. */
  readonly path: Step[] = [];
  /** Unknown and duplicate fields, in the order of the document. */
  readonly strictErrors: string[] = [];
  /** The first wrong value. Decoding continues after it, because a worse error is reported instead. */
  saved: DecodeError | undefined;
  /** The first value that can be decoded and not printed. */
  unprintable: string | undefined;
  /** How many structs are around the value at hand. Only counted for encoding/json. */
  depth = 0;
  readonly duplicates: JsonDocument['duplicates'];
  readonly hasNumberTexts: boolean;
  readonly strict: boolean;
  readonly stored: boolean;
  readonly isResource: boolean;
  readonly convertsToText: boolean;
  readonly isEncodingJson: boolean;

  constructor({ duplicates, hasNumberTexts }: Omit<JsonDocument, 'value'>, options: DecodeOptions = {}) {
    this.duplicates = duplicates;
    this.hasNumberTexts = hasNumberTexts;
    this.strict = options.strict ?? false;
    this.stored = options.stored ?? false;
    this.isResource = options.isResource ?? false;
    this.convertsToText = options.convertsToText ?? false;
    this.isEncodingJson = options.decoder === 'encoding/json';
  }

  /** Throws the error that decoding found, or else the one that printing the result finds. */
  throwFirst(): void {
    if (this.saved) throw this.saved;
    if (this.unprintable !== undefined) throw new EncodeError(this.unprintable);
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

  reportStrict(problem: 'unknown field' | 'duplicate field', name: string): void {
    if (!this.strict || this.strictErrors.length >= maxStrictErrors) return;
    if (this.isEncodingJson) {
      this.save(new DecodeError(`json: ${problem} ${quoteGo(name)}`));
      return;
    }
    const text = `${problem} ${quoteGo(this.fieldPath(name))}`;
    if (!this.strictErrors.includes(text)) this.strictErrors.push(text);
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
