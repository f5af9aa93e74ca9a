import { parseDocument, stringify } from 'yaml';
import { reviewAnnotation } from '../../../engine/gate/review.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { proposedPath } from '../../../engine/upgrade/profile-run.ts';
import { approvalPrefix } from '../../../git/approval-branches.ts';
import { type BranchAdditions, branchAdditions } from '../../../git/branch-additions.ts';
import { fileChanges } from '../../../git/objects/changes.ts';
import { newObject } from '../../../git/objects/new-objects.ts';
import { alwaysAsk } from '../../../git/ref-poll.ts';
import { gitSource } from '../../../git/source.ts';
import { countingFolderOf } from '../../../repo/fleet/approval-places.ts';
import { removalApprovalObject } from '../../../repo/record/removals-to-approve.ts';
import { recordedApproval } from '../../../report/recorded-approval.ts';
import { CliError, exitCodes } from '../../terminal/exit.ts';
import type { Desired } from '../open-desired.ts';
import type { Requests } from './read-requests.ts';

/** The branch of a request: what merging it brings. */
export interface RequestBranch {
  readonly name: string;
  /** Undefined = there is no branch: a scheduled start is not asked for, and its file opens it early. */
  readonly tip: string | undefined;
  /** Of the approval file. */
  readonly path: string;
  /** The file to reject it with: as it was requested, whatever the branch has; undefined where no such request is recorded. */
  readonly requested: string | undefined;
  /** Text of every file that it changes; undefined deletes. Errors: CliError where it cannot be merged. */
  readonly edits: () => Promise<ReadonlyMap<string, string | undefined>>;
  /** What is not as gitfleet requests it, one clause each. */
  readonly doubts: readonly string[];
  /** It changes further files, and does not have the newest commit of the branch of desired state. */
  readonly isBehind: boolean;
}

/** Undefined if there is no such branch. Errors: CliError while no approval counts. */
export async function readRequestBranch(
  name: string,
  desired: Desired,
  requests: Requests,
): Promise<RequestBranch | undefined> {
  const { branches } = desired;
  const ref = `${approvalPrefix}${name}`;
  const tip = (await branches.list([ref])).get(ref);
  if (tip === undefined) return scheduledStart(name, desired, requests);
  await branches.obtain(ref, tip);
  const isProposed = requests.proposed.has(name) && !requests.open.has(name);
  const folder = countingFolderOf(desired.fleet);
  if (folder === undefined && !isProposed)
    throw new CliError(
      `fleet.yaml is not in effect on ${desired.branch}, and no approval counts meanwhile: correct what gitfleet validate reports for it, then approve ${name}`,
      exitCodes.refused,
    );
  const usual = desired.folder + (isProposed ? proposedPath(name) : `${folder}${name}.yaml`);
  const { added, files } = await changesOf(tip, usual, { desired, requests });
  const own = files.get(usual);
  const text = own === undefined ? undefined : await readText(own, desired);
  const ofFile = own === undefined ? [`it has no ${usual}`] : doubtsOf(name, text, requests);
  const doubts = [
    ...added.commits.map((commit) => `commit ${commit}`),
    ...added.files.map((file) => `file ${file}`),
    ...ofFile,
  ];
  const requested = ofFile.length === 0 ? text : requestedText(requests.open.get(name));
  const isBehind = added.files.length > 0 && !(await branches.objects.isAncestor(desired.tip, tip));
  async function edits(): Promise<ReadonlyMap<string, string | undefined>> {
    if (own === undefined)
      throw new CliError(
        `gitfleet/approve/${name} has no ${usual}, so there is nothing to approve on it: delete the branch, and gitfleet pushes it again`,
      );
    const texts = new Map<string, string | undefined>();
    for (const [file, oid] of files) texts.set(file, oid === undefined ? undefined : await textOf(oid, file, desired));
    return texts;
  }
  return { name, tip, path: usual, requested, edits, doubts, isBehind };
}

