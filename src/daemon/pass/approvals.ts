import { stringify } from 'yaml';
import { placementKey } from '../../api/placement.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { approvalFile, isUnanswered } from '../../engine/staged/approval/file.ts';
import type { Approvals } from '../ports.ts';

interface Request {
  readonly name: string;
  readonly path: string;
  readonly content: string;
}

/** Asks for what the plan waits for, and takes back what it no longer waits for. */
export async function syncApprovals(plan: Plan, approvals: Approvals): Promise<{ readonly asked: readonly string[] }> {
  const wanted = new Map([...gates(plan), ...removals(plan)].map((request) => [request.name, request]));
  const existing = new Set(await approvals.list());
  for (const name of existing) if (!wanted.has(name)) await approvals.withdraw(name);
  for (const request of wanted.values()) await approvals.ask(request);
  return { asked: [...wanted.keys()].filter((name) => !existing.has(name)) };
}

function gates(plan: Plan): Request[] {
  return plan.approvals.filter(isUnanswered).map((approval) => {
    const name = placementKey(approval);
    return { name, path: `approvals/${name}.yaml`, content: stringify(approvalFile(approval), { lineWidth: 0 }) };
  });
}

/** Refused plans, and single removals that are held: whatever a RemovalApproval ends. */
function removals(plan: Plan): Request[] {
  const reasons = new Map<string, string[]>();
  for (const { removalDigest, message } of [...plan.guard, ...plan.holds]) {
    if (removalDigest === undefined) continue;
    reasons.set(removalDigest, [...(reasons.get(removalDigest) ?? []), message]);
  }
  return [...reasons].map(([removalDigest, messages]) => {
    const name = `removal-${removalDigest.replace(/^sha256:/, '').slice(0, 12)}`;
    const file = {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'RemovalApproval',
      metadata: { name },
      spec: { removalDigest },
    };
    const because = messages.map((message) => `# ${message.replaceAll('\n', '\n# ')}`).join('\n');
    return {
      name,
      path: `approvals/${name}.yaml`,
      content: `${because}\n# Merging this file lets exactly these removals happen.\n${stringify(file)}`,
    };
  });
}
