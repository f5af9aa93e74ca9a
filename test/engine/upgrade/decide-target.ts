import type { ObservedVersions } from '../../../src/api/observed-versions.ts';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import { type TargetOfMember, targetOfMember } from '../../../src/engine/upgrade/target-of-member.ts';
import type { MemberVersions, WantedUpgrade } from '../../../src/engine/upgrade/wanted-upgrade.ts';
import { regionCatalog } from './catalog-of.ts';

export const image = (version: string, family = 'AKSUbuntu-2204') => `${family}-${version}`;
export const [old, recent] = [image('202601.13.0'), image('202601.27.0')];
export const kubernetes = ['1.27.9', '1.28.9', '1.29.9', '1.30.8', '1.30.9', '1.31.4', '1.31.5', '1.32.1'];
export const catalog = regionCatalog({ kubernetes, images: [old, recent] }, 'westeurope', {
  releaseTracker: 'https://releases.example.com',
});

/** A member on one version and image, with pools `np1`, `np2`, … on others where they are given. */
export const running = (
  controlPlane: string,
  ...pools: readonly (readonly [kubernetes?: string, image?: string])[]
): ObservedVersions => ({
  controlPlane,
  pools: (pools.length === 0 ? [[] as const] : pools).map(([version = controlPlane, of = recent], at) => ({
    name: `np${at + 1}`,
    kubernetes: version,
    image: of,
  })),
});

export const decide = (
  versions: ObservedVersions | undefined,
  wanted: Partial<WantedUpgrade> = {},
  member: Partial<MemberVersions> = {},
): TargetOfMember =>
  targetOfMember(
    {
      type: 'Full',
      kubernetesVersion: '1.31.5',
      images: { type: 'Latest' },
      chainMinors: false,
      ofProfile: false,
      longTermSupport: false,
      ...wanted,
    },
    { versions, region: 'westeurope', catalog, nowMs: parseInstant('2026-11-20T10:00:00Z')!, ...member },
  );

export const nodeImageOnly = { type: 'NodeImageOnly', kubernetesVersion: undefined } as const;
export const controlPlaneOnly = { type: 'ControlPlaneOnly' } as const;

/** In one line: what the operation is, what it changes, and its message. */
export function summary(target: TargetOfMember): string {
  if (target.kind === 'at-target') return `at target: ${target.message}`;
  if (target.kind !== 'start') return `${target.kind} ${target.code}: ${target.message}`;
  const { controlPlane, pools } = target.to;
  const changes = [
    ...(controlPlane ? [`cp ${controlPlane}`] : []),
    ...pools.map(({ name, ...to }) =>
      [name, to.kubernetes, to.image?.replace('AKSUbuntu-2204-', '')].filter(Boolean).join(' '),
    ),
  ];
  const message = target.message === undefined ? '' : ` (${target.message})`;
  return `${target.hop ? 'hop ' : ''}${target.type}: ${changes.join(', ')}${message}`;
}
