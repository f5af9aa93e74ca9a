import { mergeCommand } from '../engine/gate/request.ts';
import type { Plan } from '../engine/plan-document.ts';
import { type ClusterState, clusterStates } from './cluster-states.ts';
import type { DashboardInput } from './dashboard-input.ts';
import { type InEffect, inEffect } from './in-effect.ts';
import { sectionMarkdown } from './sections/markdown.ts';
import type { Section } from './sections/section.ts';
import { sectionsOf } from './sections/sections.ts';

/** README.md of the status branch: what runs where, what waits for whom since when, how to approve. Instants, never ages. */
export function renderDashboard(plan: Plan, input: DashboardInput): string {
  const { branch, inPlace = false } = input;
  const present = inEffect(plan, input);
  const byGit = (from: string): string =>
    `on \`${branch}\` in ${inPlace ? 'the repo' : 'a clone'}: \`${mergeCommand(from, inPlace)}\``;
  const clusters = clusterStates(present, input.unreachable);
  const sections = sectionsOf({ ...input, plan, inEffect: present, clusters });
  const lines = [
    `# ${headline(sections, clusters)}`,
    '',
    plannedFrom(plan, present, input),
    ...sections.flatMap((section) => ['', `## ${section.title}`, '', ...sectionMarkdown(section, byGit)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** What a reader wants to know first: whether something needs them, and whether all is as desired. */
function headline(sections: readonly Section[], clusters: readonly ClusterState[]): string {
  const needed = sections.reduce((sum, { attention = 0 }) => sum + attention, 0);
  const done = clusters.filter(({ isAsDesired }) => isAsDesired).length;
  const all = `${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'}`;
  const state = done === clusters.length ? `all ${all} as desired` : `${done} of ${all} as desired`;
  const text = clusters.length === 0 ? 'no clusters' : state;
  if (needed > 0) return `⚠️ ${needed} ${needed === 1 ? 'thing needs' : 'things need'} you · ${text}`;
  return `${done === clusters.length ? '✅' : '🔄'} ${text}`;
}

function plannedFrom({ commit, guard }: Plan, present: InEffect, { branch, statusBranch }: DashboardInput): string {
  const linked = (id: string): string => commitLink(id, statusBranch);
  const newest = `commit ${linked(commit)} of \`${branch}\``;
  if (guard.length === 0) return `Planned from ${newest}.`;
  return `The plan of ${newest} is refused. In effect is ${standing(present, linked)}.`;
}

function standing({ commit, placements }: InEffect, linked: (commit: string) => string): string {
  if (commit !== undefined) return `the plan from commit ${linked(commit)}`;
  return placements.length === 0 ? 'nothing' : 'the previous status';
}

/**
 * Forges show this page below `…/<branch>/`, and commits beside that in `commit/`. A plain folder has no commits.
 */
function commitLink(commit: string, statusBranch = 'fleet-status'): string {
  const short = `\`${commit.slice(0, 12)}\``;
  if (!/^[0-9a-f]{40}$/.test(commit)) return short;
  return `[${short}](${'../'.repeat(statusBranch.split('/').length + 1)}commit/${commit})`;
}
