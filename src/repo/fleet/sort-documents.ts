import { error, type Issue } from '../../api/issue.ts';
import { fleetKinds, isFleetGroup } from '../../api/kinds.ts';
import type { ObjectRef } from '../../api/meta.ts';
import { nearest } from '../../api/syntax.ts';
import { writtenRef } from '../../api/written-ref.ts';
import { itemsOf } from '../yaml/items-of.ts';
import type { Finding, Placed } from './finding.ts';
import { ofAnyKind } from './fleet-objects.ts';
import { notRendered } from './usable-files.ts';

export interface SortedDocuments {
  /** Objects of fleet groups, in any folder. */
  readonly fleet: readonly Placed[];
  /** Resources: everything else under `resources/`. */
  readonly hub: readonly Placed[];
  readonly findings: readonly Finding[];
  /** Likely identities of incomplete documents. */
  readonly refused: readonly ObjectRef[];
  /** Files with an incomplete object that cannot be identified: it may be any object that is missing now. */
  readonly unreadable: readonly string[];
}

/** Sorts documents by their groups and folders. The items of a List count one by one. */
export function sortDocuments(documents: readonly Placed[]): SortedDocuments {
  const fleet: Placed[] = [];
  const hub: Placed[] = [];
  const findings: Finding[] = [];
  const unreadable: string[] = [];
  const refused: ObjectRef[] = [];
  const hold = (placed: Placed): void => {
    const refs = likely(placed.value);
    if (refs) refused.push(...refs);
    else unreadable.push(placed.file);
  };
  const sort = (placed: Placed): void => {
    const items = itemsOf(placed.value);
    if (items) {
      for (const [at, item] of items.entries()) {
        const value = typeof item === 'object' && item !== null ? item : {};
        sort({ ...placed, value, inside: [...placed.inside, 'items', at] });
      }
      return;
    }
    const inResources = placed.file.startsWith('resources/');
    const { apiVersion, kind } = placed.value as { apiVersion?: unknown; kind?: unknown };
    if (isOfKustomize(placed.value)) findings.push({ placed, issue: { ...notRendered('Kustomize'), path: [] } });
    else if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
      const issue = incomplete(placed, inResources);
      if (issue) findings.push({ placed, issue });
      if (issue?.severity === 'error') hold(placed);
    } else if (isFleetGroup(apiVersion)) {
      fleet.push(placed);
    } else if (fleetKinds.some((known) => known.kind === kind)) {
      findings.push({ placed, issue: foreignGroup(apiVersion, kind) });
      hold(placed);
    } else if (inResources) hub.push(placed);
    else
      findings.push({
        placed,
        issue: apiVersion === 'v1' && kind === 'Config' ? kubeconfig : notPlaced(kind, placed.file),
      });
  };
  for (const placed of documents) sort(placed);
  return { fleet, hub, findings, refused, unreadable };
}

function likely(value: object): readonly ObjectRef[] | undefined {
  const { apiVersion, kind, metadata } = value as { apiVersion?: unknown; kind?: unknown; metadata?: unknown };
  if (typeof kind === 'string') {
    const ref = writtenRef({ apiVersion: '', kind, metadata });
    return ref && [ref];
  }
  const ref = writtenRef({ apiVersion, kind: '', metadata });
  return ref && isFleetGroup(ref.apiVersion) ? ofAnyKind(ref) : undefined;
}

/** Input of Kustomize, whose file may have any name. */
function isOfKustomize(value: object): boolean {
  const { apiVersion } = value as { apiVersion?: unknown };
  return typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/');
}

/** Documents without apiVersion and kind are not fleet input; one with either of them, or an item of a List, is an incomplete object. */
function incomplete({ value, inside }: Placed, inResources: boolean): Issue | undefined {
  const { apiVersion, kind } = value as { apiVersion?: unknown; kind?: unknown };
  const ours =
    (typeof apiVersion === 'string' && isFleetGroup(apiVersion)) || fleetKinds.some((known) => known.kind === kind);
  const missing = typeof apiVersion === 'string' ? 'kind' : 'apiVersion';
  if (
    ours ||
    (inResources && (apiVersion !== undefined || kind !== undefined || inside.length > 0 || 'metadata' in value))
  )
    return misspelt(value, missing);
  return inResources
    ? {
        ...error('not-an-object', [], 'this is not a Kubernetes object and is not placed', 'move it out of resources/'),
        severity: 'info',
      }
    : undefined;
}

function misspelt(value: object, missing: 'apiVersion' | 'kind'): Issue {
  if (Object.hasOwn(value, missing)) {
    const example = missing === 'kind' ? 'ConfigMap' : 'v1';
    return error(
      'wrong-type',
      [missing],
      `this is not a Kubernetes object: ${missing} must be a string`,
      `write for example ${example}`,
    );
  }
  const like = Object.keys(value).find((key) => nearest(key, [missing]) !== undefined);
  const message = `this is not a Kubernetes object: ${missing} is missing`;
  return like === undefined
    ? error('not-an-object', [], message, `add ${missing}`)
    : error('not-an-object', [like], message, `write ${missing} instead of ${like}`);
}

function foreignGroup(apiVersion: string, kind: string): Issue {
  const { group } = fleetKinds.find((known) => known.kind === kind)!;
  const version = group === 'gitfleet.dev' ? 'v1alpha1' : 'v1';
  return {
    ...error('unknown-group', ['apiVersion'], `${kind} belongs to ${group}`, `write ${group}/${version}`),
    value: apiVersion,
  };
}

function notPlaced(kind: string, file: string): Issue {
  const folder = /^(.+?)\/resources\//.exec(file)?.[1];
  const fix = `move it under resources/ to place it${folder === undefined ? '' : `, or use --path ${folder}`}`;
  return { ...error('not-placed', [], `${kind} is outside resources/ and is not placed`, fix), severity: 'info' };
}

/** Everyone who can read the repo could use its credentials. */
const kubeconfig: Issue = {
  ...error('not-placed', [], 'this is a kubeconfig', 'keep it out of git: add its folder to .gitignore'),
  severity: 'info',
};
