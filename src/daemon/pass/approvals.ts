import { stringify } from 'yaml';
import type { FleetConfig } from '../../api/gitfleet.ts';
import { placementKey } from '../../api/placement.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { approvalFolder } from '../../repo/fleet/approval-places.ts';
import {
  type RemovalToApprove,
  removalApprovalObject,
  removalsToApprove,
} from '../../repo/record/removals-to-approve.ts';
import type { InEffect } from '../../report/in-effect.ts';
import type { Approvals } from '../ports.ts';

interface Request {
  readonly name: string;
  /** In the fleet repo. Undefined: in the folder where approvals count. */
  readonly path?: string | undefined;
  readonly content: string;
}

/** Requests the missing approvals and withdraws outdated requests: for gates, and for removals that the guard refused. */
export async function syncApprovals(
  { guard }: Pick<Plan, 'guard'>,
  present: Pick<InEffect, 'approvals' | 'removalHolds'> & { readonly config: FleetConfig | undefined },
  approvals: Approvals,
): Promise<{ readonly asked: readonly string[] }> {
  const removing = removalsToApprove({ guard, holds: present.removalHolds });
  const wanted = new Map([...gates(present), ...removals(removing)].map((request) => [request.name, request]));
  const folder = approvalFolder(present.config);
  const existing = new Set(await approvals.list());
  for (const name of existing) if (!wanted.has(name)) await approvals.withdraw(name);
  for (const request of wanted.values()) {
    const { name, content, path = `${folder}${name}.yaml` } = request;
    await approvals.ask({ name, path, content });
  }
  return { asked: [...wanted.keys()].filter((name) => !existing.has(name)) };
}

function gates({ approvals }: Pick<InEffect, 'approvals'>): Request[] {
  return approvals.map(({ planned, file }) => ({
    name: placementKey(planned),
    path: file.path,
    content: stringify(file.object, { lineWidth: 0 }),
  }));
}

function removals(removing: readonly RemovalToApprove[]): Request[] {
  return removing.map((asked) => {
    const { name, messages } = asked;
    const because = messages.map((message) => `# ${message.replaceAll('\n', '\n# ')}`).join('\n');
    return {
      name,
      content: `${because}\n# Merging this file approves exactly these removals.\n${stringify(removalApprovalObject(asked))}`,
    };
  });
}
