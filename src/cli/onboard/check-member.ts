import type { MemberCluster } from '../../api/member-cluster.ts';
import { messageOf } from '../../api/message-of.ts';
import type { PlanInput } from '../../engine/input.ts';
import { isFields } from '../../engine/kernel/fields.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { PlanResult } from '../../engine/plan.ts';
import { ApiError } from '../../members/api-server/api-error.ts';
import { discover } from '../../members/api-server/discovery.ts';
import type { Connections } from '../../members/api-server/kubeconfig.ts';
import type { Transport } from '../../members/api-server/transport.ts';
import { identityOf } from '../../members/identity.ts';
import { type Right, rightsFor } from '../../members/rights.ts';
import { type Check, failed, fine, unreached, warning } from './checks.ts';
import { briefClient, servedPlurals } from './member-client.ts';
import { missingRights } from './missing-rights.ts';
import { pluralsOf, workOn } from './work-on.ts';

/**
 * The `Date` of a response is in whole seconds, and clocks that are synchronized differ by less than this. Certificates and tokens that
 * were just issued count as not valid yet on a clock that is behind. Milliseconds.
 */
const mostSkewMs = 5_000;
/** Missing rights named; the rest are counted. */
const mostNamed = 4;

interface CheckedMember {
  readonly checks: readonly Check[];
  /** Of its cluster; undefined where it cannot be read. */
  readonly identity?: string | undefined;
}

/** Whether a member responds, with which version, whether the rights of the account suffice there, and how its clock differs. */
export async function checkMember(
  { metadata: { name } }: Pick<MemberCluster, 'metadata'>,
  of: {
    readonly connections: Connections;
    readonly input: PlanInput;
    readonly planned: PlanResult;
    readonly timeoutMs: number;
  },
): Promise<CheckedMember> {
  const member = { check: 'member', name };
  try {
    const transport = await of.connections.open(name);
    if (transport === undefined)
      return { checks: [unreached(member, 'no kubeconfig has it', `gitfleet join CONTEXT --name ${name}`)] };
    const { transport: dated, skewMs } = withDates(transport);
    const client = briefClient(name, dated, of.timeoutMs);
    const version = await client.json({ method: 'GET', path: '/version', tried: 'read the version', urgent: true });
    const git = isFields(version) ? version['gitVersion'] : undefined;
    const work = workOn(name, of.input, of.planned);
    const rights = rightsFor(work, await servedPlurals(work, discover(client), pluralsOf(of.input)));
    const checks = [
      fine(member, `responds, ${typeof git === 'string' ? git : 'version unknown'}`),
      rightsCheck(name, await missingRights(client, rights), rights.length),
      ...clockCheck(name, skewMs()),
    ];
    return { checks, identity: await identityOf(client) };
  } catch (error) {
    return { checks: [troubleCheck(member, error)] };
  }
}

function troubleCheck(member: Pick<Check, 'check' | 'name'>, error: unknown): Check {
  const message = messageOf(error);
  if (!(error instanceof ApiError))
    return unreached(member, message, message.endsWith('in time') ? 'a longer --timeout waits longer' : undefined);
  const isToken = error.status === 401;
  return failed(
    member,
    message,
    isToken ? `gitfleet join CONTEXT --name ${member.name} writes new credentials` : undefined,
  );
}

function rightsCheck(name: string, missing: readonly Right[], all: number): Check {
  const of = { check: 'rights', name };
  if (missing.length === 0) return fine(of, `all ${all} that are needed for what is placed there`);
  const named = missing.map((right) => ('url' in right ? `get ${right.url}` : resourceText(right)));
  return failed(
    of,
    `${missing.length} of ${all} missing: ${listUpTo(named, mostNamed)}`,
    `gitfleet rbac --cluster ${name} prints the account to apply`,
  );
}

const resourceText = ({ verb, group, resource, name, namespace }: Exclude<Right, { readonly url: string }>): string =>
  `${verb} ${resource}${group && `.${group}`}${name ? ` ${name}` : ''}${namespace ? ` in ${namespace}` : ''}`;

function clockCheck(name: string, skewMs: number | undefined): Check[] {
  const of = { check: 'clock', name };
  if (skewMs === undefined) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= mostSkewMs) return [fine(of, `within ${mostSkewMs / 1000} s of this machine's`)];
  const way = skewMs > 0 ? 'ahead of' : 'behind';
  return [warning(of, `${seconds} s ${way} this machine's`, 'synchronize both by NTP')];
}

/** Notes how far the clock of the server is ahead, by the `Date` of its responses: by the quickest response, to the second. */
function withDates(transport: Transport): { readonly transport: Transport; readonly skewMs: () => number | undefined } {
  let best: { readonly tookMs: number; readonly skewMs: number } | undefined;
  return {
    async transport(request) {
      const sent = Date.now();
      const response = await transport(request);
      const heard = Date.now();
      const date = Date.parse(response.headers['date'] ?? '');
      const tookMs = heard - sent;
      // The header is cut to the second, so half of one is added.
      if (!Number.isNaN(date) && tookMs < (best?.tookMs ?? Number.POSITIVE_INFINITY))
        best = { tookMs, skewMs: date + 500 - (sent + tookMs / 2) };
      return response;
    },
    skewMs: () => best?.skewMs,
  };
}
