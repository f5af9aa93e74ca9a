import { describe, expect, it } from 'vitest';
import type { ObservedVersions } from '../../../src/api/observed-versions.ts';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import type { WantedUpgrade } from '../../../src/engine/upgrade/wanted-upgrade.ts';
import { regionCatalog } from './catalog-of.ts';
import { controlPlaneOnly, decide, image, nodeImageOnly, old, recent, running, summary } from './decide-target.ts';

describe('a Full upgrade', () => {
  it.each<[string, ObservedVersions, Partial<WantedUpgrade>, string]>([
    [
      'moves control plane, pools and images',
      running('v1.30.9', ['v1.30.9', old]),
      {},
      'Full: cp v1.31.5, np1 v1.31.5 202601.27.0',
    ],
    ['keeps an image that is the newest', running('v1.30.9'), {}, 'Full: cp v1.31.5, np1 v1.31.5 202601.27.0'],
    [
      'keeps an image that is ahead of the newest',
      running('v1.30.9', ['v1.30.9', image('202602.01.0')]),
      {},
      'Full: cp v1.31.5, np1 v1.31.5 202602.01.0',
    ],
    ['takes patches of one minor', running('v1.31.4'), {}, 'Full: cp v1.31.5, np1 v1.31.5 202601.27.0'],
    [
      'moves only pools that are behind',
      running('v1.31.5', ['v1.30.9'], []),
      {},
      'Full: np1 v1.31.5 202601.27.0 (pools already at or ahead of the target: np2)',
    ],
    [
      'moves only images that are behind',
      running('v1.31.5', ['v1.31.5', old], []),
      {},
      'Full: np1 202601.27.0 (pools already at or ahead of the target: np2)',
    ],
    [
      'leaves a pool that is ahead',
      running('v1.31.4', ['v1.31.5'], ['v1.31.4']),
      { kubernetesVersion: '1.31.5' },
      'Full: cp v1.31.5, np2 v1.31.5 202601.27.0 (pools already at or ahead of the target: np1)',
    ],
    [
      'is done where all is there',
      running('v1.31.5'),
      {},
      'at target: control plane and pools are at or ahead of 1.31.5',
    ],
    ['never goes back', running('v1.32.1'), {}, 'at target: control plane and pools are at or ahead of 1.31.5'],
    [
      'raises pools to its version below a newer control plane',
      running('v1.32.1', ['v1.30.9']),
      {},
      'Full: np1 v1.31.5 202601.27.0',
    ],
  ])('%s', (_, versions, wanted, expected) => {
    expect(summary(decide(versions, wanted))).toBe(expected);
  });

  it('takes what a vendor builds of the version', () => {
    const k3s = regionCatalog({ kubernetes: ['1.31.5+k3s1', '1.31.5+k3s2'] });
    expect(summary(decide({ controlPlane: 'v1.31.4+k3s1', pools: [] }, {}, { catalog: k3s }))).toBe(
      'Full: cp v1.31.5+k3s2',
    );
    expect(decide({ controlPlane: 'v1.31.5+k3s1', pools: [] }, {}, { catalog: k3s }).kind).toBe('at-target');
  });
});

describe('a wanted minor', () => {
  it.each<[string, ObservedVersions, string]>([
    ['is its newest patch in the region', running('v1.30.9'), 'Full: cp v1.31.5, np1 v1.31.5 202601.27.0'],
    [
      'is reached by any of its patches',
      running('v1.31.4'),
      'at target: control plane and pools are at or ahead of 1.31',
    ],
    ['gives pools the patch of the control plane', running('v1.31.4', ['v1.30.9']), 'Full: np1 v1.31.4 202601.27.0'],
    [
      'is reached by pools with another patch than the control plane',
      running('v1.31.5', ['v1.31.4']),
      'at target: control plane and pools are at or ahead of 1.31',
    ],
  ])('%s', (_, versions, expected) => {
    expect(summary(decide(versions, { kubernetesVersion: '1.31' }))).toBe(expected);
  });
});

describe('ControlPlaneOnly', () => {
  it('leaves pools and their images', () => {
    expect(summary(decide(running('v1.30.9', ['v1.30.9', old]), controlPlaneOnly))).toBe(
      'ControlPlaneOnly: cp v1.31.5',
    );
  });

  it('is done when the control plane is', () => {
    expect(summary(decide(running('v1.31.5', ['v1.30.9', old]), controlPlaneOnly))).toBe(
      'at target: control plane is at or ahead of 1.31.5',
    );
  });
});

