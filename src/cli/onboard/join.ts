import { resolve } from 'node:path';
import { type MemberCluster, memberCluster } from '../../api/member-cluster.ts';
import { isLabelValue, isQualifiedName, isSubdomain } from '../../api/syntax.ts';
import { planFleet } from '../../engine/plan.ts';
import { sourceOf } from '../../engine/problem-of.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError, UnreachableError } from '../../members/api-server/api-error.ts';
import type { MemberClient } from '../../members/api-server/client.ts';
import { discover } from '../../members/api-server/discovery.ts';
import { identityOf } from '../../members/identity.ts';
import { type Right, rightsFor } from '../../members/rights.ts';
import { editObject } from '../change/edit-yaml.ts';
import { type Desired, withDesired } from '../change/open-desired.ts';
import { reportChange } from '../change/report-change.ts';
import { authorOf } from '../change/submit.ts';
import { readPlanInput } from '../plan/input.ts';
import { membersNamed } from '../run/members-named.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { print } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';
import { applyOfAccount, issuedToken } from './create-account.ts';
import { placeholderLine } from './first-files.ts';
import { memberAccount } from './member-account.ts';
import { briefClient, servedPlurals } from './member-client.ts';
import { kubeconfigPath, memberKubeconfig, writeKubeconfig } from './member-kubeconfig.ts';
import { nextCommand } from './next-command.ts';
import { yamlOf } from './rbac.ts';
import { refuseOtherCluster } from './same-cluster.ts';
import { pluralsOf, workOn } from './work-on.ts';

interface JoinOptions {
  readonly name?: string;
  readonly label?: readonly string[];
  readonly repo: string;
  readonly path?: string;
  readonly branch: string;
  readonly members: string;
  readonly kubeconfig: string;
  readonly server?: string;
  readonly replace?: boolean;
  readonly pullRequest?: boolean;
  readonly dryRun?: boolean;
  readonly gitAuthor?: string;
}

/** All requests of the command, milliseconds: an account takes a few, and its token some seconds. */
const timeoutMs = 60_000;

/**
 * Adds a cluster to the fleet: its account with the rights for what is placed there, a kubeconfig of that account, and its
 * MemberCluster. May be repeated: what is there already stays, and the rights follow what is placed.
 */
export async function join(context: string, options: JoinOptions): Promise<void> {
  const name = nameOf(context, options);
  const labels = labelsOf(options.label ?? []);
  const connections = await membersNamed(options.kubeconfig, '--kubeconfig');
  if (!connections.names.includes(context))
    throw unknownName({ what: 'context', name: context, known: connections.names });
  const transport = (await connections.open(context))!;
  const endpoint = { ...(await connections.endpoint(context))!, ...(options.server && { server: options.server }) };
  const path = await kubeconfigPath(resolve(options.members), name);
  await withDesired(options, async (desired) => {
    const { edits, member } = await memberEdit(desired, name, labels);
    const client = briefClient(context, transport, timeoutMs);
    await refuseOtherCluster({
      context,
      name,
      identity: await identityOf(client).catch(refused),
      endpoint,
      dir: resolve(options.members),
      members: desired.fleet.members.map(({ metadata }) => metadata.name),
      isMeant: options.replace ?? false,
    });
    const account = memberAccount(await rightsOn(client, member, options).catch(refused));
    if (!options.dryRun) await authorOf(desired, options.gitAuthor);
    if (options.dryRun) {
      print(`# On ${context}\n${await yamlOf(account)}---\n# ${path}`);
      print(`${await memberKubeconfig(name, endpoint, '<the token that the member issues>')}---`);
    } else {
      const rows = [];
      for (const manifest of account)
        rows.push([describeRef(refOfManifest(manifest)), await applyOfAccount(client, manifest).catch(refused)]);
      print(table(['OBJECT', 'RESULT'], rows));
      const token = await issuedToken(client).catch(refused);
      const isNew = await writeKubeconfig(path, await memberKubeconfig(name, endpoint, token));
      print(`${path}: ${isNew ? 'written' : 'unchanged'}`);
    }
    noteLoopback(endpoint.server);
    await reportChange(
      desired,
      { edits, message: `Add cluster ${name}`, branch: options.pullRequest ? `gitfleet/join/${name}` : undefined },
      {
        options: { ...options, output: 'table' },
        summary: {
          done: `${name} joins the fleet`,
          already: `${name} is in the fleet`,
          notes: await placeholderNotes(desired, edits),
        },
      },
    );
    if (!options.dryRun) print(`Next: ${nextCommand('check', options)}`);
  });
}

