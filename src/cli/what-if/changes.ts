import { parseQuantity } from '../../api/quantity.ts';
import { isLabelValue, isQualifiedName } from '../../api/syntax.ts';
import { memberNameLabel } from '../../engine/placement/members.ts';
import { CliError } from '../terminal/exit.ts';

/** One thing that is supposed about one cluster. */
export type Change =
  | { readonly kind: 'taint'; readonly cluster: string; readonly key: string; readonly value?: string }
  | { readonly kind: 'untaint'; readonly cluster: string; readonly key: string }
  | { readonly kind: 'without'; readonly cluster: string }
  | { readonly kind: 'property'; readonly cluster: string; readonly name: string; readonly value: string }
  | { readonly kind: 'label'; readonly cluster: string; readonly key: string; readonly value: string }
  | { readonly kind: 'unlabel'; readonly cluster: string; readonly key: string };

/** The flags as the command line gives them, each in the order written. */
export interface WhatIfFlags {
  readonly taint?: readonly string[];
  readonly withoutCluster?: readonly string[];
  readonly property?: readonly string[];
  readonly label?: readonly string[];
}

/** Reads the flags. Errors: CliError that names the flag and a form that works. Names are not looked up here. */
export function changesOf(flags: WhatIfFlags): Change[] {
  return [
    ...(flags.withoutCluster ?? []).map((cluster): Change => ({ kind: 'without', cluster })),
    ...(flags.label ?? []).map(label),
    ...(flags.taint ?? []).map(taint),
    ...(flags.property ?? []).map(property),
  ];
}

/** One change as a sentence. */
export function sentence(change: Change): string {
  const { cluster } = change;
  switch (change.kind) {
    case 'taint':
      return `${cluster} has the taint ${change.key}${change.value ? `=${change.value}` : ''}:NoSchedule`;
    case 'untaint':
      return `${cluster} has no taint ${change.key}`;
    case 'without':
      return `${cluster} is not in the fleet`;
    case 'property':
      return `${cluster} has ${change.name} ${change.value}`;
    case 'label':
      return `${cluster} has the label ${change.key}=${change.value}`;
    case 'unlabel':
      return `${cluster} has no label ${change.key}`;
  }
}

/** `eu-1=key=value:NoSchedule`, `eu-1=key:NoSchedule`, and kubectl's minus to remove one. */
function taint(text: string): Change {
  const { cluster, rest } = split(text, '--taint', 'eu-1=maintenance=true:NoSchedule');
  const gone = rest.endsWith('-');
  const match = /^([^=:]+)(?:=([^:]*))?(?::(.*))?$/.exec(gone ? rest.slice(0, -1) : rest);
  const [, key = '', value, effect] = match ?? [];
  const form = 'write eu-1=key=value:NoSchedule, eu-1=key:NoSchedule, or eu-1=key- to remove one';
  if (!isQualifiedName(key)) throw new CliError(`--taint ${text}: "${key}" is not a key of a taint: ${form}`);
  if (value !== undefined && !isLabelValue(value))
    throw new CliError(`--taint ${text}: "${value}" is no value of a taint: ${form}`);
  if (effect !== 'NoSchedule' && !(gone && effect === undefined))
    throw new CliError(`--taint ${text}: the only effect is NoSchedule: ${form}`);
  return gone ? { kind: 'untaint', cluster, key } : { kind: 'taint', cluster, key, ...(value ? { value } : {}) };
}

/** `eu-1:available-cpu=0`. */
function property(text: string): Change {
  const { cluster, rest } = split(text, '--property', 'eu-1:available-cpu=0');
  const at = rest.lastIndexOf('=');
  const name = rest.slice(0, Math.max(at, 0));
  const value = rest.slice(at + 1);
  if (name === '' || value === '')
    throw new CliError(`--property ${text}: a name and a value are needed: write eu-1:available-cpu=0`);
  if (!name.endsWith('version') && parseQuantity(value) === undefined)
    throw new CliError(`--property ${text}: "${value}" is not a quantity: write for example 8, 500m or 64Gi`);
  return { kind: 'property', cluster, name, value };
}

/** `eu-1:key=value`, or `eu-1:key-` to remove one. */
function label(text: string): Change {
  const { cluster, rest } = split(text, '--label', 'eu-1:env=prod');
  const match = /^([^=]+?)(?:=(.*)|(-))$/.exec(rest);
  const [, key = '', value] = match ?? [];
  if (!match || !isQualifiedName(key))
    throw new CliError(`--label ${text}: write eu-1:key=value, or eu-1:key- to remove the label`);
  if (key === memberNameLabel)
    throw new CliError(`--label ${text}: every member has its own name under ${key}, which cannot be changed`);
  if (value === undefined) return { kind: 'unlabel', cluster, key };
  if (!isLabelValue(value))
    throw new CliError(`--label ${text}: "${value}" is no value of a label: at most 63 of A-Z a-z 0-9 - _ .`);
  return { kind: 'label', cluster, key, value };
}

/** The name of a cluster holds neither `:` nor `=`, so either of them ends it. */
function split(text: string, flag: string, example: string): { readonly cluster: string; readonly rest: string } {
  const at = text.search(/[:=]/);
  if (at <= 0 || at === text.length - 1)
    throw new CliError(`${flag} ${text}: it begins with the name of a cluster: write for example ${flag} ${example}`);
  return { cluster: text.slice(0, at), rest: text.slice(at + 1) };
}
