import { placementKey } from '../../api/placement.ts';
import { recordPathOf } from '../../repo/record/path.ts';
import { titleOf } from '../../repo/title-of.ts';
import { wholeSeconds } from '../../report/whole-seconds.ts';
import { elsewhere } from '../kinds/elsewhere.ts';
import { eventObject, eventRows } from '../kinds/events.ts';
import { singularsOf } from '../kinds/kind-words.ts';
import { kindMeant } from '../kinds/kinds.ts';
import type { Row } from '../kinds/listing.ts';
import { titled } from '../kinds/page-text.ts';
import { asksForPlan, type MaybePlanOptions, refuseOfPlan, withStatusOrPlan } from '../planned/planned-status.ts';
import { noteIfBehind } from '../status/behind.ts';
import type { Status, StatusOptions, StatusReader } from '../status/open-status.ts';
import { type FleetEvent, readEvents } from '../status/read-events.ts';
import { CliError } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { isCalled } from '../terminal/one-named.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { unknownName } from '../terminal/unknown-name.ts';

/** Changes of one object that its events are read from; KubeFleet's events live for an hour, ours as long as git's history. */
const mostVersions = 100;

export interface DescribeOptions extends StatusOptions, MaybePlanOptions {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly output: string;
}

/** Everything on the status branch about one object, with events from its history. */
export async function describe(word: string, givenName: string | undefined, options: DescribeOptions): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const asked = splitName(word, givenName);
  const { listing, isMeant } = kindMeant(asked.kind, undefined, singularsOf('described'));
  const [plural, singular] = listing.names;
  const { name } = asked;
  if (listing.nameless)
    throw new CliError(`describe takes no ${plural}, which have no names: gitfleet get ${plural} lists all of them`);
  if (name === undefined) throw new CliError(`describe ${word} needs a name: gitfleet get ${plural} lists them`);
  if (asksForPlan(options)) refuseOfPlan([listing], {});
  if (options.cluster !== undefined && !listing.isOfClusters)
    throw new CliError(`--cluster is for nodes and nodepools, and not for ${plural}: leave it out`);
  await withStatusOrPlan(options, async (reader) => {
    const status = await reader.read([...new Set([...listing.folders, 'placements', 'runs', 'approvals', 'upgrades'])]);
    const rows = (await listing.rows(status, reader)).filter(
      (row) =>
        isMeant(row) &&
        (options.namespace === undefined || row.namespace === options.namespace) &&
        (options.cluster === undefined || row.cluster === options.cluster),
    );
    const found = rows.filter((row) => isCalled(row, name) || row.name === `${row.cluster}/${name}`);
    if (found.length === 0)
      throw unknownName({
        what: singular,
        name,
        known: rows.map(titleOf),
        ...(asksForPlan(options) ? {} : { instead: await elsewhere(name, reader) }),
      });
    const described = await Promise.all(
      found.map(async (row) => ({ row, events: await eventsOf(plural, row, { status, reader }) })),
    );
    if (format === 'table') {
      const texts = await Promise.all(described.map(({ row, events }) => textOf(row, { status, events })));
      print(wholeSeconds(texts.join('\n\n\n')));
    } else {
      const items = await Promise.all(
        described.map(async ({ row, events }) => ({
          object: { ...row.value, ...(await row.details(status)) },
          events: events?.map(eventObject) ?? [],
        })),
      );
      const list = { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'DescriptionList', items };
      await (format === 'json' ? printJson(list) : printYaml(list));
    }
    await noteIfBehind(reader, status);
  });
}

/** Undefined for objects without a file of their own, which have no history. */
async function eventsOf(
  plural: string,
  row: Row,
  { status, reader }: { readonly status: Status; readonly reader: StatusReader },
): Promise<readonly FleetEvent[] | undefined> {
  const path = pathOf(plural, row, status);
  return path === undefined ? undefined : readEvents(reader, status, { most: mostVersions, path });
}

async function textOf(
  row: Row,
  { status, events }: { readonly status: Status; readonly events: readonly FleetEvent[] | undefined },
): Promise<string> {
  const body = await row.page(status);
  if (events === undefined) return body.join('\n\n');
  const rows = eventRows(events, status.now);
  const eventsText =
    rows.length === 0 ? 'Events:  <none>' : titled('Events', table(['TYPE', 'REASON', 'AGE', 'FROM', 'MESSAGE'], rows));
  return [...body, eventsText].join('\n\n');
}

/** Path of the object on the status branch. */
function pathOf(plural: string, row: Row, { files }: Status): string | undefined {
  const [name, rest] = [placementKey(row), plural === 'placements' ? 'status.yaml' : ''];
  return [...files.keys()].find((path) => {
    const place = recordPathOf(path);
    return place?.directory === plural && place.name === name && place.rest === rest;
  });
}
