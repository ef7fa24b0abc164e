import { type CelType, dynType, isDyn, isDynOrError, listType, mapType, sameType, typeType } from './type.ts';

/**
 * The bindings of type parameters. A check whether a type can be assigned to another may add bindings; a failed check
 * removes those that it added.
 */
export class Substitution {
  private readonly bindings = new Map<string, CelType>();
  /** The bindings that were replaced, so that a failed check can be undone. */
  private readonly trail: [string, CelType | undefined][] = [];

  bind(param: CelType, type: CelType): void {
    this.trail.push([param.name, this.bindings.get(param.name)]);
    this.bindings.set(param.name, type);
  }

  private undo(length: number): void {
    while (this.trail.length > length) {
      const [name, previous] = this.trail.pop() as [string, CelType | undefined];
      if (previous) this.bindings.set(name, previous);
      else this.bindings.delete(name);
    }
  }

  private find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.bindings.get(type.name) : undefined;
  }

  /** Whether a value of type `from` can stand where `to` is asked for. */
  assign(from: CelType, to: CelType): boolean {
    return this.assignAll([from], [to]);
  }

  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    const before = this.trail.length;
    const answer = this.everyAssignable(from, to);
    if (!answer) this.undo(before);
    return answer;
  }

  private everyAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, index) => this.assignable(type, to[index] as CelType));
  }

  private assignable(t1: CelType, t2: CelType): boolean {
    if (t2.kind === 'param') {
      const answer = this.substitutable(t1, t2);
      if (answer.valid) return true;
      if (answer.bound) return false;
    }
    if (t1.kind === 'param') return this.substitutable(t2, t1).valid;
    if (isDynOrError(t1) || isDynOrError(t2)) return true;
    if (t1.kind === 'null_type') return isNullable(t2);
    if (t2.kind === 'null_type') return isNullable(t1);
    switch (t1.kind) {
      case 'type':
        return t2.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return t1.kind === t2.kind && t1.name === t2.name && this.everyAssignable(t1.params, t2.params);
      default:
        return sameType(t1, t2);
    }
  }

  /** Whether `param` can stand for `type`; binds it when it is free. */
  private substitutable(type: CelType, param: CelType): { valid: boolean; bound: boolean } {
    if (sameType(type, param)) return { valid: true, bound: true };
    const known = this.find(param);
    if (known) {
      if (sameType(type, known)) return { valid: true, bound: true };
      if (!this.assignable(type, known)) return { valid: false, bound: true };
      const general = mostGeneral(type, known);
      if (!this.occursIn(param, general)) this.bind(param, general);
      return { valid: true, bound: true };
    }
    if (this.occursIn(param, type)) return { valid: false, bound: false };
    this.bind(param, type);
    return { valid: true, bound: false };
  }

  private occursIn(param: CelType, within: CelType): boolean {
    if (sameType(param, within)) return true;
    if (within.kind === 'param') {
      const known = this.find(within);
      return known !== undefined && this.occursIn(param, known);
    }
    return within.params.some((inner) => this.occursIn(param, inner));
  }

  /** The type with all known parameters replaced; unknown ones become `dyn` when `free` is `dyn`. */
  apply(type: CelType, free: 'keep' | 'dyn'): CelType {
    const known = this.find(type);
    if (known) return this.apply(known, free);
    switch (type.kind) {
      case 'param':
        return free === 'dyn' ? dynType : type;
      case 'list':
        return listType(this.apply(type.params[0] as CelType, free));
      case 'map':
        return mapType(this.apply(type.params[0] as CelType, free), this.apply(type.params[1] as CelType, free));
      case 'type':
        return type.params[0] ? typeType(this.apply(type.params[0], free)) : type;
      case 'opaque':
        return { ...type, params: type.params.map((param) => this.apply(param, free)) };
      default:
        return type;
    }
  }
}

function isNullable(type: CelType): boolean {
  return ['null_type', 'opaque', 'struct', 'duration', 'timestamp'].includes(type.kind);
}

/** The more general of two types that fit each other. */
export function mostGeneral(t1: CelType, t2: CelType): CelType {
  return isEqualOrLessSpecific(t1, t2) ? t1 : t2;
}

function isEqualOrLessSpecific(t1: CelType, t2: CelType): boolean {
  if (isDyn(t1) || t1.kind === 'param') return true;
  if (isDyn(t2) || t2.kind === 'param' || t1.kind !== t2.kind) return false;
  switch (t1.kind) {
    case 'opaque':
      if (t1.name !== t2.name || t1.params.length !== t2.params.length) return false;
      return t1.params.every((param, index) => isEqualOrLessSpecific(param, t2.params[index] as CelType));
    case 'list':
    case 'map':
      return t1.params.every((param, index) => isEqualOrLessSpecific(param, t2.params[index] as CelType));
    case 'type':
      return true;
    default:
      return sameType(t1, t2);
  }
}