/** A gate that opens by itself at its time: the file that opens it before. */
function scheduledStart(name: string, { fleet }: Desired, { open }: Requests): RequestBranch | undefined {
  const gate = open.get(name);
  const folder = countingFolderOf(fleet);
  if (folder === undefined || gate === undefined || !('kind' in gate) || gate.kind !== 'Gate') return undefined;
  if (gate.spec.gateType !== 'ScheduledStart') return undefined;
  const { status: _, ...file } = gate;
  const [path, text] = [
    `${folder}${name}.yaml`,
    stringify({ ...file, spec: { ...gate.spec, state: 'Completed' } }, { lineWidth: 0 }),
  ];
  return {
    name,
    tip: undefined,
    path,
    requested: text,
    edits: async () => new Map([[path, text]]),
    doubts: [],
    isBehind: false,
  };
}

const requestedText = (open: ReturnType<Requests['open']['get']>): string | undefined => {
  const file = open && 'kind' in open ? recordedApproval(open).file?.object : open && removalApprovalObject(open);
  return file && stringify(file, { lineWidth: 0 });
};

/** What the branch changes since it left the branch of desired state: objects of files; undefined deletes. */
async function changesOf(
  tip: string,
  path: string,
  { desired, requests }: { readonly desired: Desired; readonly requests: Requests },
): Promise<{ readonly added: BranchAdditions; readonly files: ReadonlyMap<string, string | undefined> }> {
  const { branches, tip: followed } = desired;
  const { objects } = branches;
  const source = gitSource(branches, desired, alwaysAsk(branches));
  const added = await branchAdditions(source, { tip, followed, path, author: requests.author });
  const tree = (await objects.commit(tip)).tree;
  const [[own] = []] = await fileChanges(objects, [{ before: undefined, after: tree }], path);
  const files = new Map<string, string | undefined>(own?.after === undefined ? [] : [[path, own.after]]);
  for (const file of added.files) {
    const [[change] = []] = await fileChanges(objects, [{ before: undefined, after: tree }], file);
    files.set(file, change?.after);
  }
  return { added, files };
}

async function textOf(oid: string, file: string, desired: Desired): Promise<string> {
  const text = await readText(oid, desired);
  if (text !== undefined) return text;
  throw new CliError(`${file} on the branch is no text: merge it with git after you have looked at it`);
}

/** Undefined: it is no text. */
async function readText(oid: string, { branches }: Desired): Promise<string | undefined> {
  const text = (await branches.objects.read([oid])).get(oid)!.content.toString('utf8');
  return newObject('blob', Buffer.from(text)).oid === oid ? text : undefined;
}

/** How the file differs from what the status branch records as requested. */
function doubtsOf(name: string, text: string | undefined, { open, proposed }: Requests): string[] {
  const document = parseDocument(text ?? '', { logLevel: 'silent' });
  const written = document.errors.length === 0 ? (document.toJS() as Written | null) : undefined;
  if (written === undefined || written === null) return ['its file is no YAML'];
  const requested = open.get(name);
  if (requested === undefined) {
    const run = proposed.get(name);
    if (run === undefined) return ['the status branch records no such request, and no AutoUpgradeProfile proposes it'];
    return canonicalJson(written) === canonicalJson(run)
      ? []
      : ['its file is not the run that the AutoUpgradeProfile proposes'];
  }
  if ('removalDigest' in requested)
    return written.kind === 'RemovalApproval' && written.spec?.['removalDigest'] === requested.removalDigest
      ? []
      : ['its file does not approve the removal that the status branch records'];
  const expected = recordedApproval(requested).file?.object as Written;
  return canonicalJson(essence(written)) === canonicalJson(essence(expected))
    ? []
    : ['its file does not approve what the status branch records as requested'];
}

interface Written {
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] };
}

const essence = ({ kind, metadata, spec, status }: Written): object => ({
  kind,
  name: metadata?.name,
  namespace: metadata?.namespace,
  review: metadata?.annotations?.[reviewAnnotation],
  spec,
  answers: status?.conditions?.map(({ type, status: answer }) => [type, answer]),
});
