import { getHeapStatistics } from 'node:v8';

/**
 * Limits of responses and objects of members. A member chooses what it sends, so none of these numbers may depend on its data.
 * None is reached by a cluster of 10,000 nodes and 100,000 pods: pages that are too large are requested again with fewer objects.
 */
export interface MemberLimits {
  readonly responseBytes: number;
  readonly smallResponseBytes: number;
  readonly parsedBytes: number;
  readonly textBytes: number;
  readonly inFlightBytes: number;
  readonly pageObjects: number;
  readonly shortPages: number;
  readonly listObjects: number;
  readonly listBytes: number;
  readonly nesting: number;
  readonly kinds: number;
  readonly keptBytes: number;
  readonly keptPerPlacedByte: number;
  readonly nodeBytes: number;
  readonly freeBytes: number;
  readonly allKeptBytes: number;
  readonly watchBytes: number;
  readonly instanceTypes: number;
  readonly messageCharacters: number;
  readonly retryAfterMs: number;
}

const mib = 2 ** 20;

export const memberLimits: MemberLimits = {
  // A body, or a line of a watch. etcd takes objects of 1.5 MiB (--max-request-bytes) and API servers bodies of 3 MiB, so one object
  // with its managedFields fits several times. Of a page it is enough that one object fits. May grow if etcd's limit does.
  responseBytes: 8 * mib,
  // Responses of one member beyond this are read one after the other. Most objects and pages have less; of the rest only one counts.
  smallResponseBytes: mib / 8,
  // What a response becomes when it is parsed, as `parsedBytesOf` estimates it. Objects of Kubernetes take 3 to 5 times their text;
  // the worst JSON, {},{}, takes 21 times. May grow with `responseBytes`.
  parsedBytes: 64 * mib,
  // A text of which only some lines are kept: the metrics of an API server, up to those lines. Large clusters have 20 to 30 MiB.
  textBytes: 64 * mib,
  // Responses of all members that are being read: those of 64 members that are worked on at once, with half a MiB each, as most pages
  // have less. Beyond it pages get smaller. May grow with the memory that a daemon has at rest: it is less than a quarter of that.
  inFlightBytes: 32 * mib,
  // As kubectl and client-go.
  pageObjects: 500,
  // Pages of one list with fewer objects than requested, though more follow. API servers fill all but the last; the API allows
  // others to return fewer, even none, where a selector leaves them out.
  shortPages: 100,
  // One list. Kubernetes is tested with 150,000 pods, and the largest services have three times as many.
  listObjects: 500_000,
  // One list as it is sent. 150,000 pods of 13 KiB; most have less than 10 KiB.
  listBytes: 2048 * mib,
  // Levels of an object. Manifests have at most 100 (yaml/limits.ts), and servers add no more than a few.
  nesting: 200,
  // Kinds in all groups that were requested. Clusters with several Crossplane providers have some thousand.
  kinds: 20_000,
  // Objects with our label that are kept of one member, beyond the objects of the fleet repo. 10,000 objects that a controller made.
  keptBytes: 32 * mib,
  // An object on a member takes about three times the memory of its manifest: defaults and status are added.
  keptPerPlacedByte: 4,
  // Nodes, pods and what belongs to them, of a member whose nodes are observed: 4 KiB for each of 100,000 pods, as only the fields
  // are kept that plans read. Beyond it the nodes of the member are not observed.
  nodeBytes: 512 * mib,
  // Of what one member keeps, beyond the objects of the fleet repo, so much does not count for `allKeptBytes`.
  freeBytes: 4 * mib,
  // Of all members together. A quarter of the heap that Node grants by the memory of the machine or container: a fleet that needs
  // more of what no manifest explains would soon end the process.
  allKeptBytes: getHeapStatistics().heap_size_limit / 4,
  // What a watched kind takes besides its objects, so that kinds count as well: mostly buffers of its stream.
  watchBytes: 64 * 1024,
  // Instance types of which a member has nodes. Each is a property in the file of the member; a region of Azure has about 1,000, of
  // which a cluster of 10,000 nodes uses some dozens.
  instanceTypes: 500,
  // Of a message of a member. The longest of API servers list the invalid fields of one object.
  messageCharacters: 4_096,
  // API servers send 1 s, under load up to 32 s (priority and fairness), and 5 s while they shut down.
  retryAfterMs: 60_000,
};
