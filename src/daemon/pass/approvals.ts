import { stringify } from 'yaml';
import { placementKey } from '../../api/placement.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { approvalFile, isUnanswered } from '../../engine/staged/approval/file.ts';
import { removalApprovalObject, removalsAsked } from '../../repo/record/removals-asked.ts';
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

function removals(plan: Plan): Request[] {
  return removalsAsked(plan).map((asked) => {
    const { name, messages } = asked;
    const because = messages.map((message) => `# ${message.replaceAll('\n', '\n# ')}`).join('\n');
    return {
      name,
      path: `approvals/${name}.yaml`,
      content: `${because}\n# Merging this file lets exactly these removals happen.\n${stringify(removalApprovalObject(asked))}`,
    };
  });
}
