import { describe, expect, it } from 'vitest';
import { compareNodeImages, parseNodeImage, reachesImage } from '../../src/api/node-image.ts';

const image = (text: string) => parseNodeImage(text)!;

describe('a node image (update-runs.md §4.5)', () => {
  it.each([
    ['AKSUbuntu-2204gen2containerd-202405.27.0', 'AKSUbuntu-2204gen2containerd', [202405, 27, 0], undefined],
    ['AKSAzureLinux-V3gen2-202602.13.5', 'AKSAzureLinux-V3gen2', [202602, 13, 5], undefined],
    ['AKSUbuntu-2404-202601.27.0', 'AKSUbuntu-2404', [202601, 27, 0], undefined],
    ['AKSUbuntu-1804gen2containerd-2022.12.13', 'AKSUbuntu-1804gen2containerd', [202212, 13, 0], undefined],
    ['AKSUbuntu-1804-2020.03.05', 'AKSUbuntu-1804', [202003, 5, 0], undefined],
    [
      'AKSUbuntu-2204gen2containerd-202410.27.0-2024.12.01',
      'AKSUbuntu-2204gen2containerd',
      [202410, 27, 0],
      [2024, 12, 1],
    ],
    ['AKSWindows-2022-containerd-20348.3207.250214', 'AKSWindows-2022-containerd', [20348, 3207, 250214], undefined],
    ['AKSWindows-23H2-gen2-25398.1425.250214', 'AKSWindows-23H2-gen2', [25398, 1425, 250214], undefined],
  ])('is read from %s', (text, family, version, patched) => {
    expect(parseNodeImage(text)).toEqual({ family, version, patched, text });
  });

  it.each(['', 'Ubuntu 22.04.4 LTS', 'ami-0abcdef', 'flatcar-stable-4081', '202405.27.0', 'AKSUbuntu-2204-latest'])(
    'is not %j: that can only be equal',
    (text) => {
      expect(parseNodeImage(text)).toBeUndefined();
    },
  );

  it.each([
    ['AKSUbuntu-2204-202405.9.0', 'AKSUbuntu-2204-202405.27.0'],
    ['AKSUbuntu-2204-202405.27.0', 'AKSUbuntu-2204-202405.27.1'],
    ['AKSUbuntu-2204-202405.27.9', 'AKSUbuntu-2204-202405.27.10'],
    ['AKSUbuntu-1804-2022.12.13', 'AKSUbuntu-1804-202301.02.0'],
    ['AKSUbuntu-1804-2022.09.13', 'AKSUbuntu-1804-2022.12.13'],
    ['AKSUbuntu-2204-202410.27.0', 'AKSUbuntu-2204-202410.27.0-2024.12.01'],
    ['AKSUbuntu-2204-202410.27.0-2024.12.01', 'AKSUbuntu-2204-202410.27.0-2025.01.01'],
    ['AKSUbuntu-2204-202410.27.0-2024.12.01', 'AKSUbuntu-2204-202410.28.0'],
    ['AKSWindows-2022-20348.3207.250214', 'AKSWindows-2022-20348.10000.250101'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareNodeImages(image(older), image(newer))).toBeLessThan(0);
    expect(compareNodeImages(image(newer), image(older))).toBeGreaterThan(0);
    expect(reachesImage(image(newer), image(older))).toBe(true);
    expect(reachesImage(image(older), image(newer))).toBe(false);
  });

  it('of another family cannot be compared, and reaches nothing', () => {
    const [noble, jammy] = [image('AKSUbuntu-2404-202601.27.0'), image('AKSUbuntu-2204-202501.27.0')];
    expect(compareNodeImages(noble, jammy)).toBeUndefined();
    expect(reachesImage(noble, jammy)).toBe(false);
  });

  it('with a 0 at the end is the same as without', () => {
    expect(compareNodeImages(image('AKSUbuntu-2204-202405.27'), image('AKSUbuntu-2204-202405.27.0'))).toBe(0);
  });
});