describe('versions in a region', () => {
  it('that are not there are waited for', () => {
    expect(summary(decide(running('v1.31.5'), { kubernetesVersion: '1.31.6' }))).toBe(
      'wait KubernetesVersionNotAvailable: Kubernetes v1.31.6 is not available in westeurope yet; see https://releases.example.com',
    );
    expect(summary(decide(running('v1.32.1'), { kubernetesVersion: '1.33' }))).toBe(
      'wait KubernetesVersionNotAvailable: no patch of Kubernetes 1.33 is available in westeurope yet; see https://releases.example.com',
    );
  });

  it('of which nothing is known restrict nothing', () => {
    expect(summary(decide(running('v1.31.5'), { kubernetesVersion: '1.32.7' }, { catalog: undefined }))).toBe(
      'Full: cp v1.32.7, np1 v1.32.7',
    );
    expect(summary(decide(running('v1.31.5'), { kubernetesVersion: '1.32' }, { catalog: undefined }))).toBe(
      'Full: cp v1.32, np1 v1.32',
    );
    const imagesOnly = regionCatalog({ images: [recent] });
    expect(summary(decide(running('v1.31.5'), { kubernetesVersion: '1.32.7' }, { catalog: imagesOnly }))).toBe(
      'Full: cp v1.32.7, np1 v1.32.7 202601.27.0',
    );
  });

  it('are asked for also where nothing of the member is known', () => {
    expect(summary(decide(undefined))).toBe('Full: cp v1.31.5');
    expect(decide(undefined, { kubernetesVersion: '1.31.6' }).kind).toBe('wait');
    expect(summary(decide(undefined, nodeImageOnly))).toBe('NodeImageOnly: ');
  });
});

