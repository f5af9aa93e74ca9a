import { inTempDir } from './fleet-repo.ts';
import { largeRepo } from './large-repo.ts';
import { limits } from './limits.ts';
import { median, p95, peakRss, report, timed } from './report.ts';
import { allAvailable, runFleet } from './running-fleet.ts';

const size = { clusters: 1000, placements: 1000, picks: 10 };
const rounds = 10;

/** Passes that find nothing to do, and what they ask of members: heartbeats, which are few, are told apart from the rest. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const fleet = await runFleet({ dir, clusters: size.clusters, files: largeRepo(size) });
    const [first] = await timed(1, () => fleet.until(allAvailable(size.picks)));
    // What was published last is planned once more, and found to be all.
    await fleet.passAgain();
    await fleet.passAgain();
    fleet.keepSent();
    const passes = await timed(rounds, () => fleet.passAgain());
    const asked = fleet.sent.filter(({ path }) => !isHeartbeat(path));
    await fleet.close();
    report(
      {
        what: `a pass with nothing to do, ${size.clusters} clusters × ${size.placements} placements of ${size.picks} picks`,
        value: median(passes),
        unit: 'ms',
        p95: p95(passes),
        limit: limits.steady.pass,
        baseline: { what: 'from nothing until all is available', value: first! },
      },
      {
        what: '  requests to members but heartbeats',
        value: asked.length,
        unit: 'requests',
        limit: limits.steady.requests,
      },
      peakRss(),
    );
  });

const isHeartbeat = (path: string): boolean => path.startsWith('/readyz');
