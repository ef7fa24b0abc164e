import { Optional, type Value } from './language/value.ts';
import { schemaValue } from './json-value.ts';
import type { SchemaDeclaration } from './schema-declaration.ts';

/** `self` and `oldSelf`, converted once for all rules of a value. */
export class RuleVariables {
  readonly json: unknown;
  readonly isNew: boolean;
  private readonly old: unknown;
  private readonly declaration: SchemaDeclaration;
  private selfValue: Value | undefined;

  constructor(json: unknown, old: unknown, declaration: SchemaDeclaration) {
    this.json = json;
    this.old = old;
    this.isNew = old === undefined || old === null;
    this.declaration = declaration;
  }

  lookup(optional: boolean): (name: string) => Value | undefined {
    return (name) => {
      if (name === 'self') return (this.selfValue ??= schemaValue(this.json, this.declaration));
      if (name !== 'oldSelf') return undefined;
      const value = this.isNew ? undefined : schemaValue(this.old, this.declaration);
      return optional ? new Optional(value) : value;
    };
  }
}