describe('a control plane more than one minor behind', () => {
  it('fails, or is skipped in the run of a profile', () => {
    const message =
      'control plane v1.29.9 is 2 minors behind v1.31.5; write chainMinors: true to upgrade it minor by minor';
    expect(summary(decide(running('v1.29.9')))).toBe(`fail MinorSkipped: ${message}`);
    expect(summary(decide(running('v1.29.9'), { ofProfile: true }))).toBe(`skip TooFarBehind: ${message}`);
  });

  it('is skipped where an image is not found, rather than failed', () => {
    const images = { type: 'Consistent', selected: [] } as const;
    expect(decide(running('v1.29.9'), { images })).toMatchObject({ kind: 'skip', code: 'NodeImageNotFound' });
  });

  it('fails, rather than waits for an image', () => {
    const images = { type: 'Custom', selected: [image('202612.01.0')] } as const;
    expect(decide(running('v1.29.9'), { images })).toMatchObject({ kind: 'fail', code: 'MinorSkipped' });
  });

  describe('with long-term support', () => {
    const lts = regionCatalog({
      kubernetes: [{ version: '1.27.9', lts: true }, '1.28.9', '1.29.9', { version: '1.30.9', lts: true }, '1.31.5'],
    });

    it.each<[string, ObservedVersions, Partial<WantedUpgrade>, string]>([
      [
        'goes to the next version that has it',
        running('v1.27.9'),
        { kubernetesVersion: '1.30' },
        'Full: cp v1.30.9, np1 v1.30.9',
      ],
      [
        'to none that has not',
        running('v1.27.9'),
        { kubernetesVersion: '1.29' },
        'fail MinorSkipped: control plane v1.27.9 is 2 minors behind v1.29.9; write chainMinors: true to upgrade it minor by minor',
      ],
      [
        'is skipped in the run of a profile all the same',
        running('v1.27.9'),
        { kubernetesVersion: '1.30', ofProfile: true },
        'skip TooFarBehind: control plane v1.27.9 is 3 minors behind v1.30.9; write chainMinors: true to upgrade it minor by minor',
      ],
      [
        'not where it is not enrolled',
        { ...running('v1.27.9'), lts: false },
        { kubernetesVersion: '1.30' },
        'fail MinorSkipped: control plane v1.27.9 is 3 minors behind v1.30.9; write chainMinors: true to upgrade it minor by minor',
      ],
      [
        'not where a pool would be too far behind',
        running('v1.27.9', ['v1.26.9']),
        { kubernetesVersion: '1.30', ...controlPlaneOnly },
        'fail MinorSkipped: pool np1 (v1.26.9) would be too many minors behind a control plane v1.30.9; upgrade pools first',
      ],
    ])('%s', (_, versions, wanted, expected) => {
      expect(summary(decide(versions, wanted, { catalog: { ...lts, images: new Map() } }))).toBe(expected);
    });
  });

  describe('to a version for clusters with long-term support', () => {
    const lts = regionCatalog({
      kubernetes: [
        { version: '1.29.9', endOfSupport: '2026-10-31', lts: true },
        { version: '1.30.8', endOfSupport: '2026-10-31' },
        { version: '1.30.9', endOfSupport: '2027-10-31', lts: true },
        { version: '1.31.5', lts: true },
      ],
    });
    const [enrolled, others, unknown] = [{ lts: true }, { lts: false }, {}];
    const fails = (version: string) =>
      `fail UnsupportedKubernetesVersion: ${version} is for clusters with long-term support, in which this one is not enrolled: enroll it, or skip it`;

    it.each<[string, object, string, Partial<WantedUpgrade>, string]>([
      ['others fail', others, '1.29', {}, fails('v1.29.9')],
      ['others fail while a patch of that minor is supported with it', others, '1.30', {}, fails('v1.30.9')],
      ['others fail before the first hop', others, '1.30', { chainMinors: true }, fails('v1.30.9')],
      ['others fail in the run of a profile', others, '1.29', { ofProfile: true }, fails('v1.29.9')],
      ['enrolled ones go there', enrolled, '1.29', {}, 'Full: cp v1.29.9, np1 v1.29.9'],
      ['those of which it is not known too', unknown, '1.29', {}, 'Full: cp v1.29.9, np1 v1.29.9'],
      [
        'others fail at a hop over one',
        { ...others, controlPlane: 'v1.29.9' },
        '1.31',
        { chainMinors: true },
        fails('v1.30.9'),
      ],
    ])('%s', (_, of, kubernetesVersion, wanted, expected) => {
      const step = decide({ ...running('v1.28.9'), ...of }, { kubernetesVersion, ...wanted }, { catalog: lts });
      expect(summary(step)).toBe(expected);
    });

    it.each<[string, object, string, string]>([
      ['others fail', others, 'v1.30.9', fails('v1.31.5')],
      [
        'others that are there are done',
        others,
        'v1.31.5',
        'at target: control plane and pools are at or ahead of 1.31',
      ],
      ['enrolled ones go there', enrolled, 'v1.30.9', 'Full: cp v1.31.5, np1 v1.31.5'],
      ['those of which it is not known too', unknown, 'v1.30.9', 'Full: cp v1.31.5, np1 v1.31.5'],
    ])('by a profile with longTermSupport, %s', (_, of, version, expected) => {
      const wanted = { kubernetesVersion: '1.31', ofProfile: true, longTermSupport: true };
      expect(summary(decide({ ...running(version), ...of }, wanted, { catalog: lts }))).toBe(expected);
    });
  });

  describe('whose minor is no longer supported', () => {
    const ended = regionCatalog({
      kubernetes: [{ version: '1.26.9', endOfSupport: '2025-01-31' }, '1.29.9', '1.30.9', '1.31.5'],
    });
    const wanted = { kubernetesVersion: '1.29' };

    it('goes to the oldest that is supported, by Full only', () => {
      expect(summary(decide(running('v1.26.9'), wanted, { catalog: ended }))).toBe('Full: cp v1.29.9, np1 v1.29.9');
      expect(decide(running('v1.26.9'), { ...wanted, ...controlPlaneOnly }, { catalog: ended }).kind).toBe('fail');
    });

    it('is skipped in the run of a profile', () => {
      expect(decide(running('v1.26.9'), { ...wanted, ofProfile: true }, { catalog: ended })).toMatchObject({
        kind: 'skip',
        code: 'TooFarBehind',
      });
      expect(decide(running('v1.26.9'), { kubernetesVersion: '1.30' }, { catalog: ended }).kind).toBe('fail');
    });

    it('past older minors that are supported for longer, or have no end', () => {
      const kubernetes = [
        { version: '1.25.9', lts: true },
        '1.24.1',
        { version: '1.26.9', endOfSupport: '2025-01-31' },
        '1.29.9',
      ];
      const longer = regionCatalog({ kubernetes });
      expect(summary(decide(running('v1.26.9'), wanted, { catalog: longer }))).toBe('Full: cp v1.29.9, np1 v1.29.9');
    });

    it('not while it is supported', () => {
      const nowMs = parseInstant('2025-01-31T23:00:00Z')!;
      expect(decide(running('v1.26.9'), wanted, { catalog: ended, nowMs }).kind).toBe('fail');
    });

    it('is chained from there', () => {
      const chained = { kubernetesVersion: '1.31', chainMinors: true };
      expect(summary(decide(running('v1.26.9'), chained, { catalog: ended }))).toBe(
        'hop Full: cp v1.29.9, np1 v1.29.9',
      );
      expect(summary(decide(running('v1.29.9'), chained, { catalog: ended }))).toBe('hop ControlPlaneOnly: cp v1.30.9');
    });
  });
});

