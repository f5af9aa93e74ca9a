import { member, type PaperFleet } from './fleet.ts';

/** What may happen to any fleet on paper, by whatever script. Says whether it was one of these. */
export function happened(
  paper: PaperFleet,
  kind: string,
  { cluster, app, amount }: { readonly cluster: string; readonly app: string; readonly amount: number },
): boolean {
  const file = `clusters/${cluster}.yaml`;
  switch (kind) {
    case 'break':
      paper.broken.add(`${cluster}/Deployment/${app}`);
      paper.refresh();
      return true;
    case 'down':
      paper.down.add(cluster);
      return true;
    case 'up':
      paper.down.delete(cluster);
      return true;
    case 'deliver':
      paper.deliver(cluster);
      return true;
    case 'deliverAll':
      paper.deliver();
      return true;
    case 'pass':
      paper.pass(amount);
      return true;
    case 'relabel':
      if (file in paper.files) paper.files[file] = member(cluster, { size: amount % 2 === 0 ? 'big' : 'small' });
      return true;
    case 'drift': {
      const held = paper.members.get(cluster)?.get(app);
      if (held) paper.members.get(cluster)!.set(app, { ...held, objects: held.objects.slice(0, amount % 3) });
      return true;
    }
    case 'thaw':
      delete paper.files['fleet.yaml'];
      return true;
    default:
      return false;
  }
}