function nameOf(context: string, options: JoinOptions): string {
  const name = options.name ?? context;
  if (isSubdomain(name)) return name;
  const hint = options.name === undefined ? 'write --name, for example --name eu-1' : 'write for example eu-1';
  throw new CliError(
    `${name} cannot be the name of a member, which has lower-case letters, digits, - and . only: ${hint}`,
  );
}

function labelsOf(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text): [string, string] => {
      const at = text.indexOf('=');
      const [key, value] = [text.slice(0, at), text.slice(at + 1)];
      if (at > 0 && isQualifiedName(key) && isLabelValue(value)) return [key, value];
      throw new CliError(`--label ${text} is not a label: write for example env=prod`);
    }),
  );
}

/** The MemberCluster as it will be, and the file that changes; none when it is so already. */
async function memberEdit(desired: Desired, name: string, labels: ReadonlyMap<string, string>) {
  const edits = new Map<string, string>();
  const there = desired.fleet.members.find(({ metadata }) => metadata.name === name);
  const metadata = { name, ...(labels.size > 0 && { labels: Object.fromEntries(labels) }) };
  const document = { apiVersion: 'cluster.kubernetes-fleet.io/v1', kind: 'MemberCluster', metadata };
  if (there === undefined) {
    const file = `${desired.folder}clusters/${name}.yaml`;
    if ((await desired.text(file)) !== undefined)
      throw new CliError(`${file} is there and holds no valid MemberCluster ${name}: correct or remove it first`);
    edits.set(file, await yamlOf([document]));
    return { edits, member: memberCluster.parse(document) };
  }
  const news = [...labels].filter(([key, value]) => there.metadata.labels?.[key] !== value);
  const file = sourceOf(desired.fleet, { kind: 'MemberCluster', name })?.file ?? '';
  const found = (await desired.text(file)) ?? '';
  const text = found.replace(placeholderLine, '');
  if (news.length > 0) {
    const edit = (of: { setIn(path: string[], value: string): void }) => {
      for (const [key, value] of news) of.setIn(['metadata', 'labels', key], value);
    };
    edits.set(file, editObject({ file, text }, { kind: 'MemberCluster', name }, edit));
  } else if (text !== found) edits.set(file, text);
  const all = { ...there.metadata.labels, ...Object.fromEntries(labels) };
  return { edits, member: { ...there, metadata: { ...there.metadata, labels: all } } };
}

/** About the cluster of `gitfleet init`, which never responds if none joins as it. */
async function placeholderNotes(desired: Desired, edits: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const file = `${desired.folder}clusters/eu-1.yaml`;
  if (edits.has(file) || !(await desired.text(file))?.startsWith(placeholderLine)) return [];
  return [`${file} is the placeholder of gitfleet init: delete it if no cluster joins as eu-1`];
}

/** For what would be placed on the member if it were in the fleet. */
async function rightsOn(
  client: MemberClient,
  member: MemberCluster,
  { repo, path, branch }: JoinOptions,
): Promise<readonly Right[]> {
  const before = await readPlanInput({ repo, ...(path && { path }), ref: branch });
  const { name } = member.metadata;
  const others = before.fleet.members.filter(({ metadata }) => metadata.name !== name);
  const input = { ...before, fleet: { ...before.fleet, members: [...others, member] } };
  const work = workOn(name, input, planFleet(input));
  return rightsFor(work, await servedPlurals(work, discover(client), pluralsOf(input)));
}

/** The user's own rights are too few, or the cluster does not respond. */
function refused(error: unknown): never {
  if (error instanceof ApiError) throw new CliError(refusalText(error), exitCodes.unreachable, { cause: error });
  if (error instanceof UnreachableError) throw new CliError(error.message, exitCodes.unreachable, { cause: error });
  throw error;
}

function refusalText({ message, status }: ApiError): string {
  if (status === 401) return `${message}: log in again, or name another context`;
  if (status === 403) return `${message}: it takes a context with the rights to create the account`;
  return message;
}

function noteLoopback(server: string): void {
  if (!URL.canParse(server) || !/^(127(\.\d+){3}|localhost|\[::1\])$/.test(new URL(server).hostname)) return;
  writeError(`note: ${server} is an address of this machine only: for a daemon elsewhere give --server URL\n`);
}