describe('chainMinors', () => {
  const chain = { chainMinors: true };

  it.each<[string, ObservedVersions, Partial<WantedUpgrade>, string]>([
    ['goes to the newest patch of the next minor', running('v1.29.9'), {}, 'hop ControlPlaneOnly: cp v1.30.9'],
    [
      'and at last does what the run says',
      running('v1.30.9', ['v1.29.9']),
      {},
      'Full: cp v1.31.5, np1 v1.31.5 202601.27.0',
    ],
    [
      'takes pools along before they would be more than three minors behind',
      running('v1.30.9', ['v1.28.9', old]),
      { kubernetesVersion: '1.32' },
      'hop Full: cp v1.31.5, np1 v1.31.5',
    ],
    [
      'leaves pools that would be three behind',
      running('v1.30.9', ['v1.29.9']),
      { kubernetesVersion: '1.32' },
      'hop ControlPlaneOnly: cp v1.31.5',
    ],
    [
      'takes all pools along, so that they stay together',
      running('v1.30.9', ['v1.28.9'], []),
      { kubernetesVersion: '1.32' },
      'hop Full: cp v1.31.5, np1 v1.31.5, np2 v1.31.5',
    ],
    [
      'raises pools alone where they are too far behind already',
      running('v1.30.9', ['v1.27.9']),
      {},
      'hop Full: np1 v1.30.9',
    ],
    ['also in ControlPlaneOnly', running('v1.30.9', ['v1.27.9']), controlPlaneOnly, 'hop Full: np1 v1.30.9'],
    [
      'waits for a target that is not there before the first hop',
      running('v1.29.9'),
      { kubernetesVersion: '1.31.6' },
      'wait KubernetesVersionNotAvailable: Kubernetes v1.31.6 is not available in westeurope yet; see https://releases.example.com',
    ],
  ])('%s', (_, versions, wanted, expected) => {
    expect(summary(decide(versions, { ...chain, ...wanted }))).toBe(expected);
  });

  it('allows two minors below 1.28', () => {
    const before = regionCatalog({ kubernetes: ['1.25.9', '1.26.9', '1.27.9', '1.28.9'] });
    const wanted = { ...chain, kubernetesVersion: '1.27' };
    expect(summary(decide(running('v1.25.9', ['v1.25.9']), wanted, { catalog: before }))).toBe(
      'hop ControlPlaneOnly: cp v1.26.9',
    );
    expect(summary(decide(running('v1.25.9', ['v1.24.9']), wanted, { catalog: before }))).toBe(
      'hop Full: cp v1.26.9, np1 v1.26.9',
    );
  });

  it('waits for a minor in between', () => {
    const gap = regionCatalog({ kubernetes: ['1.29.9', '1.31.5'] });
    expect(summary(decide(running('v1.29.9'), chain, { catalog: gap }))).toBe(
      'wait KubernetesVersionNotAvailable: no patch of Kubernetes 1.30 is available in westeurope yet',
    );
  });

  it('needs a catalog', () => {
    expect(summary(decide(running('v1.29.9'), chain, { catalog: undefined }))).toBe(
      'fail MinorSkipped: control plane v1.29.9 is 2 minors behind v1.31.5, and no VersionCatalog lists the versions of westeurope in between',
    );
  });

  it('ends: each step makes the next one shorter, and no pool is ever too far behind', () => {
    let now = running('v1.27.9', ['v1.27.9'], ['v1.25.0']);
    const steps: string[] = [];
    for (
      let step = decide(now, { ...chain, kubernetesVersion: '1.32' });
      step.kind === 'start';
      step = decide(now, { ...chain, kubernetesVersion: '1.32' })
    ) {
      steps.push(summary(step));
      const { to } = step;
      now = {
        controlPlane: to.controlPlane ?? now.controlPlane,
        pools: now.pools!.map((pool) => ({
          ...pool,
          kubernetes: to.pools.find(({ name }) => name === pool.name)?.kubernetes ?? pool.kubernetes,
        })),
      };
    }
    expect(steps).toEqual([
      'hop Full: cp v1.28.9, np1 v1.28.9, np2 v1.28.9',
      'hop ControlPlaneOnly: cp v1.29.9',
      'hop ControlPlaneOnly: cp v1.30.9',
      'hop Full: cp v1.31.5, np1 v1.31.5, np2 v1.31.5',
      'Full: cp v1.32.1, np1 v1.32.1 202601.27.0, np2 v1.32.1 202601.27.0',
    ]);
  });
});

describe('pools too far behind', () => {
  it('fail a single step that would leave them more than three minors behind', () => {
    expect(summary(decide(running('v1.30.9', ['v1.27.9'])))).toBe(
      'fail MinorSkipped: pool np1 (v1.27.9) would be too many minors behind a control plane v1.31.5; upgrade pools first',
    );
  });

  it('fail where they may not be moved', () => {
    const custom = {
      chainMinors: true,
      images: { type: 'Custom', selected: [image('202601.27.0', 'AKSUbuntu-2404')] },
    } as const;
    expect(decide(running('v1.30.9', ['v1.27.9']), custom).kind).toBe('fail');
  });
});
